import Foundation
import Model
import Testing

@testable import Engine

@Suite struct GeocodeSchedulerTests {
    private static let limited = Failure(
        .server, "http_429", "slow down", status: 429, retryAfter: GeocodeHarness.start.addingTimeInterval(600))
    private static let refused = Failure(.server, "http_403", "the key is refused", status: 403)

    /// MapQuest, then Nominatim, without gaps.
    private static let both = [
        GeocodeHarness.plan(.mapquest, gap: .zero), GeocodeHarness.plan(.nominatim, gap: .zero),
    ]

    private static func names(_ count: Int) -> [String] { (1...count).map { "n\($0)" } }

    private static func failing(_ notices: [GeocodeNotice]) -> [GeocodeProvider] {
        notices.compactMap { notice -> GeocodeProvider? in
            if case .providerFailing(let provider, _, _, .some(_)) = notice { provider } else { nil }
        }
    }

    // MARK: - Order

    @Test("the newest job goes first, and every eighth that is taken is the oldest")
    func order() {
        let harness = GeocodeHarness()
        harness.add(Self.names(20))
        harness.advance(.seconds(3))
        let numbers = [20, 19, 18, 17, 16, 15, 14, 1, 13, 12, 11, 10, 9, 8, 7, 2, 6, 5, 4, 3]
        #expect(harness.asked == numbers.map { "n\($0)" })
        #expect(harness.jobs.isEmpty)
    }

    @Test("no job starves, however many new ones come")
    func noneStarves() {
        let harness = GeocodeHarness()
        let old = Self.names(20)
        harness.add(old)
        var number = 0
        // Twice as many jobs arrive as can be asked. The oldest waiting job is every eighth to be taken.
        for step in 1...(20 * 8) {
            harness.advance(.milliseconds(100))
            number += 2
            harness.add(["new\(number - 1)", "new\(number)"])
            let answered = old.filter { harness.ended[$0] != nil }.count
            #expect(answered >= step / 8)
        }
        #expect(old.allSatisfy { harness.ended[$0] != nil })
    }

    @Test("there is one request under way over all services, whatever comes in meanwhile")
    func oneUnderWay() {
        let harness = GeocodeHarness(Self.both)
        harness.service = { provider, _ in provider == .mapquest ? .missing : .found }
        harness.latency = .milliseconds(700)
        harness.add(Self.names(5))
        for number in 0..<20 {
            harness.advance(.milliseconds(300))
            harness.give(.lookedUp(mayHaveAsked: true, hasFailed: false))
            harness.give(.tick)
            if number % 5 == 0 {
                harness.give(.ask(GeocodeHarness.query("person \(number)"), kept: [:], number: number))
            }
        }
        harness.advance(.seconds(30))
        #expect(harness.mostUnderWay == 1)
        #expect(harness.sent.count == 2 * (5 + 4))
        #expect(Set(harness.sent.map { "\($0.provider) \($0.text)" }).count == harness.sent.count, "none asked twice")
    }

    @Test("inputs that nobody waits for change nothing")
    func strayInputs() {
        let harness = GeocodeHarness()
        for input in [
            GeocodeInput.taken(nil), .reserved(.granted), .answered(.missing(reason: "")),
            .failed(GeocodeHarness.timeout),
            .settled, .storeFailed(reason: ""),
        ] { harness.give(input) }
        #expect(harness.sent.isEmpty)
        #expect(harness.notices.isEmpty)
        harness.add(["Lima"])
        #expect(harness.asked == ["Lima"])
    }

    // MARK: - Gaps

    @Test("requests keep the gap, counted from the start of the last one")
    func gap() {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.latency = .milliseconds(300)
        harness.add(Self.names(3))
        harness.advance(.seconds(5))
        #expect(harness.sent.map { $0.at } == [.zero, .seconds(1), .seconds(2)])
        harness.latency = .milliseconds(2500)
        harness.add(["a", "b"])
        harness.advance(.seconds(10))
        #expect(harness.sent.suffix(2).map { $0.at } == [.seconds(5), .milliseconds(7500)])
    }

