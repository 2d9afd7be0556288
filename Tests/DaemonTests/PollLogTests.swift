import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Testing

@testable import Daemon
@testable import Engine

/// The lines of the log about parts of a source.
@Suite struct PollLogTests {
    private let start = Date(timeIntervalSince1970: 1_772_323_200)

    /// The lines at notice and above for the end of a poll.
    private func lines(
        told: [Shortfall] = [], mended: [Shortfall] = [], issues: [FeedIssue] = [], tellsFailures: Bool = true
    ) -> [String] {
        let lines = Facts<String>()
        let start = start
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.notice), now: { start }, output: { lines.append($0) })
        let log = PollLog(logger: Logger(label: "test") { _ in handler }, tellsFailures: tellsFailures)
        let end = PollEnd(failure: nil, nextDue: start + 300, dueReason: .interval, failures: 0)
        log.ended(
            PollReport(
                source: "alerts", due: start, started: start, duration: .seconds(1), result: StepResult(), bytes: 0,
                requests: 1, notModified: 0, issues: issues, end: end, recoveredAfter: nil, tellsRecovery: false,
                isNewlyOdd: false, toldShortfalls: told, mended: mended, monthlyCap: nil))
        return lines.all
    }

    @Test func aPartThatBringsNothingAndItsRecoveryAreALineEach() {
        let part = Shortfall(part: "documents", since: start - 900, words: "2 documents: a.test answered 503")
        let begun = lines(told: [part])
        #expect(begun.count == 1)
        #expect(
            begun.first?.contains(
                "notice  part of a source brings nothing source=alerts part=documents "
                    + "detail=\"2 documents: a.test answered 503\" since=2026-02-28T23:45:00.000Z") == true, "\(begun)")
        let ended = lines(mended: [part])
        #expect(ended.count == 1)
        #expect(
            ended.first?.contains("part of a source has recovered source=alerts part=documents since=2026-02-28")
                == true)
        #expect(lines(told: [part], tellsFailures: false).isEmpty)
    }

    @Test func documentsGivenUpForOneReasonAreALineWithTheirNumber() {
        func lost(_ name: Int, _ code: String, _ words: String) -> FeedIssue {
            FeedIssue("document_\(code)", at: "https://a.test/\(name).xml", found: words, costsItem: true)
        }
        let lost404 = (1...100).map { lost($0, "http_404", "a.test answered 404") }
        let odd = FeedIssue("bad_date", at: "item 1", found: "soon")
        let told = lines(issues: lost404 + [odd, lost(101, "bad_xml", "it ends in a tag")])
        #expect(told.count == 2, "\(told)")
        for part in ["document given up", "error=http_404", "url=https://a.test/1.xml", "times=100"] {
            #expect(told.first?.contains(part) == true, "\(told)")
        }
        #expect(told.last?.contains("error=bad_xml") == true && told.last?.contains("times=") == false, "\(told)")
    }

    @Test func itemsHaveALineOfTheirOwn() {
        let items = Shortfall(part: Shortfall.items, since: start - 900, words: "no_id 2")
        #expect(lines(told: [items]).isEmpty && lines(mended: [items]).isEmpty, "`source brings no event` has told it")
    }
}
