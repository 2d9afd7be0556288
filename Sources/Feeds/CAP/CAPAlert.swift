import Foundation
import Model
import Reading

/// One `<alert>` of a document (CAP 1.2 §3.2.1).
///
/// Versions 1.0 to 1.2 share their element names. The namespace is ignored, because real feeds leave it out. Texts are
/// cleaned and cut here, once, since every event of the alert gets a copy.
struct CAPAlert {
    var identifier: String?
    var sender: String?
    var sent: String?
    var status: String?
    var messageType: String?
    var source: String?
    var scope: String?
    var note: String?
    var incidents: String?
    var references: [CAPReference] = []
    var infos: [CAPInfo] = []

    init(_ node: XMLNode) {
        var points = 0
        for child in node.children {
            switch child.name {
            case "identifier": identifier = child.trimmed
            case "sender": sender = child.trimmed
            case "sent": sent = child.trimmed
            case "status": status = child.trimmed
            case "msgType": messageType = CAPDecoder.plain(child)
            case "source": source = CAPDecoder.plain(child)
            case "scope": scope = CAPDecoder.plain(child)
            case "note": note = CAPDecoder.plain(child)
            case "incidents": incidents = CAPDecoder.plain(child)
            case "references": references += CAPReference.all(in: child.text)
            case "info": infos.append(CAPInfo(child, points: &points))
            default: break
            }
        }
    }

    /// The provider of an alert: its sender in lower case, since some senders vary the case of their name. It is `gvp`
    /// for the weekly file of the Global Volcanism Program, recognized by both sender and identifier.
    static func provider(sender: String, identifier: String) -> String {
        let sender = sender.lowercased()
        return identifier.hasPrefix("GVP-Weekly") && sender == "gvp@si.edu" ? GVPReport.provider : sender
    }

    /// Whether a name may be part of an identity: at most 1,024 bytes, no control characters, no line separators and no
    /// bidirectional controls.
    static func isSound(_ name: String) -> Bool {
        name.utf8.count <= 1024 && !name.unicodeScalars.contains { $0.hazard?.isUnsafeInNames == true }
    }
}

/// One earlier message in the `<references>` of an alert (CAP 1.2 §3.2.1).
struct CAPReference: Hashable {
    /// The sender; nil means the sender of the referring alert.
    var sender: String?
    var identifier: String

    /// The most references of a text that are read, the last ones.
    private static let maximumWords = 10_000

    /// The references of a text: `sender,identifier,sent`, separated by white space; CAP 1.0 wrote `identifier/sender`.
    /// Unusable ones are left out, and all before the last 10,000.
    ///
    /// Some senders write blanks beside the commas, or a comma between references: `sender, identifier, sent,`.
    static func all(in text: String) -> [CAPReference] {
        var text = text
        return text.withUTF8 { all(in: $0) }
    }

    private static func all(in text: UnsafeBufferPointer<UInt8>) -> [CAPReference] {
        var references: [CAPReference] = []
        var words = 0
        var end = text.count
        while words < maximumWords, let last = text[..<end].lastIndex(where: { !$0.isSpace }) {
            let range = spaced(text, endingAt: last) ?? startOfWord(in: text, at: last)..<last + 1
            end = range.lowerBound
            words += 1
            guard let reference = one(String(decoding: text[range].filter { !$0.isSpace }, as: UTF8.self)),
                CAPAlert.isSound(reference.identifier), CAPAlert.isSound(reference.sender ?? "")
            else { continue }
            references.append(reference)
        }
        return references.reversed()
    }

    private static func startOfWord(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
        text[..<place].lastIndex(where: \.isSpace).map { $0 + 1 } ?? 0
    }

    /// The range of a reference with blanks beside its commas or with a comma behind it; nil for any other.
    ///
    /// It has two commas and ends in a date, so a list of mere identifiers (`X-1, X-2`) is none.
    private static func spaced(_ text: UnsafeBufferPointer<UInt8>, endingAt place: Int) -> Range<Int>? {
        var last = place
        if text[last] == comma {
            guard let before = text[..<last].lastIndex(where: { !$0.isSpace }) else { return nil }
            last = before
        }
        var start = startOfWord(in: text, at: last)
        var isSpaced = last < place
        var commas = text[start...last].count { $0 == comma }
        while let before = text[..<start].lastIndex(where: { !$0.isSpace }),
            text[start] == comma || text[before] == comma
        {
            let word = startOfWord(in: text, at: before)
            let more = text[word...before].count { $0 == comma }
            guard commas + more <= 2 else { break }
            start = word
            commas += more
            isSpaced = true
        }
        guard isSpaced, commas == 2, let sent = text[start...last].lastIndex(of: comma) else { return nil }
        let date = text[(sent + 1)..<(last + 1)]
        return DateReader.reading(UnsafeBufferPointer(rebasing: date)) == nil ? nil : start..<last + 1
    }

    private static let comma = UInt8(ascii: ",")

    private static func one(_ word: String) -> CAPReference? {
        // Senders and identifiers have no commas by the standard. The first and the last comma count.
        if let first = word.firstIndex(of: ","), let last = word.lastIndex(of: ",") {
            let (sender, rest) = (word[..<first], word[word.index(after: first)...])
            let identifier = first == last ? rest : word[word.index(after: first)..<last]
            guard !identifier.isEmpty else { return nil }
            return CAPReference(sender: sender.isEmpty ? nil : String(sender), identifier: String(identifier))
        }
        if let slash = word.lastIndex(of: "/"), slash > word.startIndex, word[slash...].contains("@") {
            let sender = word[word.index(after: slash)...]
            return CAPReference(sender: String(sender), identifier: String(word[..<slash]))
        }
        return CAPReference(sender: nil, identifier: word)
    }
}

extension UInt8 {
    /// Whether the byte is white space of XML.
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