    /// A first request leaves after name look-up, connection and TLS, later ones at once.
    @Test("the gap counts from when a request has left")
    func gapOfARequestThatLeavesLate() {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.latency = .milliseconds(500)
        harness.add(Self.names(2))
        harness.advance(.milliseconds(300))
        harness.give(.sent(at: harness.now.uptime))
        harness.advance(.seconds(5))
        #expect(harness.sent.map { $0.at } == [.zero, .milliseconds(1300)])
    }

    @Test("a scheduler that takes over leaves each service alone for its gap")
    func gapAfterAnotherScheduler() {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.scheduler.takeOver(at: harness.now)
        harness.add(Self.names(1))
        harness.advance(.seconds(5))
        #expect(harness.sent.map { $0.at } == [.seconds(1)])
    }

    @Test(
        "the gap is kept across a restart, and never longer when the clock has stepped",
        arguments: [(-0.04, 960), (0.0, 1000), (-3600.0, 0), (86_400.0, 1000)] as [(Double, Int64)])
    func gapAcrossRestart(last: Double, milliseconds: Int64) {
        let usage = ProviderUsage(lastRequest: GeocodeHarness.start.addingTimeInterval(last), today: 1, thisMonth: 1)
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))], usage: [.mapquest: usage])
        harness.add(["Lima"])
        harness.advance(.seconds(3))
        #expect(harness.sent.map { $0.at } == [.milliseconds(milliseconds)])
    }

    @Test("steps of the wall clock move no request")
    func wallSteps() {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.add(Self.names(4))
        harness.stepWall(by: -7200)
        harness.advance(.milliseconds(1500))
        harness.stepWall(by: 100_000)
        harness.advance(.seconds(5))
        #expect(harness.sent.map { $0.at } == [.zero, .seconds(1), .seconds(2), .seconds(3)])
    }

    // MARK: - Answers

    @Test("a kept answer settles a job without a request and without waiting for the gap")
    func keptAnswers() throws {
        let place = try #require(GeocodeHarness.place)
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(3600))])
        harness.add(["Lima"])
        harness.add(["Quito", "Bogota"], answers: [.mapquest: .found(place)])
        harness.add(["Xyzzy"], answers: [.mapquest: .missing(reason: "no match")])
        harness.advance(.seconds(1))
        #expect(harness.asked == ["Lima"])
        #expect(harness.ended.count == 4)
        #expect(harness.ended["Xyzzy"] == .unresolved)
        let kept = harness.settlements.filter { $0.fresh == nil }
        #expect(kept.count == 3)
    }

    @Test("a place carries the text that asked for it; how long an answer is kept depends on what it says")
    func settlement() throws {
        let harness = GeocodeHarness()
        harness.service = { _, text in text == "Lima" ? .found : .missing }
        harness.add(["Lima"])
        harness.advance(.seconds(1))
        harness.add(["Xyzzy"])
        harness.advance(.seconds(1))
        guard case .located(let location) = harness.ended["Lima"] else {
            Issue.record("Lima was not located")
            return
        }
        #expect(location.evidence == .place)
        let kept = harness.settlements.map { settlement in
            settlement.fresh.map { $0.expires.timeIntervalSince(settlement.at) } ?? 0
        }
        #expect(kept == [86_400, 3600])
    }

    @Test("the next service is asked when one knows no such place; when none does, the job is unresolved")
    func nextService() {
        let harness = GeocodeHarness(Self.both)
        harness.service = { provider, text in provider == .nominatim && text == "Lima" ? .found : .missing }
        harness.add(["Lima"])
        harness.add(["Xyzzy"])
        let expected = ["mapquest Lima", "nominatim Lima", "mapquest Xyzzy", "nominatim Xyzzy"]
        #expect(harness.sent.map { "\($0.provider) \($0.text)" } == expected)
        let ends = harness.settlements.map { $0.end }
        #expect(ends.count == 4)
        #expect(ends[0] == .waiting, "the first miss is kept before the second service is asked")
        #expect(ends[3] == .unresolved)
        #expect(harness.settlements[3].job.answers.count == 2, "with all that were asked")
    }

    @Test("after a change of services, what they have said before is used, and only the others are asked")
    func otherServices() throws {
        let place = try #require(GeocodeHarness.place)
        // Nominatim is new; MapQuest's misses stay valid.
        let added = GeocodeHarness(Self.both)
        added.service = { _, _ in .found }
        added.add(["Lima"], answers: [.mapquest: .missing(reason: "no match")])
        #expect(added.sent.map { $0.provider } == [.nominatim])
        // MapQuest was removed: neither its misses nor its places count.
        let replaced = GeocodeHarness([GeocodeHarness.plan(.nominatim)])
        replaced.add(["Lima"], answers: [.mapquest: .found(place)])
        #expect(replaced.sent.map { $0.provider } == [.nominatim])
        // An earlier place of the second service saves a request to the first.
        let both = GeocodeHarness(Self.both)
        both.add(["Lima"], answers: [.nominatim: .found(place)])
        #expect(both.sent.isEmpty)
        #expect(both.ended["Lima"] != nil)
        // Without services nothing is taken.
        let none = GeocodeHarness([])
        none.add(["Lima"])
        none.advance(.seconds(86_400))
        #expect(none.takes.isEmpty)
        #expect(none.scheduler.nextWake == nil)
    }

    @Test("a question waits for a service that cannot be asked, unless that one's kept answer settles it")
    func unreachableServices() throws {
        let place = try #require(GeocodeHarness.place)
        var located = place
        located.evidence = .place
        let miss = ProviderAnswer.missing(reason: "no match")
        let harness = GeocodeHarness(unreachable: [.nominatim])
        harness.service = { _, _ in .missing }
        harness.add(["Lima"])
        harness.advance(.seconds(60))
        #expect(harness.settlements.map { $0.end } == [.waiting])
        harness.add(["Quito"], answers: [.nominatim: .found(place)])
        harness.add(["Bogota"], answers: [.nominatim: miss])
        harness.advance(.seconds(60))
        #expect(harness.asked == ["Lima", "Bogota"])
        #expect(harness.ended == ["Quito": .located(located), "Bogota": .unresolved])
        harness.give(.ask(GeocodeHarness.query("Caracas"), kept: [:], number: 1))
        #expect(harness.replies[1] == [ProviderReply(provider: .mapquest, outcome: .answered(miss))])
    }

    // MARK: - Failures

    @Test("three failures in a row leave a service alone; then one probe goes out, and an answer brings it back")
    func breaker() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in .failure(GeocodeHarness.timeout) }
        harness.add(Self.names(5))
        harness.advance(.seconds(20))
        #expect(harness.asked == ["n5", "n4", "n3"], "a job that has failed lets others go first")
        harness.advance(.seconds(20))
        #expect(harness.sent.count == 4, "one probe after 24 to 36 s")
        harness.advance(.seconds(70))
        #expect(harness.sent.count == 5, "the next after twice as long")
        #expect(harness.settlements.isEmpty, "failures keep nothing")
        #expect(Self.failing(harness.notices) == [.mapquest], "said once")
        #expect(harness.ticks < 50)
        harness.service = { _, _ in .found }
        harness.advance(.seconds(400))
        #expect(harness.jobs.isEmpty)
        #expect(harness.sent.count == 10)
        #expect(harness.notices.count == 2)
        guard case .providerRecovered(.mapquest, let after, true) = harness.notices.last else {
            Issue.record("no recovery: \(harness.notices)")
            return
        }
        #expect(after > .seconds(110) && after < .seconds(260))
    }

    @Test("Retry-After is obeyed to the millisecond")
    func retryAfter() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in .failure(Self.limited) }
        harness.add(Self.names(5))
        harness.advance(.milliseconds(599_999))
        #expect(harness.sent.count == 1, "once is enough")
        harness.service = { _, _ in .found }
        harness.advance(.milliseconds(1))
        #expect(harness.sent.count == 2)
        #expect(harness.sent.last?.at == .seconds(600))
    }

    @Test("while one service is left alone the others are asked; a job that they do not know waits for it")
    func oneServiceAway() {
        let harness = GeocodeHarness(Self.both)
        harness.service = { provider, text in
            provider == .mapquest ? .failure(Self.refused) : text == "n1" ? .missing : .found
        }
        harness.add(Self.names(3))
        harness.advance(.seconds(60))
        #expect(harness.sent.filter { $0.provider == .mapquest }.count == 1)
        #expect(harness.ended.count == 2)
        #expect(harness.jobs.map { $0.query.text } == ["n1"])
        let takes = harness.takes.count
        harness.service = { _, _ in .found }
        harness.advance(.seconds(3500))
        #expect(harness.jobs.count == 1)
        #expect(harness.takes.count <= takes + 1, "nothing is looked for that cannot be had")
        harness.advance(.seconds(100))
        #expect(harness.jobs.isEmpty)
        #expect(harness.sent.filter { $0.text == "n1" }.map { $0.provider } == [.nominatim, .mapquest])
        let after = harness.notices.compactMap { notice -> Duration? in
            if case .providerRecovered(_, let after, _) = notice { after } else { nil }
        }
        #expect(after == [.seconds(3600)])
    }

    @Test("a name on which a service always fails holds up nobody, and is asked less and less often")
    func poison() {
        let harness = GeocodeHarness()
        harness.service = { _, text in text == "bad" ? .failure(GeocodeHarness.timeout) : .found }
        harness.add(Self.names(29) + ["bad"])
        harness.advance(.seconds(5))
        #expect(harness.ended.count == 29)
        #expect(harness.asked.filter { $0 == "bad" }.count == 1)
        #expect(harness.notices.isEmpty)
        harness.advance(.seconds(86_400))
        let tries = harness.asked.filter { $0 == "bad" }.count
        #expect((8...45).contains(tries), "\(tries)")
        #expect(harness.ticks < 500)
    }

    // MARK: - Quotas

    @Test("a day's quota is never passed; the scheduler looks again each hour and goes on with the next day")
    func dailyQuota() {
        let harness = GeocodeHarness([GeocodeHarness.plan(daily: 5)])
        var used: [Int64: Int] = [:]
        harness.grants = { reservation in
            let day = reservation.at.milliseconds / 86_400_000
            guard used[day, default: 0] < 5 else { return .dayIsFull }
            used[day, default: 0] += 1
            return .granted
        }
        harness.add(Self.names(20))
        harness.advance(.seconds(86_399))
        #expect(harness.sent.count == 5)
        #expect(harness.reservations.allSatisfy { $0.dailyQuota == 5 && $0.monthlyQuota == nil })
        #expect(harness.reservations.count <= 5 + 24)
        let tomorrow = GeocodeHarness.start.addingTimeInterval(86_400)
        #expect(harness.notices == [.quotaUsedUp(.mapquest, until: tomorrow)])
        harness.give(.ask(GeocodeHarness.query("Lima"), kept: [:], number: 1))
        #expect(harness.replies[1]?.first?.outcome == .notAsked(.quotaUsedUp(until: tomorrow)))
        harness.advance(.seconds(11))
        #expect(harness.sent.count == 10)
        #expect(harness.sent[5].at == .seconds(86_400))
        #expect(harness.notices.count == 2)
    }

    @Test("a source that has used up its share waits for the next day; other sources and people go on")
    func shares() {
        let harness = GeocodeHarness([GeocodeHarness.plan(daily: 10)])
        var used: [String: Int] = [:]
        harness.grants = { reservation in
            let day = "\(reservation.at.milliseconds / 86_400_000) \(reservation.source ?? "")"
            if reservation.source != nil, used[day, default: 0] >= reservation.share ?? .max { return .shareIsFull }
            used[day, default: 0] += 1
            return .granted
        }
        harness.add(["Lima", "Cusco"], of: "news")
        harness.add(Self.names(20), of: "alerts")
        harness.advance(.seconds(60))
        #expect(harness.asked.count == 7 && harness.asked.contains("Lima") && harness.asked.contains("Cusco"))
        let tomorrow = GeocodeHarness.start.addingTimeInterval(86_400)
        #expect(harness.notices == [.shareUsedUp(.mapquest, source: "alerts", until: tomorrow)])
        harness.give(.ask(GeocodeHarness.query("Quito"), kept: [:], number: 1))
        harness.add(["Arequipa"], of: "news")
        harness.advance(.seconds(1))
        #expect(harness.asked.suffix(2).sorted() == ["Arequipa", "Quito"])
        harness.advance(.seconds(86_399 - 61))
        #expect(harness.sent.count == 9)
        #expect(harness.reservations.count <= 9 + 26, "looked at each hour")
        harness.advance(.seconds(60))
        #expect(harness.sent.count == 14)
    }

    @Test("a job of a source without a share at one service is asked of the next")
    func shareOfOneService() {
        let harness = GeocodeHarness([GeocodeHarness.plan(daily: 2), GeocodeHarness.plan(.nominatim)])
        harness.grants = { $0.provider == .mapquest ? .shareIsFull : .granted }
        harness.add(Self.names(3), of: "news")
        harness.advance(.seconds(10))
        #expect(harness.sent.map(\.provider) == [.nominatim, .nominatim, .nominatim])
        #expect(harness.reservations.count { $0.provider == .mapquest } == 1)
    }

    @Test("a quota that a wrong clock has used up silences nobody for longer than an hour")
    func quotaAndWrongClock() {
        let harness = GeocodeHarness(
            [GeocodeHarness.plan(monthly: 1)], wall: GeocodeHarness.start.addingTimeInterval(3e8))
        harness.grants = { $0.at > GeocodeHarness.start.addingTimeInterval(1e8) ? .monthIsFull : .granted }
        harness.add(["Lima"])
        harness.stepWall(by: -3e8)
        harness.advance(.seconds(3600))
        #expect(harness.asked == ["Lima"])
    }

    @Test("quotas end with the day or the calendar month in UTC")
    func quotaEnds() {
        func end(_ answer: ReservationAnswer, _ seconds: Double) -> String? {
            answer.quotaEnd(after: Date(timeIntervalSince1970: seconds))?.rfc3339
        }
        #expect(end(.granted, 0) == nil)
        #expect(end(.dayIsFull, 0) == "1970-01-02T00:00:00Z")
        #expect(end(.dayIsFull, -1) == "1970-01-01T00:00:00Z")
        #expect(end(.dayIsFull, 1_772_323_199) == "2026-03-01T00:00:00Z")
        #expect(end(.monthIsFull, 1_772_323_200) == "2026-04-01T00:00:00Z")
        #expect(end(.monthIsFull, 1_798_761_599) == "2027-01-01T00:00:00Z")
    }

    // MARK: - Questions of persons

    @Test("a person's question goes before all jobs, keeps the gap, and its answer is kept")
    func personsFirst() throws {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.add(["a", "b", "c"])
        harness.advance(.milliseconds(500))
        harness.give(.ask(GeocodeHarness.query("Lima"), kept: [:], number: 7))
        harness.advance(.seconds(5))
        #expect(harness.asked == ["c", "Lima", "b", "a"])
        #expect(harness.sent.map { $0.at } == [0, 1, 2, 3].map { .seconds($0) })
        let place = try #require(GeocodeHarness.place)
        #expect(harness.replies[7] == [ProviderReply(provider: .mapquest, outcome: .answered(.found(place)))])
        #expect(harness.kept["lima||"]?.count == 1)
        #expect(harness.settlements.contains { $0.job.id == nil && $0.fresh != nil })
    }

    @Test("between two questions the queue has a turn")
    func questionsDoNotStarveTheQueue() {
        let harness = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(1))])
        harness.add(["a", "b"])
        for number in 1...3 { harness.give(.ask(GeocodeHarness.query("q\(number)"), kept: [:], number: number)) }
        harness.advance(.seconds(10))
        #expect(harness.asked == ["b", "q1", "a", "q2", "q3"])
        #expect(harness.replies.count == 3)
    }

    @Test("a person hears of each service what it says, or why it was not asked")
    func replies() throws {
        let place = try #require(GeocodeHarness.place)
        let harness = GeocodeHarness(Self.both)
        func ask(_ text: String, kept: [GeocodeProvider: ProviderAnswer] = [:]) -> [ProviderReply.Outcome] {
            harness.give(.ask(GeocodeHarness.query(text), kept: kept, number: 1))
            return harness.replies[1]?.map { $0.outcome } ?? []
        }
        let miss = ProviderAnswer.missing(reason: "no match")
        #expect(ask("a") == [.answered(.found(place)), .notAsked(.notNeeded)])
        #expect(ask("b", kept: [.mapquest: miss]) == [.kept(miss), .answered(.found(place))])
        #expect(ask("c", kept: [.nominatim: .found(place)]) == [.notAsked(.notNeeded), .kept(.found(place))])
        #expect(ask("d", kept: [.mapquest: miss, .nominatim: miss]) == [.kept(miss), .kept(miss)])
        harness.service = { provider, _ in provider == .mapquest ? .failure(Self.limited) : .missing }
        #expect(ask("e") == [.failed(Self.limited), .answered(miss)])
        let until = GeocodeHarness.start.addingTimeInterval(600)
        #expect(ask("f") == [.notAsked(.failing(until: until)), .answered(miss)])
        #expect(harness.jobs.isEmpty)
        #expect(harness.sent.count == 5)
    }

    // MARK: - The store

    @Test("an answer that cannot be stored is held and stored later; it is not asked for again")
    func settleFails() {
        let harness = GeocodeHarness()
        harness.broken = [.settle]
        harness.add(["Lima", "Quito"])
        harness.advance(.seconds(60))
        #expect(harness.asked == ["Quito"])
        harness.give(.ask(GeocodeHarness.query("Bogota"), kept: [:], number: 1))
        #expect(harness.replies[1]?.first?.outcome == .notAsked(.storeFailed(reason: "disk full")))
        harness.broken = []
        harness.advance(.seconds(60))
        #expect(harness.asked == ["Quito", "Lima"])
        #expect(harness.ended.count == 2)
        let start = GeocodeHarness.start
        #expect(
            harness.notices == [
                .storePaused(reason: "disk full", until: start.addingTimeInterval(30)),
                .storePaused(reason: "disk full", until: start.addingTimeInterval(90)), .storeResumed,
            ])
    }

    @Test("an answer that the store goes on refusing is given up after a quarter of an hour")
    func settleIsRefused() {
        let harness = GeocodeHarness()
        harness.broken = [.settle]
        harness.add(["Lima"])
        harness.advance(.seconds(1889))
        #expect(harness.sent.count == 1)
        harness.broken = []
        harness.advance(.seconds(7200))
        #expect(harness.sent.count == 2)
        #expect(harness.jobs.isEmpty)
    }

    @Test("without a reservation there is no request; pauses double from 30 s to 16 minutes")
    func reserveFails() {
        let harness = GeocodeHarness()
        harness.broken = [.reserve]
        harness.add(["Lima"])
        harness.advance(.seconds(3600))
        #expect(harness.sent.isEmpty)
        let waits = harness.notices.compactMap { notice -> Int? in
            guard case .storePaused(_, let until) = notice else { return nil }
            return Int(clamping: until.timeIntervalSince(GeocodeHarness.start))
        }
        #expect(waits == [30, 90, 210, 450, 930, 1890, 2850, 3810])
        harness.broken = []
        harness.advance(.seconds(300))
        #expect(harness.asked == ["Lima"])
        #expect(harness.notices.last == .storeResumed)
    }

    @Test("a person whose request cannot be counted is told so")
    func reserveFailsForAPerson() {
        let harness = GeocodeHarness()
        harness.broken = [.reserve]
        harness.give(.ask(GeocodeHarness.query("Lima"), kept: [:], number: 1))
        #expect(harness.replies[1]?.first?.outcome == .notAsked(.storeFailed(reason: "disk full")))
        #expect(harness.sent.isEmpty)
    }

    @Test("when jobs cannot be taken the scheduler tries again")
    func takeFails() {
        let harness = GeocodeHarness()
        harness.broken = [.take]
        harness.add(["Lima"])
        harness.broken = []
        harness.advance(.seconds(29))
        #expect(harness.sent.isEmpty)
        harness.advance(.seconds(1))
        #expect(harness.asked == ["Lima"])
    }

    // MARK: - Stopping

    @Test("after a stop no request is made; what is under way is stored first")
    func stop() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in nil }
        harness.add(["Lima", "Quito"])
        harness.give(.ask(GeocodeHarness.query("Bogota"), kept: [:], number: 1))
        harness.give(.stop)
        #expect(harness.stops == 0 && harness.cancelled == 1)
        #expect(harness.replies[1]?.first?.outcome == .notAsked(.stopping))
        harness.land(.answered(.missing(reason: "no match")))
        #expect(harness.stops == 1)
        #expect(harness.ended["Quito"] == .unresolved)
        harness.give(.lookedUp(mayHaveAsked: true, hasFailed: false))
        harness.give(.ask(GeocodeHarness.query("Bogota"), kept: [:], number: 2))
        harness.advance(.seconds(3600))
        #expect(harness.asked == ["Quito"])
        #expect(harness.stops == 1)
        #expect(harness.replies[2]?.first?.outcome == .notAsked(.stopping))
        #expect(harness.scheduler.nextWake == nil)
    }

    @Test("a request that a stop cuts short is not held against the service")
    func stopCutsShort() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in nil }
        harness.add(["Lima"])
        harness.give(.stop)
        harness.land(.failed(Failure(.operator, .cancelled, "cancelled")))
        #expect(harness.stops == 1)
        #expect(harness.notices.isEmpty)
    }

    @Test("an idle scheduler stops at once; one that holds an answer tries to store it once more")
    func stopWithTheStoreFailing() {
        let idle = GeocodeHarness()
        idle.give(.stop)
        #expect(idle.stops == 1)
        let pacing = GeocodeHarness([GeocodeHarness.plan(gap: .seconds(10))])
        pacing.add(["Lima", "Quito"])
        pacing.give(.stop)
        #expect(pacing.stops == 1)
        for isMended in [false, true] {
            let holding = GeocodeHarness()
            holding.broken = [.settle]
            holding.add(["Lima"])
            if isMended { holding.broken = [] }
            holding.give(.stop)
            #expect(holding.stops == 1)
            #expect((holding.ended["Lima"] != nil) == isMended)
        }
    }

    // MARK: - Time-outs

    @Test("a request that takes too long is cut short, and is a failure of the service")
    func timeOut() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in nil }
        harness.give(.ask(GeocodeHarness.query("Lima"), kept: [:], number: 1))
        harness.advance(.milliseconds(19_999))
        #expect(harness.cancelled == 0)
        harness.advance(.seconds(10))
        #expect(harness.cancelled == 1 && harness.replies.isEmpty, "it still has to end")
        #expect(harness.scheduler.nextWake == nil)
        harness.land(.failed(Failure(.ours, .cancelled, "the fetch was cancelled")))
        let failure = Failure(.network, .timeout, "no answer within 20s")
        #expect(harness.replies[1] == [ProviderReply(provider: .mapquest, outcome: .failed(failure))])
    }

    @Test("an answer that comes when the time is up counts")
    func lateAnswer() {
        let harness = GeocodeHarness()
        harness.service = { _, _ in nil }
        harness.add(["Lima", "Quito"])
        harness.advance(.seconds(20))
        harness.land(.answered(.missing(reason: "no match")))
        #expect(harness.ended["Quito"] == .unresolved)
        #expect(harness.asked == ["Quito", "Lima"])
        harness.advance(.milliseconds(19_999))
        #expect(harness.cancelled == 1, "the next one has its own time")
    }

    // MARK: - Look-ups

    @Test("events are looked up when some may wait, one look-up after the other")
    func lookUps() {
        let harness = GeocodeHarness()
        harness.advance(.seconds(7200))
        #expect(harness.lookUps.isEmpty, "nobody has spoken of events")
        harness.holdsLookUps = true
        for _ in 0..<3 { harness.give(.eventsWaiting) }
        #expect(harness.lookUps.count == 1)
        harness.give(.lookedUp(mayHaveAsked: false, hasFailed: false))
        #expect(harness.lookUps.map(\.reopening) == [true, false], "once more for what came meanwhile")
        harness.give(.lookedUp(mayHaveAsked: false, hasFailed: false))
        harness.advance(.seconds(3600))
        #expect(harness.lookUps.count == 2)
    }

    @Test("a look-up that has failed is repeated each minute")
    func failedLookUps() {
        let harness = GeocodeHarness()
        harness.broken = [.lookUp]
        harness.give(.eventsWaiting)
        harness.advance(.seconds(90))
        harness.broken = []
        harness.advance(.seconds(3600))
        #expect(harness.lookUps.map(\.at) == [.zero, .seconds(60), .seconds(120)])
        #expect(harness.lookUps.allSatisfy { $0.reopening }, "none has reopened questions yet")
    }

    @Test("questions are reopened each hour, by a look-up that comes then or by one of its own")
    func reopening() {
        let harness = GeocodeHarness()
        harness.give(.eventsWaiting)
        harness.advance(.seconds(3599))
        harness.give(.eventsWaiting)
        harness.advance(.seconds(1))
        harness.give(.eventsWaiting)
        harness.advance(.seconds(3659))
        #expect(harness.lookUps.map(\.reopening) == [true, false, true])
        harness.advance(.seconds(1))
        #expect(harness.lookUps.last == GeocodeHarness.LookUp(at: .seconds(7260), reopening: true))
    }

    @Test("a look-up concerns the questions only where it brings some")
    func lookUpsAndQuestions() {
        let harness = GeocodeHarness()
        harness.give(.eventsWaiting)
        #expect(harness.takes.isEmpty)
        harness.holdsLookUps = true
        harness.give(.eventsWaiting)
        harness.give(.lookedUp(mayHaveAsked: true, hasFailed: true))
        #expect(harness.takes.count == 1)
    }

    @Test("after a stop nothing is looked up")
    func stopWhileLookingUp() {
        let harness = GeocodeHarness()
        harness.holdsLookUps = true
        harness.give(.eventsWaiting)
        harness.give(.eventsWaiting)
        harness.give(.stop)
        #expect(harness.stops == 1, "no look-up is waited for")
        harness.give(.lookedUp(mayHaveAsked: true, hasFailed: false))
        #expect(harness.lookUps.count == 1 && harness.takes.isEmpty)
    }

    // MARK: - Chance

    @Test("the same seed gives the same effects, another seed other waits")
    func determinism() {
        func effects(seed: UInt64) -> [String] {
            let harness = GeocodeHarness(seed: seed)
            var number = 0
            harness.service = { _, _ in
                number += 1
                return number % 7 < 4 ? .failure(GeocodeHarness.timeout) : .found
            }
            harness.latency = .milliseconds(80)
            harness.add(Self.names(50))
            harness.advance(.seconds(7200))
            #expect(harness.jobs.isEmpty)
            return harness.effects
        }
        let first = effects(seed: 1)
        #expect(first == effects(seed: 1))
        #expect(first != effects(seed: 2))
    }
}
