import Foundation
import Model
import Testing

@testable import Engine

/// Parts of a source that bring nothing although its polls succeed.
@Suite struct ShortfallTests {
    private let busy = Failure(.server, "http_503", "a.test answered 503", status: 503)
    private let missing = Failure(.server, "http_404", "a.test answered 404", status: 404)
    private let event = Event(provider: "p", id: "1", category: .news, title: "t")

    private func documents(_ count: Int) -> [FeedRequest] {
        (1...count).map {
            FeedRequest(
                url: "https://a.test/d\($0)?key=1", role: "document", isEssential: false, maximumTries: 1)
        }
    }

    private func parts(_ harness: EngineHarness) -> [String] {
        harness.records["a"]?.shortfalls.map(\.part) ?? []
    }

    @Test func anIndexOfWhichNoDocumentComesIsToldOnceAndWhenItIsOver() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        var works = false
        func answer(_ order: FetchOrder) -> Input {
            guard order.url.contains("/d") else {
                return .answered(order.id, FeedAnswer(followUps: documents(3)), FetchFacts())
            }
            return works ? .empty(order) : .failed(order.id, busy, FetchFacts())
        }
        harness.run(.seconds(100)) { answer($0) }
        let words = "3 documents: a.test answered 503 (the first: https://a.test/d1)"
        #expect(harness.reports.first?.end.partialFailures == [words])
        #expect(parts(harness) == ["documents"])
        #expect(harness.reports.allSatisfy { $0.toldShortfalls.isEmpty }, "it may pass")
        let since = harness.records["a"]?.shortfalls.first?.since
        harness.run(.seconds(1500)) { answer($0) }
        #expect(harness.reports.allSatisfy { $0.end.failure == nil }, "the index is read")
        let told = harness.reports.flatMap(\.toldShortfalls)
        #expect(told.map(\.part) == ["documents"] && told.map(\.words) == [words])
        #expect(told.first?.since == since)
        #expect(harness.reports.allSatisfy { $0.mended.isEmpty })
        works = true
        harness.run(.seconds(300)) { answer($0) }
        #expect(harness.reports.flatMap(\.mended).map(\.part) == ["documents"])
        #expect(parts(harness).isEmpty)
    }

    @Test func documentsThatWereGivenUpStayMissingWhileTheIndexIsUnchanged() {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.run(.seconds(30)) { order in
            order.url.contains("/d")
                ? .failed(order.id, missing, FetchFacts())
                : .answered(order.id, FeedAnswer(followUps: documents(2)), FetchFacts())
        }
        #expect(harness.reports.first?.end.partialFailures == [], "they are issues")
        harness.run(.seconds(1500)) { .unchanged($0.id, FetchFacts()) }
        #expect(parts(harness) == ["documents"])
        #expect(
            harness.reports.flatMap(\.toldShortfalls).map(\.words)
                == ["2 documents: a.test answered 404 (the first: https://a.test/d1)"])
    }

    @Test func oneDocumentThatIsReadIsEnough() {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.run(.seconds(30)) { order in
            if order.url.contains("/d1") { return .empty(order) }
            return order.url.contains("/d")
                ? .failed(order.id, busy, FetchFacts())
                : .answered(order.id, FeedAnswer(followUps: documents(3)), FetchFacts())
        }
        #expect(harness.reports.first?.end.partialFailures.count == 1)
        #expect(parts(harness).isEmpty)
    }

    @Test func aTopicThatNeverComesIsToldAndAFailureOfAllChangesNothing() {
        let source = EngineHarness.source("a", url: "https://a.test/{topic}", topics: ["x", "y"])
        let harness = EngineHarness([source])
        harness.run(.seconds(1300)) {
            $0.url.hasSuffix("x") ? .failed($0.id, missing, FetchFacts()) : .empty($0)
        }
        let before = harness.records["a"]?.shortfalls ?? []
        #expect(before.map(\.part) == ["topic x"] && before.map(\.words) == ["x: a.test answered 404"])
        #expect(harness.reports.flatMap(\.toldShortfalls).map(\.part) == ["topic x"])
        harness.run(.seconds(300)) { .failed($0.id, busy, FetchFacts()) }
        #expect(harness.records["a"]?.failures ?? 0 > 0)
        #expect(harness.records["a"]?.shortfalls == before)
        harness.run(.seconds(900)) { .empty($0) }
        #expect(parts(harness).isEmpty)
        #expect(harness.reports.flatMap(\.mended).map(\.part) == ["topic x"])
    }

    @Test func itemsThatAreAllLostAreAShortfallAndThoseNotAskedForAreNone() {
        func parts(of issue: FeedIssue, inDocument: Bool) -> [String] {
            let harness = EngineHarness([EngineHarness.source("a")])
            harness.run(.seconds(30)) { order in
                if inDocument, !order.url.contains("/d") {
                    return .answered(order.id, FeedAnswer(followUps: documents(1)), FetchFacts())
                }
                return .answered(order.id, FeedAnswer(issues: [issue]), FetchFacts())
            }
            let found = self.parts(harness)
            harness.run(.seconds(300)) { order in
                .answered(order.id, FeedAnswer(events: [event]), FetchFacts())
            }
            #expect(self.parts(harness).isEmpty)
            return found
        }
        let lost = FeedIssue("no_id", at: "item 1", costsItem: true)
        #expect(parts(of: lost, inDocument: false) == ["items"])
        #expect(parts(of: lost, inDocument: true) == ["items"])
        let test = FeedIssue("status_test", at: "alert 1", costsItem: true)
        #expect(parts(of: test, inDocument: true) == [])
        #expect(parts(of: FeedIssue("bad_date", at: "alert 1"), inDocument: true) == [], "the item is kept")
    }

    @Test func manyDifferentFailuresAreCounted() {
        let losses = (1...12).map {
            ActivePoll.Loss(topic: "t", document: "https://a.test/\($0)", Failure(.feed, "x", "line \($0)"))
        }
        let words = ActivePoll.words(of: ActivePoll.groups(of: losses + losses.suffix(1)))
        #expect(words.count == 11)
        #expect(words.first == "t: https://a.test/1: line 1")
        #expect(words.last == "3 further failures")
    }

    @Test(arguments: [(60, 900), (3600, 3600), (604_800, 86_400)])
    func aPartIsLateAfterTheToleranceOfTheInterval(interval: Int, seconds: Int) {
        let shortfall = Shortfall(part: "documents", since: EngineHarness.start, words: "")
        #expect(shortfall.lateFrom(every: .seconds(interval)) == EngineHarness.start + Double(seconds))
    }
}
