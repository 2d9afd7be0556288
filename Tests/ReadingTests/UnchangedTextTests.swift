import Foundation
import Testing

@testable import Reading

/// Text that needs no change is returned as it is; the result must equal that of the general code.
@Suite struct UnchangedTextTests {
    private static let pieces = [
        "", "a", "b c", " ", "  ", "\n", "\t", "\u{0}", "\u{7F}", "\u{85}", "\u{A0}", "\u{AD}", "é", "\u{1680}",
        "\u{10D0}", "\u{2000}", "’", "\u{200B}", "\u{200E}", "\u{202E}", "…", "\u{2066}", "日", "\u{3000}", "か", "Ａ",
        "\u{FEFF}", "😀", "e\u{301}", "&", "&amp;", "&#160;", "<", "<b>", "<br>", "]", "]]>", ">", "\"", "%", "\\",
    ]

    /// All pairs of pieces, alone and with something between them.
    private static let texts: [String] = {
        var texts: [String] = []
        for first in pieces {
            for second in pieces { texts += [first + second, first + "x" + second, first + " " + second] }
        }
        return texts
    }()

    private func differ(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return (first == nil) != (second == nil) }
        return !first.utf8.elementsEqual(second.utf8)
    }

    /// The rules of `cleaned(_:)` character by character.
    private func spelledOut(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        var isApart = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isApart = true
                continue
            }
            switch scalar.value {
            case 0x200B, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: continue
            default: if scalar.properties.generalCategory == .control { continue }
            }
            if isApart, !line.isEmpty { line.append(" ") }
            isApart = false
            line.append(scalar)
        }
        return String(line)
    }

    @Test func cleanTextIsWhatTheRulesSay() {
        for text in Self.texts {
            let expected = spelledOut(text)
            var bytes = text
            let inBytes = bytes.withUTF8 { HTMLText.cleaned($0) }
            // A dropped character forces the general code.
            let long = HTMLText.cleaned("\u{200B}" + text)
            for found in [HTMLText.cleaned(text), inBytes, long] where differ(found, expected) {
                Issue.record("\(text.debugDescription) became \(found.debugDescription)")
            }
        }
    }

    @Test func plainTextIsTheSameBehindAReference() {
        for text in Self.texts {
            let long = HTMLText.plain("&#8203;" + text)
            var bytes = text
            let inBytes = bytes.withUTF8 { HTMLText.plain($0) }
            for found in [HTMLText.plain(text), inBytes] where differ(found, long) {
                Issue.record("\(text.debugDescription) became \(found.debugDescription)")
            }
            let hasMarkup = text.utf8.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
            if !hasMarkup, differ(long, spelledOut(text)) {
                Issue.record("\(text.debugDescription) became \(long.debugDescription)")
            }
        }
    }

    @Test func webURLsAreTheSameBehindASpace() {
        let authorities = ["e.org", "e.org:80", "e.org:", "e.org:0", "me@e.org", "[::1]", "%41.org", "e.org/@a:b", ""]
        for scheme in ["http://", "HTTPS://", "http:/", "ftp://"] {
            for authority in authorities {
                for tail in Self.pieces + ["/", "?q", "#f", "/a%20b?c=[d]", String(repeating: "/a", count: 4100)] {
                    let text = scheme + authority + tail
                    let found = HTMLText.webURL(text)
                    if differ(found, HTMLText.webURL(" " + text)) {
                        Issue.record("\(text.debugDescription) became \(found.debugDescription)")
                    }
                }
            }
        }
    }

    @Test func blocksPartWordsAndOtherElementsDoNot() {
        for name in ["p", "BR", "Div", "h1", "h6", "blockquote", "figcaption", "fieldset", "tbody"] {
            #expect(HTMLText.plain("a<\(name)>b") == "a b", "\(name)")
            #expect(HTMLText.plain("a</\(name)>b") == "a b", "\(name)")
        }
        for name in ["a", "b", "img", "h7", "h", "pp", "o:p", "p-", "x-blockquote", "figcaptions", "span"] {
            #expect(HTMLText.plain("a<\(name) x='>'>b") == "ab", "\(name)")
        }
    }
}
