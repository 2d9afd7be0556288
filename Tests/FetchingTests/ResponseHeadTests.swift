import Foundation
import Testing
import WorkCount

@testable import Fetching

struct ResponseHeadTests {
    private func head(_ lines: String...) -> ResponseHead { head(lines) }

    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in ["HTTP/1.1 200 OK: fine"] + lines + [""] {
            Array((line + "\r\n").utf8).withUnsafeBytes { head.take($0) }
        }
        return head
    }

    /// The time is 22:13:20Z; the numbers are seconds until the retry.
    @Test(
        arguments: [
            (503, ["Retry-After: 120"], 120), (429, ["Retry-After: 0"], 0), (403, ["Retry-After: 999999999"], 86_400),
            (503, ["Retry-After: 99999999999999999999999999999"], 86_400),
            (503, ["Retry-After: Tue, 14 Nov 2023 22:14:20 GMT"], 60),
            // The server's clock is an hour behind, so its time is two minutes ahead.
            (503, ["Date: Tue, 14 Nov 2023 21:13:20 GMT", "Retry-After: Tue, 14 Nov 2023 21:15:20 GMT"], 120),
            // The headers are from the server and a proxy; the longest wait counts.
            (429, ["Retry-After: 3600", "Retry-After: 3600"], 3600),
            (503, ["Retry-After: 60", "Retry-After: 120"], 120),
            (503, ["Retry-After: 30", "Retry-After: Tue, 14 Nov 2023 22:14:20 GMT"], 60),
            (503, ["Retry-After: Tue Nov 14 22:14:20 2023", "Retry-After: Tuesday, 14-Nov-23 22:15:20 GMT"], 120),
            (
                503,
                [
                    "Date: Tue, 14 Nov 2023 21:13:10 GMT", "Date: Tue, 14 Nov 2023 22:13:20 GMT", "Age: 10", "Age: 60",
                    "Retry-After: Tue, 14 Nov 2023 21:14:20 GMT", "Retry-After: soon",
                ], 60
            ),
            (429, ["x-rate-limit-reset: 1700000900"], 900),
            (429, ["x-rate-limit-reset: 1700000900", "Retry-After: 5"], 5),
            (429, ["x-rate-limit-reset: 1900000000"], 86_400),
        ] as [(Int, [String], Double)])
    func retriesAreReckoned(status: Int, lines: [String], seconds: Double) {
        let retry = head(lines).retryAfter(status: status, resetHeader: "x-rate-limit-reset", now: testTime)
        #expect(retry == testTime.addingTimeInterval(seconds))
    }

    @Test(arguments: [
        (503, "Retry-After: -5"), (503, "Retry-After: soon"), (503, "Retry-After: "), (503, "Retry-After: 1.5"),
        (503, "Retry-After: Tue, 14 Nov 2023 22:00:00 GMT"), (503, "x-rate-limit-reset: 1700000900"),
        (429, "x-rate-limit-reset: 1600000000"), (429, "x-rate-limit-reset: later"),
    ])
    func unreadableAndPastRetriesAreIgnored(status: Int, line: String) {
        #expect(head(line).retryAfter(status: status, resetHeader: "x-rate-limit-reset", now: testTime) == nil)
    }

    @Test func aRateLimitIsReadFromTheHeaderThatIsNamed() {
        let limited = head("x-rate-limit-reset: 1700000900")
        #expect(limited.retryAfter(status: 429, now: testTime) == nil)
        #expect(limited.retryAfter(status: 429, resetHeader: "reset", now: testTime) == nil)
    }

    @Test func freshnessIsRead() {
        #expect(head("Cache-Control: max-age=60").maxAge == .seconds(60))
        #expect(head("cache-control: public, s-maxage=9, Max-Age=\"300\"").maxAge == .seconds(300))
        #expect(head("Cache-Control: max-age=99999999999999999999").maxAge == .seconds(31_536_000))
        #expect(head("Cache-Control: max-age=-1").maxAge == nil)
        #expect(head("Cache-Control: no-store").maxAge == nil)
        #expect(head("X: max-age=60").maxAge == nil)
    }

    /// RFC 9111 §1.2.2 wants a time beyond 2^31 s to count as at least that.
    @Test(arguments: ["9223372036854775808", "1e999", String(repeating: "9", count: 400), "18446744073709551616"])
    func hugeNumbersAreClamped(number: String) {
        let head = head(
            "Date: Tue, 14 Nov 2023 22:13:20 GMT", "Age: \(number)", "Cache-Control: max-age=\(number)",
            "Retry-After: \(number)", "x-rate-limit-reset: \(number)")
        let isNumber = number.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        #expect(head.date == testTime.addingTimeInterval(isNumber ? 1e10 : 0))
        #expect(head.maxAge == (isNumber ? .seconds(31_536_000) : nil))
        let retry = head.retryAfter(status: 429, resetHeader: "x-rate-limit-reset", now: testTime)
        #expect(retry == (isNumber ? testTime.addingTimeInterval(86_400) : nil))
    }

    @Test func linesThatAreNoHeadersDoNoHarm() {
        let found = head("no colon", " folded onto nothing", ": nameless", "A:1", "a: 2")
        #expect(found.fields["a"] == "1, 2")
        #expect(found.fields["http/1.1 200 ok"] == nil)
        #expect(found.isComplete)
    }

    @Test(arguments: [" folded onto the line before", "A: said again by a proxy"])
    func manyLinesOfOneFieldTakeLinearWork(line: String) {
        let work = Doubling(of: 2000, { ["A: first"] + [String](repeating: line, count: $0) }, { _ = head($0) })
        #expect(work.isLinear, "\(work)")
        let words = line.drop { $0 != "f" && $0 != "s" }
        #expect(head(["A: first", line, line]).fields["a"]?.hasSuffix("\(words)") == true)
    }
}
