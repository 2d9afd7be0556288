import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct TwitterStreamTests {
    private static let lines = """
        {"id_str":"1","text":"one","created_at":"Tue Nov 14 22:13:20 +0000 2023","user":{"screen_name":"a"}}

        {"delete":{"status":{"id_str":"7"}}}
        {"id_str":"2","text":"two","created_at":"Tue Nov 14 22:13:21 +0000 2023","user":{"screen_name":"b"}}
        {"broken
        {"id_str":"3","text":"three","created_at":"Tue Nov 14 22:13:22 +0000 2023","user":{"screen_name":"c"}}
        """

    /// The lines are the same wherever the pieces are cut.
    @Test(arguments: [1, 7, 100, 5000]) func piecesAreReadAsTheWhole(size: Int) throws {
        let body = Data(Self.lines.utf8)
        var whole = try TwitterBody.read(body)
        let expected = whole.finish()
        var stream = try #require(TwitterStream(beginning: body))
        var answers: [FeedAnswer] = []
        for start in stride(from: 0, to: body.count, by: size) {
            answers.append(stream.feed(body[start..<min(start + size, body.count)]))
        }
        answers.append(try stream.finish())
        #expect(answers.flatMap(\.events) == expected.events)
        #expect(answers.flatMap(\.withdrawals).map(\.id) == ["7"])
        #expect(answers.flatMap(\.issues) == expected.issues)
        #expect(answers.reduce(0) { $0 + ($1.tallies["keep_alive"] ?? 0) } == 1)
    }

    @Test func aWholeDocumentIsNoStream() {
        #expect(TwitterStream(beginning: Data(#"{"statuses":[]}"#.utf8)) == nil)
        #expect(TwitterStream(beginning: Data("[\n{}\n]".utf8)) == nil)
    }

    @Test func linesWithoutAnythingFromTwitterAreRefused() throws {
        var stream = try #require(TwitterStream(beginning: Data("{\"a\":1}\n".utf8)))
        _ = stream.feed(Data("{\"a\":1}\n".utf8))
        #expect(throws: Failure.self) { _ = try stream.finish() }
    }
}
