import Foundation
import Model
import Testing

@testable import Engine

/// A source with an open stream is edited, removed or reset.
@Suite struct StreamDrainingTests {
    private static let terms = StreamTerms(
        silence: .seconds(25), batchLines: 10, batchTime: .seconds(2),
        afterBreaks: StreamTerms.Waits(first: .milliseconds(250), longest: .seconds(16), doubles: false),
        afterErrors: StreamTerms.Waits(first: .seconds(5), longest: .seconds(320), doubles: true),
        afterLimits: StreamTerms.Waits(first: .seconds(60), longest: .seconds(900), doubles: true))
    private let ended = Failure(.network, .streamEnded, "the server has ended the stream")

    private static func feed(_ settings: SourceSettings) -> ScriptedFeed {
        var feed = ScriptedFeed(settings)
        guard settings.name == "s" else { return feed }
        feed.stream = terms
        feed.first = { _ in
            [
                FeedRequest(
                    url: "https://s.test/stream", role: "stream", cost: 100, monthlyCap: 1000, stream: Self.terms)
            ]
        }
        return feed
    }

    /// A source with a stream to be opened four minutes after a start, and a polled one.
    private static let settings = [
        EngineHarness.source("s", every: .seconds(3600), offset: .seconds(240)),
        EngineHarness.source("o", every: .seconds(86_400)),
    ]

    /// A scene whose stream has been open for half a minute, with its first keep-alive.
    private func scene() throws -> (harness: EngineHarness, id: FetchID) {
        let (harness, id) = try opening()
        harness.give(.opened(id, FetchFacts()))
        harness.give(.streamed(id, FeedAnswer(), FetchFacts(bytes: 2)))
        harness.advance(.seconds(30))
        return (harness, id)
    }

