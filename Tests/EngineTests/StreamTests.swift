import Foundation
import Model
import Testing

@testable import Engine

@Suite struct StreamTests {
    private static let terms = StreamTerms(
        silence: .seconds(25), batchLines: 10, batchTime: .seconds(2),
        afterBreaks: StreamTerms.Waits(first: .milliseconds(250), longest: .seconds(16), doubles: false),
        afterErrors: StreamTerms.Waits(first: .seconds(5), longest: .seconds(320), doubles: true),
        afterLimits: StreamTerms.Waits(first: .seconds(60), longest: .seconds(900), doubles: true))
    private let broken = Failure(.network, .cutShort, "the answer broke off", status: 200)

    /// A source that requests its rules, then its stream.
    private func scene(
        cost: Int = 0, limits: EngineLimits = EngineLimits(), others: [SourceSettings] = []
    ) -> EngineHarness {
        let source = EngineHarness.source("s", every: .seconds(3600))
        return EngineHarness([source] + others, limits: limits) { settings in
            var feed = ScriptedFeed(settings)
            guard settings.name == "s" else { return feed }
            feed.stream = Self.terms
            feed.first = { _ in
                [
                    FeedRequest(
                        url: "https://s.test/stream", role: "stream", cost: cost, monthlyCap: 1000, stream: Self.terms)
                ]
            }
            return feed
        }
    }

    /// Opens the requested stream, with its first keep-alive.
    @discardableResult
    private func open(_ harness: EngineHarness) throws -> FetchID {
        let order = try #require(harness.takeOrder())
        #expect(order.request.stream == Self.terms)
        harness.give(.opened(order.id, FetchFacts()))
        harness.give(.streamed(order.id, FeedAnswer(), FetchFacts(bytes: 2)))
        return order.id
    }

    private func event(_ id: String) -> Event {
        Event(provider: "p", id: id, time: EngineHarness.start, category: .message, title: id)
    }

    private func answer(_ ids: String..., cost: Int = 0) -> FeedAnswer {
        FeedAnswer(events: ids.map { event($0) }, cost: cost)
    }

    // MARK: Batches

