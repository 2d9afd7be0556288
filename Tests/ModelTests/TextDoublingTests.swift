import Foundation
import Model
import Testing
import WorkCount

/// Twice the text takes at most 2.5 times the work, whatever its characters.
@Suite struct TextDoublingTests {
    /// Texts of one character each that is escaped, replaced, decomposed or kept together.
    static let worst = [
        "'", "\"", "&", "<", "\\", "\n", "\u{0}", "\u{1B}", "\u{202E}", "\u{2028}", "é", "e\u{0327}\u{0301}",
        "\u{0315}\u{0300}\u{0327}", "\u{1F468}\u{200D}", "\u{1F1E6}", "\u{1100}\u{1161}", "ß", "日", "a b ", " ",
    ]

    @Test(arguments: worst) func aTextIsShownInLinearWork(_ unit: String) {
        let writers: [(name: String, write: (String) -> String)] = [
            ("safeToShow", { $0.safeToShow }), ("safeJSON", { $0.jsonQuoted.safeJSON }),
            ("jsonQuoted", { $0.jsonQuoted }), ("percentEncoded", { $0.percentEncoded }),
            ("shellQuoted", { $0.shellQuoted }),
            ("an issue", { FeedIssue("bad", at: "x", found: $0).description }),
        ]
        for (name, write) in writers {
            let work = Doubling(of: 4000, { String(repeating: unit, count: $0) }, { _ = write($0) })
            #expect(work.isLinear, "\(name) of \(unit.debugDescription): \(work)")
        }
    }

    @Test(arguments: worst) func aTextIsSearchedForWordsInLinearWork(_ unit: String) {
        let filter = KeywordFilter(["volcan*", "new zealand", "é", "日本"])
        let work = Doubling(of: 4000, { String(repeating: unit, count: $0) }, { _ = filter.matches($0) })
        #expect(work.isLinear, "\(unit.debugDescription): \(work)")
    }

    @Test(arguments: worst + ["か\u{3099}", "\u{3099}", "日a"]) func aTextIsIndexedInLinearWork(_ unit: String) {
        let work = Doubling(of: 4000, { String(repeating: unit, count: $0) }, { _ = SearchText.indexed($0) })
        #expect(work.isLinear, "\(unit.debugDescription): \(work)")
    }

    @Test func issuesAreReportedInLinearWork() {
        let work = Doubling(of: 4000) {
            $0
        } _: { count in
            var answer = FeedAnswer()
            for number in 0..<count { answer.report(FeedIssue("reason \(number % 7)", at: "\(number)")) }
            #expect(answer.issues.count == 1000 && answer.issues.reduce(0) { $0 + $1.times } == count)
        }
        #expect(work.isLinear, "\(work)")
    }

    /// The measurement itself: a text that grows through its scalars copies all of it each time.
    @Test func quadraticWorkIsFound() {
        func copied(_ text: String) {
            var out = String.UnicodeScalarView()
            for _ in text.unicodeScalars { out.append(contentsOf: "&#39;".unicodeScalars) }
        }
        let work = Doubling(of: 4000, { String(repeating: "'", count: $0) }, copied)
        #expect(!work.isLinear, "\(work)")
    }

    @Test(arguments: [
        "Málaga, Öræfajökull 日本 ", "가나다", "\u{1EAD}\u{0323}o\u{0302}\u{0323} ", "ශ්‍රී", "א\u{05B8}\u{05BC}",
    ])
    func aLongTextIsDecomposedAsAWhole(_ unit: String) {
        let text = String(repeating: unit, count: 500)
        #expect(Array(text.decomposed.utf8) == Array(text.decomposedStringWithCanonicalMapping.utf8))
    }
}
