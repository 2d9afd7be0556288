import Foundation
import Model
import Telling

extension Announcement {
    /// The message as a mail (RFC 5322): plain text in UTF-8, lines that end with CR LF.
    ///
    /// Of an event nothing reaches a header but the title, which is encoded unless it is plain.
    func mail(_ words: Words, _ page: String?, from: MailAddress) -> String {
        let first = firstID.map { "<\($0)@\(from.domain)>" }
        let headers: [(name: String, value: String?)] = [
            ("Date", at.utc("%a, %-d %b %Y %H:%M:%S +0000")), ("From", from.description),
            ("To", target.recipient ?? ""), ("Subject", MailText.header(words.title)),
            ("Message-ID", "<\(id)@\(from.domain)>"), ("In-Reply-To", first), ("References", first),
            ("Auto-Submitted", "auto-generated"), ("X-Visiventd-Kind", kind.rawValue), ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"), ("Content-Transfer-Encoding", "base64"),
        ]
        let head = headers.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined()
        return head + "\r\n" + MailText.body([words.body, page].compactMap { $0 }.joined(separator: "\n") + "\n")
    }
}

/// Texts in mails.
enum MailText {
    /// A text as the value of a header: plain ASCII as it is, any other in encoded words on lines of at most 76
    /// characters (RFC 2047 §2)
    static func header(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
        if isPlain, text.utf8.count <= 66 { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// A text as a body in base64, with lines of 76 characters.
    static func body(_ text: String) -> String {
        let lines = Data(text.replacing("\n", with: "\r\n").utf8)
        let options: Data.Base64EncodingOptions = [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ]
        return lines.base64EncodedString(options: options) + "\r\n"
    }
}