    @Test func eachBatchIsStoredAndTheStreamStaysOpen() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        #expect(harness.records["s"]?.dueReason == .stream)
        #expect(harness.records["s"]?.lastSuccess == EngineHarness.start)
        harness.advance(.seconds(30))
        harness.give(.streamed(id, answer("1", "2"), FetchFacts(bytes: 100)))
        harness.give(.streamed(id, answer("3"), FetchFacts(bytes: 50)))
        #expect(harness.steps.compactMap { $0.answer?.events.map { $0.id } } == [[], ["1", "2"], ["3"]])
        #expect(harness.reports.count == 1, "that it is open")
        #expect(harness.cancelled == 0)
        #expect(harness.sent.count == 1)
    }

    @Test func anOpenStreamIsNotedOnceAnIntervalAndWhenSomebodyAsks() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        harness.advance(.seconds(600))
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.poll(source: "s"))
        #expect(harness.reports.map(\.result.new) == [0, 1])
        #expect(harness.reports.last?.end.dueReason == .stream)
        harness.advance(.seconds(3599))
        #expect(harness.reports.count == 2)
        harness.advance(.seconds(1))
        #expect(harness.reports.map(\.result.new) == [0, 1, 0], "each says what came since the one before")
        #expect(harness.sent.count == 1)
        #expect(harness.records["s"]?.lastSuccess == EngineHarness.start.addingTimeInterval(4200))
    }

    @Test func stateIsStoredWithItsBatch() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        var content = answer("1")
        content.state = FeedState(["seen": "1"])
        harness.give(.streamed(id, content, FetchFacts()))
        #expect(harness.records["s"]?.state == FeedState(["seen": "1"]))
        #expect(harness.records["s"]?.work == nil, "a stream leaves nothing to ask")
    }

    // MARK: Politeness

    @Test func anOpenStreamDoesNotHoldUpItsHostNorTheOthers() throws {
        let other = EngineHarness.source("o", url: "https://s.test/other", every: .seconds(60), offset: .seconds(5))
        let harness = scene(limits: EngineLimits(concurrency: 1), others: [other])
        harness.advance(.zero)
        try open(harness)
        harness.run(.seconds(120)) { .empty($0) }
        #expect(harness.sent.filter { $0.url.hasSuffix("/other") }.map(\.at) == [.seconds(5), .seconds(65)])
    }

    // MARK: Reopening

    /// Seconds between attempts of a stream that keeps breaking.
    private func waits(_ count: Int, _ failure: Failure, opens: Bool) throws -> [Double] {
        let harness = scene()
        harness.advance(.zero)
        var waits: [Double] = []
        for _ in 0..<count {
            let order = try #require(harness.takeOrder())
            if opens {
                harness.give(.opened(order.id, FetchFacts()))
                harness.give(.streamed(order.id, FeedAnswer(), FetchFacts()))
            }
            let before = harness.elapsed
            harness.give(.failed(order.id, failure, FetchFacts()))
            for _ in 0..<20_000 where harness.orders.isEmpty { harness.advance(.milliseconds(50)) }
            waits.append((harness.elapsed - before).seconds)
        }
        return waits
    }

    /// Whether the waits are at least those asked for, within the spread, the host's gap of a second and one test step.
    private func fits(_ found: [Double], _ asked: [Double]) -> Bool {
        found.count == asked.count
            && zip(found, asked).allSatisfy { found, asked in
                found >= asked && found <= max(asked * 1.2, 1) + 0.1
            }
    }

    @Test func breaksWaitLinearly() throws {
        #expect(fits(try waits(4, broken, opens: true), [0.25, 0.5, 0.75, 1]))
        let many = try waits(70, Failure(.network, .connect, "no connection"), opens: false)
        #expect(fits(Array(many.suffix(6)), [16, 16, 16, 16, 16, 16]))
    }

    @Test func errorsOfTheServerDoubleTheWait() throws {
        let unavailable = Failure(.server, "http_503", "answered 503", status: 503)
        #expect(fits(try waits(8, unavailable, opens: false), [5, 10, 20, 40, 80, 160, 320, 320]))
    }

    @Test func tooManyRequestsWaitFromAMinute() throws {
        let limited = Failure(.server, "http_429", "answered 429", status: 429)
        #expect(fits(try waits(3, limited, opens: false), [60, 120, 240]))
    }

    @Test func aTimeTheServerNamesCounts() throws {
        let limited = Failure(
            .server, "http_429", "", status: 429, retryAfter: EngineHarness.start.addingTimeInterval(500))
        let harness = scene()
        harness.advance(.zero)
        harness.give(.failed(try #require(harness.takeOrder()).id, limited, FetchFacts()))
        #expect(harness.reports.last?.end.dueReason == .retryAfter)
        harness.advance(.seconds(499))
        #expect(harness.orders.isEmpty)
        harness.advance(.seconds(2))
        #expect(harness.orders.count == 1)
    }

    @Test func aRefusalBacksOffLikeAPoll() throws {
        let harness = scene()
        harness.advance(.zero)
        let refused = Failure(.operator, "http_401", "answered 401", status: 401)
        harness.give(.failed(try #require(harness.takeOrder()).id, refused, FetchFacts()))
        let end = try #require(harness.reports.last?.end)
        #expect(end.dueReason == .backOff && end.failures == 1)
        #expect((48...72).contains(end.nextDue.timeIntervalSince(EngineHarness.start)))
    }

    @Test func aStreamThatHasSettledBeginsItsWaitsAnew() throws {
        let harness = scene()
        harness.advance(.zero)
        for _ in 0..<10 {
            let id = try open(harness)
            harness.give(.failed(id, broken, FetchFacts()))
            for _ in 0..<20_000 where harness.orders.isEmpty { harness.advance(.milliseconds(50)) }
        }
        let id = try open(harness)
        harness.advance(.seconds(61))
        harness.give(.failed(id, broken, FetchFacts()))
        let end = try #require(harness.reports.last?.end)
        let wait = end.nextDue.timeIntervalSince(harness.now.wall)
        #expect((0.249...0.301).contains(wait))
    }

    @Test func oneThatSettledAndWasGivenUpForTheDiskBeginsItsWaitsAnew() throws {
        let harness = scene()
        harness.advance(.zero)
        for _ in 0..<10 {
            harness.give(.failed(try open(harness), broken, FetchFacts()))
            for _ in 0..<20_000 where harness.orders.isEmpty { harness.advance(.milliseconds(50)) }
        }
        let id = try open(harness)
        harness.advance(.seconds(61))
        harness.storeWorks = false
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.storeWorks = true
        for _ in 0..<20_000 where harness.orders.isEmpty { harness.advance(.milliseconds(50)) }
        harness.give(.failed(try open(harness), broken, FetchFacts()))
        let end = try #require(harness.reports.last?.end)
        #expect((0.249...0.301).contains(end.nextDue.timeIntervalSince(harness.now.wall)))
    }

    @Test func aStreamThatHasEndedWhileTheMachineSleptIsNotNotedAsOpen() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        let uptime = harness.now.uptime + .seconds(4000)
        harness.now = Moment(wall: harness.now.wall(at: uptime), uptime: uptime)
        harness.give(.failed(id, broken, FetchFacts()))
        #expect(harness.records["s"]?.dueReason == .reconnect)
        #expect(harness.reports.map(\.end.dueReason) == [.stream, .reconnect])
    }

    @Test func aPollThatIsAskedForAfterTheStreamWasGivenUpDoesNotSayThatItIsOpen() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        harness.refusedSource = "s"
        harness.advance(.seconds(5))
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        #expect(harness.abandoned == ["s"])
        #expect(harness.records["s"]?.dueReason == .stream, "nothing could be written of its end")
        harness.give(.poll(source: "s"))
        #expect(harness.records["s"]?.dueReason == .reconnect)
        #expect(harness.records["s"]?.lastAttempt == harness.now.wall)
    }

    @Test func aBreakAfterALineBlamesNobodyAndOneBeforeDoes() throws {
        let harness = scene()
        harness.advance(.zero)
        harness.give(.failed(try open(harness), broken, FetchFacts()))
        let end = try #require(harness.reports.last?.end)
        #expect(end.failure == nil && end.dueReason == .reconnect)
        #expect(end.partialFailures == ["the answer broke off"])
        harness.advance(.seconds(2))
        let order = try #require(harness.takeOrder())
        harness.give(.opened(order.id, FetchFacts()))
        harness.give(.failed(order.id, Failure(.network, .stalled, "nothing came"), FetchFacts()))
        #expect(harness.reports.last?.end.failures == 1)
        harness.advance(.seconds(2))
        try open(harness)
        #expect(harness.reports.last?.recoveredAfter != nil)
    }

    @Test func aDisconnectMessageClosesTheStreamAfterItsBatch() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        var content = answer("1")
        content.closing = Failure(.server, "disconnected", "closed for operational reasons")
        harness.give(.streamed(id, content, FetchFacts()))
        #expect(harness.closed == [id])
        harness.give(.streamed(id, answer("2"), FetchFacts()))
        harness.give(.failed(id, Failure(.network, .streamEnded, "ended"), FetchFacts()))
        #expect(harness.steps.compactMap { $0.answer?.events.map { $0.id } } == [[], ["1"], ["2"]])
        #expect(harness.reports.last?.end.partialFailures == ["closed for operational reasons"])
        harness.advance(.seconds(2))
        #expect(harness.orders.count == 1)
    }

    // MARK: Restarts

    /// The stored state of a stream that was open at the end of the last run, or of an earlier one.
    @Test(arguments: [DueReason.stream, .reconnect]) func aStreamThatWasOpenIsOpenedAgainAtTheStart(reason: DueReason) {
        var record = SourceRecord(name: "s", kind: "scripted")
        record.dueReason = reason
        record.nextDue = reason == .stream ? EngineHarness.start.addingTimeInterval(3000) : nil
        let harness = EngineHarness([EngineHarness.source("s", every: .seconds(3600))], records: ["s": record])
        harness.advance(.zero)
        #expect(harness.sent.count == 1)
    }

    @Test(arguments: [DueReason.stream, .reconnect]) func aRestartKeepsItsDistanceFromTheLastAttempt(reason: DueReason)
    {
        var record = SourceRecord(name: "s", kind: "scripted")
        record.dueReason = reason
        record.nextDue = reason == .stream ? EngineHarness.start.addingTimeInterval(3000) : nil
        record.lastAttempt = EngineHarness.start.addingTimeInterval(-10)
        let harness = EngineHarness([EngineHarness.source("s", every: .seconds(3600))], records: ["s": record])
        harness.advance(.seconds(49))
        #expect(harness.sent.isEmpty)
        harness.advance(.seconds(1))
        #expect(harness.sent.count == 1)
    }

    // MARK: Stopping

    @Test func aStopClosesTheStreamAndKeepsWhatHasCome() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        harness.give(.stop)
        #expect(harness.closed == [id])
        #expect(!harness.isStopped)
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        harness.give(.failed(id, Failure(.network, .streamEnded, "ended"), FetchFacts()))
        #expect(harness.isStopped)
        #expect(harness.steps.contains { $0.answer?.events.count == 1 })
        #expect(harness.reports.last?.end.failure == nil)
    }

    @Test func aStreamThatDoesNotEndIsNotWaitedForBeyondTheGrace() throws {
        let harness = scene()
        harness.advance(.zero)
        try open(harness)
        harness.give(.stop)
        harness.advance(Engine.shutdownTimeout)
        #expect(harness.isStopped)
    }

    @Test func whileTheStoreCannotBeWrittenTheStreamIsClosed() throws {
        let harness = scene()
        harness.advance(.zero)
        let id = try open(harness)
        harness.storeWorks = false
        harness.give(.streamed(id, answer("1"), FetchFacts()))
        #expect(harness.closed == [id])
        harness.storeWorks = true
        harness.advance(.seconds(29))
        #expect(harness.orders.isEmpty)
        harness.advance(.seconds(2))
        #expect(harness.orders.count == 1)
    }

    // MARK: Paid reads

    @Test func readsAreReservedByTheBlockAndTheRestIsGivenBack() throws {
        let harness = scene(cost: 100)
        harness.advance(.zero)
        let id = try open(harness)
        #expect(harness.reservations.map(\.reads) == [100])
        harness.give(.streamed(id, answer("1", cost: 70), FetchFacts()))
        #expect(harness.reservations.count == 1)
        harness.give(.streamed(id, answer("2", cost: 15), FetchFacts()))
        #expect(harness.reservations.count == 2, "twenty, which may be on their way, are always in hand")
        #expect(harness.steps.allSatisfy { $0.settlement == nil }, "what is reserved is counted already")
        harness.give(.failed(id, broken, FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 115, used: 0))
    }

    @Test func aStreamIsReadOnOnceItsBatchIsStoredAndReadsAreReserved() throws {
        let harness = scene(cost: 100)
        harness.advance(.zero)
        let id = try open(harness)
        #expect(harness.readOn == [id])
        harness.give(.streamed(id, answer("1", cost: 85), FetchFacts()))
        #expect(harness.readOn.count == 2)
        harness.heldReservations = []
        harness.give(.streamed(id, answer("2", cost: 96), FetchFacts()))
        #expect(harness.readOn.count == 2, "the batch is stored, but more reads are not reserved yet")
        harness.give(.wrote(try #require(harness.heldReservations?.first), .reserved(.granted)))
        #expect(harness.readOn.count == 3)
        harness.storeHangs = true
        harness.give(.streamed(id, answer("3", cost: 1), FetchFacts()))
        #expect(harness.readOn.count == 3)
    }

    @Test func moreThanIsReservedIsCountedToo() throws {
        let harness = scene(cost: 100)
        harness.advance(.zero)
        let id = try open(harness)
        harness.storeHangs = true
        harness.give(.streamed(id, answer("1", cost: 90), FetchFacts()))
        harness.storeHangs = false
        harness.give(.streamed(id, answer("2", cost: 40), FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 10, used: 40))
    }

    @Test func atTheCapTheStreamIsClosedUntilTheMonthIsOver() throws {
        let harness = scene(cost: 100)
        harness.advance(.zero)
        let id = try open(harness)
        harness.grant = .capReached
        harness.give(.streamed(id, answer("1", cost: 85), FetchFacts()))
        #expect(harness.closed == [id])
        harness.give(.streamed(id, answer("2", cost: 5), FetchFacts()))
        harness.give(.failed(id, Failure(.network, .streamEnded, "ended"), FetchFacts()))
        let end = try #require(harness.reports.last?.end)
        #expect(end.failure?.code == "spend_cap")
        #expect(end.dueReason == .spendCap)
        // The harness starts at 2023-11-14T22:13:20Z.
        #expect(end.nextDue == Date(timeIntervalSince1970: 1_701_388_800), "2023-12-01T00:00:00Z")
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 10, used: 0))
        harness.grant = .granted
        harness.advance(.seconds(16 * 86_400))
        #expect(harness.sent.count == 1)
        harness.advance(.seconds(86_400))
        #expect(harness.sent.count == 2)
    }

    @Test func aStreamThatCouldNotBeOpenedCostsNothing() throws {
        let harness = scene(cost: 100)
        harness.advance(.zero)
        harness.give(
            .failed(try #require(harness.takeOrder()).id, Failure(.network, .connect, "no"), FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 100, used: 0))
    }

    @Test func theNextMonthBeginsAtMidnight() {
        func next(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds).nextMonth }
        #expect(next(1_703_980_799).rfc3339 == "2024-01-01T00:00:00Z", "from 2023-12-30T23:59:59Z")
        #expect(next(1_709_164_800).rfc3339 == "2024-03-01T00:00:00Z", "from 2024-02-29T00:00:00Z")
        #expect(next(1_709_251_200).rfc3339 == "2024-04-01T00:00:00Z", "from 2024-03-01T00:00:00Z")
    }
}
