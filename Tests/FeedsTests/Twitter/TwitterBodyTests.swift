import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct TwitterBodyTests {
    @Test func aStreamGivesEventsWithdrawalsAndTallies() throws {
        let answer = try TwitterDecoding.answer(fixture: "stream.ndjson")
        #expect(answer.events.map(\.title) == ["first line", "a v2 line", "wrapped", "last line"])
        #expect(
            answer.tallies == [
                "keep_alive": 2, "delete": 2, "limit": 1, "warning": 1, "friends": 1, "scrub_geo": 1,
                "status_withheld": 1, "user_withheld": 1, "event": 1, "for_user": 1, "disconnect": 1,
            ])
        #expect(
            answer.withdrawals == [
                Withdrawal(
                    provider: "twitter", id: "2028048347427766272", reason: .deleted, evidence: "delete message",
                    erases: true)
            ])
        #expect(answer.issues.map(\.reason) == ["not_json", "not_twitter", "not_twitter"])
        #expect(answer.issues.map(\.position) == ["line 5", "line 16", "line 18"])
        #expect(answer.issues.allSatisfy { $0.costsItem })
    }

    private static let status = #"{"id_str":"2028048850744246272","text":"TEXT","created_at":"x"}"#

    /// Documents of more than a megabyte with `count` statuses.
    private static func large(_ count: Int, from start: String, between: String, to end: String) -> Data {
        let text = String(repeating: "a long message ", count: 40)
        let one = status.split(separator: "TEXT").joined(separator: text)
        return Data((start + Array(repeating: one, count: count).joined(separator: between) + end).utf8)
    }

    @Test func largeBodiesAreReadInEveryShape() throws {
        let count = 2500
        let lines = Self.large(count, from: "", between: "\r\n", to: "\r\n")
        #expect(lines.count > TwitterBody.smallBody)
        #expect(try TwitterDecoding.answer(lines).events.count == count)
        let withBrokenStart = Self.large(count, from: "{\"id\":\n\n", between: "\n", to: "")
        let answer = try TwitterDecoding.answer(withBrokenStart)
        #expect(answer.events.count == count)
        #expect(answer.issues.filter { $0.reason == "not_json" }.map(\.position) == ["line 1"])
        #expect(answer.tallies["keep_alive"] == 1)
        let array = Self.large(count, from: "[\n", between: ",\n", to: "\n]")
        #expect(try TwitterDecoding.answer(array).events.count == count)
        let search = Self.large(count, from: "{\"statuses\":[", between: ",", to: "]}")
        #expect(try TwitterDecoding.answer(search).events.count == count)
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try TwitterDecoding.answer(Data([0xEF, 0xBB, 0xBF] + Self.status.utf8)).events.count == 1)
    }

    @Test func errorsInPlaceOfMessagesSayWhoseFaultTheyAre() throws {
        let token = TwitterDecoding.failure(
            String(decoding: try Fixtures.data("twitter/errors-token.json"), as: UTF8.self))
        #expect(token?.fault == .operator)
        #expect(token?.code == "twitter_89")
        let rate = TwitterDecoding.failure(
            String(decoding: try Fixtures.data("twitter/errors-rate-limit.json"), as: UTF8.self))
        #expect(rate?.fault == .server)
        #expect(rate?.code == "twitter_88")
        let v2 = TwitterDecoding.failure(
            String(decoding: try Fixtures.data("twitter/v2-errors-only.json"), as: UTF8.self))
        #expect(v2?.fault == .feed)
        #expect(v2?.excerpt?.isEmpty == false)
    }

    @Test(arguments: [
        ("", "empty"), (" \r\n\r\n", "empty"), ("<!DOCTYPE html><html></html>", "html_page"),
        ("{\"statuses\":[", "not_json"),
        ("{\n \"statuses\": [\n  {\"id\": 5,\n", "not_json"), ("{\"type\":\"FeatureCollection\"}", "not_twitter"),
        ("[1,2]", "not_twitter"), ("true", "not_twitter"), ("{\"statuses\":{}}", "not_twitter"),
        ("{\"a\":1}\n{\"b\":2}\n", "not_json"),
    ])
    func bodiesWithoutMessagesFailClearly(body: String, code: String) {
        let failure = TwitterDecoding.failure(body)
        #expect(failure?.fault == .feed)
        #expect(failure?.code == code)
    }

    @Test func everyTruncationOfAPageEndsInAFailureOrInIssues() throws {
        for name in ["v2-page.json", "stream.ndjson"] {
            let whole = try Fixtures.data("twitter/" + name)
            let complete = try TwitterDecoding.answer(whole).events.count
            for length in stride(from: 0, to: whole.count, by: 37) {
                let body = Data(whole.prefix(length))
                do {
                    let answer = try TwitterDecoding.answer(body)
                    #expect(answer.events.count <= complete)
                } catch {
                    #expect((error as? Failure)?.fault == .feed)
                }
            }
        }
    }
}
