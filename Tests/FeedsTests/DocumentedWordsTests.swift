import Foundation
import Model
import Testing

/// The words of failures and issues stand in the documents for users.
@Suite struct DocumentedWordsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The files with an ending in a folder and below it.
    private static func files(_ ending: String, in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }
    }

    /// The words in backticks, and what lies between them.
    private static func words(of files: [String]) throws -> Set<String> {
        try Set(files.flatMap { try text($0).split(separator: "`").map { String($0) } })
    }

    @Test func everyCodeOfAFailureIsDocumented() throws {
        let documented = try Self.words(of: ["docs/logs.md", "docs/fetching.md"])
        for code in Failure.Code.allCases { #expect(documented.contains(code.rawValue), "\(code.rawValue)") }
    }

    /// Words that the decoders and readers write out; those that are put together (`status_test`) are not looked for.
    @Test func everyWordOfAnIssueIsDocumented() throws {
        let documented = try Self.words(of: try Self.files(".md", in: "docs"))
        let calls = ["FeedIssue(", "note(", "issue(", ".feed(", "code:"]
        var words: Set<String> = []
        for file in try Self.files(".swift", in: "Sources/Feeds") + Self.files(".swift", in: "Sources/Reading") {
            let parts = try Self.text(file).split(separator: "\"", omittingEmptySubsequences: false)
            for (before, literal) in zip(parts, parts.dropFirst()) {
                guard let last = literal.utf8.last, last != UInt8(ascii: "_"),
                    literal.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
                else { continue }
                let call = before.trimmingCharacters(in: .whitespacesAndNewlines)
                if calls.contains(where: { call.hasSuffix($0) }) { words.insert(String(literal)) }
            }
        }
        #expect(words.count > 40, "\(words.sorted())")
        for word in words.sorted() { #expect(documented.contains(word), "\(word)") }
    }
}