    /// A scene whose stream was requested.
    private func opening() throws -> (harness: EngineHarness, id: FetchID) {
        let harness = EngineHarness(Self.settings, feed: Self.feed)
        harness.run(.seconds(240)) { .empty($0) }
        harness.reports = []
        harness.steps = []
        return (harness, try #require(harness.takeOrder()).id)
    }

    /// Edits the source with the stream.
    private func edit(_ harness: EngineHarness) {
        var settings = Self.settings
        settings[0].refreshInterval = .seconds(1800)
        harness.configure(settings, feed: Self.feed)
    }

    private func answer(_ id: String) -> FeedAnswer {
        let event = Event(provider: "p", id: id, time: EngineHarness.start, category: .message, title: id)
        return FeedAnswer(events: [event], cost: 1)
    }

    // MARK: Edits

    @Test func anEditKeepsWhatHasComeAndOpensTheStreamAgainAtOnce() throws {
        let (harness, id) = try scene()
        edit(harness)
        #expect(harness.closed == [id])
        #expect(harness.configured.isEmpty, "what the stream brings is of the settings before")
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.steps.compactMap { $0.answer?.events.first?.id } == ["1"])
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 99, used: 0))
        let end = try #require(harness.reports.last?.end)
        #expect(end.failure == nil && end.partialFailures.isEmpty && end.dueReason == .reconnect)
        #expect(harness.configured.map(\.changed) == [["s"]])
        let order = try #require(harness.takeOrder())
        #expect(order.request.stream == Self.terms)
        #expect(harness.sent.last?.at == .seconds(270))
        #expect(harness.reservations.map(\.reads) == [100, 100])
        harness.give(.opened(order.id, FetchFacts()))
        harness.give(.streamed(order.id, FeedAnswer(), FetchFacts()))
        #expect(harness.steps.last?.end?.nextDue == harness.now.wall.addingTimeInterval(1800), "by its new interval")
    }

    @Test func aStreamThatDoesNotEndHoldsAnEditUpForHalfASecond() throws {
        let (harness, id) = try scene()
        edit(harness)
        harness.advance(.milliseconds(499))
        #expect(harness.configured.isEmpty)
        harness.advance(.milliseconds(1))
        #expect(harness.configured.count == 1)
        #expect(harness.abandoned.isEmpty, "whoever waits hears of the one that follows")
        #expect(harness.orders.count == 1)
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        #expect(!harness.steps.contains { $0.answer?.events.isEmpty == false }, "it is too late for that")
        #expect(harness.orders.count == 1)
    }

    @Test func aStreamThatIsBeingOpenedCostsNothing() throws {
        let (harness, id) = try opening()
        edit(harness)
        #expect(harness.closed == [id])
        #expect(harness.givenBack == [100] && harness.steps.isEmpty)
        #expect(harness.reports.isEmpty && harness.configured.count == 1)
        harness.advance(.seconds(1))
        #expect(harness.orders.count == 1, "after the gap of its host")
    }

    @Test(arguments: [false, true])
    func whoeverWaitsForAStreamThatIsBeingOpenedHearsOfTheOneThatFollows(hasHead: Bool) throws {
        let (harness, id) = try opening()
        if hasHead { harness.give(.opened(id, FetchFacts())) }
        harness.give(.poll(source: "s"))
        edit(harness)
        if hasHead { harness.give(.failed(id, ended, FetchFacts())) }
        #expect(harness.configured.count == 1)
        #expect(harness.abandoned.isEmpty && harness.reports.isEmpty)
        harness.advance(.seconds(1))
        let next = try #require(harness.takeOrder()).id
        harness.give(.opened(next, FetchFacts()))
        harness.give(.streamed(next, FeedAnswer(), FetchFacts(bytes: 2)))
        #expect(harness.abandoned.isEmpty)
        #expect(harness.reports.map(\.end.dueReason) == [.stream])
    }

    @Test func whoeverWaitsForAStreamThatIsNotWantedAnyMoreIsTold() throws {
        let (harness, _) = try opening()
        harness.configure([Self.settings[1]], feed: Self.feed)
        #expect(harness.configured.count == 1)
        #expect(harness.abandoned == ["s"])
        harness.advance(.seconds(60))
        #expect(harness.orders.isEmpty)
    }

    @Test func whatTheProviderWantsAfterAFaultHolds() throws {
        let (harness, id) = try scene()
        var content = answer("1")
        content.closing = Failure(.server, "disconnected", "closed for operational reasons")
        harness.give(.streamed(id, content, FetchFacts()))
        edit(harness)
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.configured.count == 1)
        #expect(harness.reports.last?.end.partialFailures == ["closed for operational reasons"])
        harness.advance(.milliseconds(240))
        #expect(harness.orders.isEmpty)
        harness.advance(.milliseconds(70))
        #expect(harness.orders.count == 1)
    }

    @Test(arguments: [false, true]) func aSourceThatIsNotWantedAnyMoreKeepsWhatHasCome(isRemoved: Bool) throws {
        let (harness, id) = try scene()
        var settings = Self.settings
        if isRemoved { settings.removeFirst() } else { settings[0].isEnabled = false }
        harness.configure(settings, feed: Self.feed)
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.steps.compactMap { $0.answer?.events.first?.id } == ["1"])
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 99, used: 0))
        #expect(harness.configured.count == 1)
        harness.advance(.seconds(7200))
        #expect(harness.orders.isEmpty)
    }

    @Test func anEditOfAnotherSourceLeavesTheStreamAlone() throws {
        let (harness, id) = try scene()
        var settings = Self.settings
        settings[1].refreshInterval = .seconds(43_200)
        harness.configure(settings, feed: Self.feed)
        #expect(harness.configured.map(\.changed) == [["o"]])
        #expect(harness.closed.isEmpty)
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        #expect(harness.steps.compactMap { $0.answer?.events.first?.id } == ["1"])
    }

    @Test func aStopWhileAStreamIsLeftEndsInTime() throws {
        let (harness, _) = try scene()
        edit(harness)
        harness.give(.stop)
        harness.advance(.seconds(1))
        #expect(harness.isStopped)
    }

    // MARK: Resets

    @Test func aResetKeepsWhatHasComeAndOpensTheStreamSoonAgain() throws {
        let (harness, id) = try scene()
        harness.give(.abandon(source: "s"))
        #expect(harness.closed == [id])
        #expect(harness.readyForReset.isEmpty && harness.reports.count == 1, "it still writes")
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.reports.count == 2 && harness.reports.last?.end.failure == nil)
        #expect(harness.readyForReset == ["s"] && harness.abandoned.isEmpty)
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 99, used: 0))
        harness.advance(.seconds(6))
        #expect(harness.orders.isEmpty, "the reset comes first")
        harness.give(.resetDone(source: "s"))
        #expect(harness.orders.count == 1)
    }

    @Test func aResetDoesNotWaitForAStreamThatDoesNotEnd() throws {
        let (harness, _) = try scene()
        harness.give(.abandon(source: "s"))
        harness.advance(.milliseconds(499))
        #expect(harness.readyForReset.isEmpty)
        harness.advance(.milliseconds(1))
        #expect(harness.abandoned == ["s"] && harness.readyForReset == ["s"])
    }

    @Test func thatAStreamIsOpenDoesNotLetAResetBegin() throws {
        let (harness, _) = try scene()
        func handle(_ input: Input) -> [Effect] { harness.engine.handle(input, at: harness.now) }
        let notes: [WriteID] = handle(.poll(source: "s")).compactMap {
            if case .write(let id, _) = $0 { id } else { nil }
        }
        let note = try #require(notes.first)
        _ = handle(.abandon(source: "s"))
        #expect(handle(.wrote(note, .stepped(StepResult()))).isEmpty)
    }

    // MARK: Unproven streams

    @Test(arguments: [Input.stop, .abandon(source: "s")])
    func aStreamThatHasBroughtNothingYetIsNoSuccessWhenItIsClosed(by input: Input) throws {
        let (harness, id) = try opening()
        harness.give(.opened(id, FetchFacts()))
        harness.give(input)
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.reports.isEmpty)
        #expect(harness.records["s"]?.lastSuccess == nil)
        #expect(harness.givenBack == [100] && harness.steps.isEmpty)
        #expect(harness.abandoned == ["s"])
    }

    @Test func readsThatAreGrantedAfterTheEndAreGivenBack() throws {
        let (harness, id) = try scene()
        func writes(_ input: Input) -> [(id: WriteID, content: StoreWrite)] {
            harness.engine.handle(input, at: harness.now).compactMap {
                if case .write(let id, let content) = $0 { (id, content) } else { nil }
            }
        }
        var content = answer("1")
        content.cost = 85
        let reservation = try #require(writes(.streamed(id, content, FetchFacts())).last)
        guard case .reserve = reservation.content else {
            Issue.record("\(reservation)")
            return
        }
        _ = writes(.failed(id, ended, FetchFacts()))
        let last = try #require(writes(.wrote(reservation.id, .reserved(.granted))).last)
        guard case .giveBack(let given) = last.content else {
            Issue.record("\(last)")
            return
        }
        #expect(given.reads == 100)
    }

    // MARK: Unrecognized lines

    private static var page: FeedAnswer {
        var answer = FeedAnswer()
        answer.unrecognized = Failure(.feed, "html_page", "found an HTML page in place of JSON")
        return answer
    }

    @Test func whatIsNotTheProvidersIsAFailureThatBacksOff() throws {
        let harness = EngineHarness(Self.settings, feed: Self.feed)
        harness.run(.seconds(240)) { .empty($0) }
        for failures in 1...3 {
            let order = try #require(harness.takeOrder())
            harness.give(.opened(order.id, FetchFacts()))
            harness.give(.streamed(order.id, Self.page, FetchFacts()))
            #expect(harness.closed.last == order.id)
            harness.give(.failed(order.id, ended, FetchFacts()))
            let end = try #require(harness.reports.last?.end)
            #expect(end.failure?.code == "html_page" && end.failures == failures)
            #expect(end.dueReason == .backOff)
            let least = 48.0 * Double(1 << (failures - 1))
            #expect((least...least * 1.5).contains(end.nextDue.timeIntervalSince(harness.now.wall)))
            harness.advance(.seconds(300))
        }
        #expect(harness.records["s"]?.lastSuccess == nil)
    }

    @Test func keepAlivesDoNotExcuseAPage() throws {
        let (harness, id) = try scene()
        harness.give(.streamed(id, Self.page, FetchFacts()))
        #expect(harness.closed == [id])
        harness.give(.failed(id, ended, FetchFacts()))
        #expect(harness.reports.last?.end.failure?.code == "html_page")
    }

    @Test func afterAMessageALineThatIsNoneCostsItselfAlone() throws {
        let (harness, id) = try scene()
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.streamed(id, Self.page, FetchFacts()))
        #expect(harness.closed.isEmpty)
    }
}
