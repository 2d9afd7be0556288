import Foundation
import Testing
import WorkCount

@testable import Reading

/// Twice the text takes each reader at most 2.5 times the work, whatever the text is made of.
@Suite struct ReadingDoublingTests {
    static let pieces = [
        "word ", "&", "&amp;", "&#", "<", "<a ", "<!--", "<script>", "<a href=\"", "<a href=\"http://x/1\">",
        "<img src=x>",
        "<![CDATA[", "</", "</a>", "<a>", "\n", "\r", "\"", "\",", ",", "{", "[", "\\", "\\ud800", "9", "1e", "../",
        "%", "?a=",
        "\u{85}", "\u{202E}", "\u{0315}\u{0300}\u{0327}", "\u{1F468}\u{200D}", "é",
    ]

    static let readers: [(name: String, read: @Sendable (Data) -> Void)] = [
        ("plain", { _ = HTMLText.plain(text($0)) }), ("cleaned", { _ = HTMLText.cleaned(text($0)) }),
        ("links", { _ = HTMLText.links(text($0)) }), ("webURL", { _ = HTMLText.webURL("http://x/" + text($0)) }),
        ("absolute", { _ = HTMLText.absolute(text($0), base: "http://x/a/b") }),
        ("bounded", { _ = HTMLText.bounded(text($0), 1000) }),
        ("entities", { _ = HTMLText.decodingEntities(text($0)) }),
        ("date", { _ = DateReader.any(text($0)) }), ("number", { _ = NumberReader.double(text($0)) }),
        ("utf-8", { _ = TextEncoding.utf8($0 + [0xFF], declared: nil) }),
        ("latin-1", { _ = TextEncoding.utf8($0, declared: "latin1") }),
        ("shift_jis", { _ = TextEncoding.utf8($0, declared: "shift_jis") }),
        ("utf-16", { _ = TextEncoding.utf8([0xFF, 0xFE] + $0, declared: nil) }),
        ("json", { _ = try? JSONParser().withValue(of: $0) { $0.text } }),
        ("json text", { _ = try? JSONParser().withValue(of: Data("[\"".utf8) + $0 + Data("\"]".utf8)) { $0.text } }),
        ("xml", { _ = try? XMLReader.read(Data("<a>".utf8) + $0 + Data("</a>".utf8)).root.markup }),
        (
            "csv",
            { body in
                guard var reader = try? DelimitedText(body) else { return }
                while reader.next() != nil {}
            }
        ),
    ]

    private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    @Test(arguments: pieces) func aTextIsReadInLinearWork(_ piece: String) {
        for (name, read) in Self.readers {
            let work = Doubling(of: 4000, { Data(String(repeating: piece, count: $0).utf8) }, read)
            #expect(work.isLinear, "\(name) of \(piece.debugDescription): \(work)")
        }
    }
}
