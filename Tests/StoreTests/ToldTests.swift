import Foundation
import Model
import SQLite
import Telling
import Testing

@testable import Store

/// Targets get what the record says, once and in order, or it is listed why not.
@Suite struct ToldTests {
    private let test: TestStore
    private var store: EventStore { test.store }

    init() throws { test = try TestStore() }

    private static func target(_ name: String = "desk", digestAfter: Int = 3) -> Target {
        var target = Target(name: name, kind: .ntfy, host: "example.org", fingerprint: "f")
        target.digestAfter = digestAfter
        return target
    }

    private static func plan(
        minimum: Double = 5, targets: [Target] = [ToldTests.target()], change: (inout Watch) -> Void = { _ in }
    ) -> TellingPlan {
        var watch = Watch(name: "big", targets: targets.map(\.name))
        watch.filter.minimumMagnitude = minimum
        change(&watch)
        return TellingPlan(watches: [watch], targets: targets)
    }

    private var plan: TellingPlan { Self.plan() }

    private func time(_ minutes: Double, isTrusted: Bool = true) -> TellingTime {
        TellingTime(wall: start + minutes * 60, isTrusted: isTrusted)
    }

    /// Begins a plan after the first poll of the sources.
    /// - Returns: By watch and target, how many events watches that begin pass over.
    @discardableResult
    private func begin(
        _ plan: TellingPlan? = nil, minute: Double = 0, polled: Bool = true
    ) throws -> [String: Int] {
        if polled {
            for source in ["quakes", "more", "news"] { try succeed(source, minute: minute) }
        }
        let plan = plan ?? self.plan
        _ = try store.tell(.begin(plan), plan, at: time(minute), composing: Self.compose)
        let fresh = try store.watchStates().filter { $0.since == time(minute).wall }
        return Dictionary(uniqueKeysWithValues: fresh.map { ("\($0.watch) \($0.target)", $0.passed["before"] ?? 0) })
    }

    /// Ends a poll of a source with success.
    private func succeed(_ source: String, minute: Double = 0) throws {
        try store.maintain {
            try $0.run(
                "UPDATE source SET last_success_ms = ? WHERE name = ?", (start + minute * 60).milliseconds, source)
        }
    }

    private func follow(_ plan: TellingPlan? = nil, minute: Double = 1) throws {
        while try !ask(.follow, plan, minute: minute).isDone {}
    }

    @discardableResult
    private func ask(
        _ task: TellingTask, _ plan: TellingPlan? = nil, minute: Double
    ) throws -> (isDone: Bool, taken: [String: Taken]) {
        switch try store.tell(task, plan ?? self.plan, at: time(minute), composing: Self.compose) {
        case .followed(let isDone, _): (isDone, [:])
        case .wrote(let taken): (true, taken)
        case .begun, .failed: (true, [:])
        }
    }

    /// The form of a message in these tests: its kind and the titles of its events.
    private static func compose(_ message: Announcement) -> Data {
        let titles = message.digest?.events.map(\.event.title) ?? [message.event?.event.title ?? message.words ?? ""]
        let magnitude = message.event?.event.magnitude.map { " \($0)" } ?? ""
        let more = message.digest.map { " \($0.count) \($0.expired)" } ?? ""
        return Data("\(message.kind.rawValue) \(titles.joined(separator: ", "))\(magnitude)\(more)".utf8)
    }

    /// Settles, and takes the next message of a target.
    private func take(
        _ plan: TellingPlan? = nil, minute: Double = 1, target: String = "desk", settling settlements: [Settlement] = []
    ) throws -> Taken {
        try #require(
            ask(.write(settling: settlements, taking: [target]), plan, minute: minute).taken[target])
    }

    private func settle(_ order: Order, _ verdict: DeliveryOutcome.Verdict, minute: Double = 1) throws {
        var outcome = DeliveryOutcome(sent: "200")
        outcome.verdict = verdict
        let settlement = Settlement(order, outcome, due: start + (minute + 1) * 60)
        try ask(.write(settling: [settlement], taking: []), minute: minute)
    }

    /// Sends all that is due, and returns the messages.
    @discardableResult
    private func deliver(_ plan: TellingPlan? = nil, minute: Double = 1, target: String = "desk") throws -> [String] {
        var letters: [String] = []
        var settlements: [Settlement] = []
        while let order = try take(plan, minute: minute, target: target, settling: settlements).order {
            letters.append(String(decoding: order.letter, as: UTF8.self))
            settlements = [Settlement(order, DeliveryOutcome(sent: "200"), due: start)]
            #expect(letters.count < 1000)
        }
        return letters
    }

    private func outcomes() throws -> [String] {
        try test.rows("SELECT outcome, reason FROM deliveries_v1 ORDER BY 1, 2").map { $0.joined(separator: " ") }
    }

    // MARK: - Course of an event

    @Test("M 5.4 → 5.5 → 5.3 → 5.8 → 4.6 → deleted is three messages")
    func course() throws {
        try begin()
        var letters: [String] = []
        for (index, magnitude) in [5.4, 5.5, 5.3, 5.8, 4.6].enumerated() {
            let minute = Double(index + 1) * 5
            try test.poll(
                [quake("us1", updated: minute, magnitude: magnitude)], at: start + minute * 60)
            try follow(minute: minute)
            letters += try deliver(minute: minute)
        }
        #expect(letters == ["announced M 5.0 - Chile 5.4", "updated M 5.0 - Chile 5.8", "ended M 5.0 - Chile 4.6"])
        let deletion = Withdrawal(
            provider: "usgs", id: "us1", takesFamily: false, reason: .deleted, time: nil, evidence: "", erases: false,
            replacements: [])
        try test.poll([], at: start + 1800, withdrawals: [deletion])
        try follow(minute: 30)
        #expect(try deliver(minute: 60) == [])
        #expect(
            try test.rows("SELECT is_ended, json_extract(told, '$[0]'), messages FROM told") == [["1", "4.6", "3"]])
        #expect(try test.value("SELECT count(DISTINCT id) FROM deliveries_v1") == "3")
    }

    @Test("an identical poll writes nothing for telling, and without changes nothing is followed")
    func quietPolls() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try deliver()
        let before = try test.writtenRows()
        #expect(try ask(.follow, minute: 2).isDone)
        #expect(try test.writtenRows() == before)
    }

    // MARK: - Silence

    @Test("the first poll of a source is passed over, also where places are found later; the next is news")
    func firstPoll() throws {
        let plan = Self.plan(change: Self.beInChile)
        try begin(plan, polled: false)
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([article("a", title: "Fire")], from: "news")
        try follow(plan)
        try succeed("quakes")
        try succeed("news")
        let waiting = try store.unlocated(limit: 10, generation: "g1")
        let place = try #require(Coordinate(latitude: -20, longitude: -70))
        _ = try store.apply(
            waiting.map { ($0, .located(Location(place, method: .gazetteer, precision: .city))) }, generation: "g1",
            at: start)
        try follow(plan)
        #expect(try deliver(plan) == [])
        #expect(try outcomes() == Array(repeating: "passed_over first_poll", count: 3))
        try test.poll([quake("us3")], at: start + 60)
        try follow(plan)
        #expect(try deliver(plan).count == 1)
    }

    private static func beInChile(_ watch: inout Watch) {
        watch.filter.minimumMagnitude = nil
        watch.filter.near = chile
    }

    private static var chile: WatchFilter.Circle? {
        Coordinate(latitude: -20, longitude: -70).map { .init(centre: $0, kilometres: 100) }
    }

    @Test("a watch begins silently with what is there, and says how much that is")
    func watchBegins() throws {
        try test.poll([quake("us1"), quake("us2", hours: -30), quake("us3", magnitude: 4)])
        let begun = try begin()
        #expect(begun == ["big desk": 1])
        try test.poll([quake("us1", updated: 5, title: "M 5.0 - North of Chile"), quake("us4")], at: start + 300)
        try follow(minute: 5)
        #expect(try deliver(minute: 5) == ["announced M 5.0 - Chile 5.0"])
        #expect(try begin(minute: 6).isEmpty, "a restart begins nothing")
    }

    @Test("a watch with other conditions begins silently again, and corrects nothing by itself")
    func watchChanges() throws {
        try begin()
        try test.poll([quake("us1"), quake("us2", magnitude: 6)])
        try test.poll([quake("us3", magnitude: 4.5)])
        try follow()
        #expect(try deliver().count == 2)
        let higher = Self.plan(minimum: 5.5)
        #expect(try begin(higher, minute: 2) == ["big desk": 0])
        try follow(higher, minute: 2)
        #expect(try deliver(higher, minute: 10) == [])
        let lower = Self.plan(minimum: 4)
        #expect(try begin(lower, minute: 11) == ["big desk": 1])
        try follow(lower, minute: 11)
        #expect(try deliver(lower, minute: 12) == [])
        try test.poll([quake("us2", updated: 700, magnitude: 6.5)], at: start + 720)
        try follow(lower, minute: 12)
        #expect(try deliver(lower, minute: 12) == ["updated M 5.0 - Chile 6.5"])
    }

    @Test("a target that a watch gets later is told nothing of what was there")
    func targetComes() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try deliver()
        let both = Self.plan(targets: [Self.target(), Self.target("other")])
        #expect(try begin(both, minute: 2) == ["big other": 1])
        try test.poll([quake("us1", updated: 200, title: "M 5.0 - Peru"), quake("us2")], at: start + 200)
        try follow(both, minute: 4)
        #expect(try deliver(both, minute: 4, target: "other").count == 1)
    }

    @Test("a watch that begins before all was followed takes nothing from the others")
    func watchBeginsBetween() throws {
        try begin()
        try test.poll([quake("us1")])
        var both = plan
        both.watches.append(Watch(name: "all", targets: ["desk"]))
        #expect(try begin(both) == ["all desk": 1, "big desk": 0])
        try test.poll([quake("us2", magnitude: 4)])
        try follow(both)
        #expect(try deliver(both) == ["announced M 5.0 - Chile 5.0", "announced M 5.0 - Chile 4.0"])
    }

    @Test("a target that is no longer configured is forgotten, with what waits for it")
    func targetGoes() throws {
        let both = Self.plan(targets: [Self.target(), Self.target("other")])
        try begin(both)
        try test.poll([quake("us1"), quake("us2")])
        try follow(both)
        #expect(try take(both, target: "other").order != nil)
        try begin(minute: 2)
        #expect(try test.rows("SELECT DISTINCT target FROM told") == [["desk"]])
        #expect(
            try test.rows("SELECT target, outcome, code, letter FROM delivery") == [
                ["other", "superseded", "unwatched", "NULL"]
            ])
        #expect(try deliver(minute: 2).count == 2)
    }

    @Test("a target that is gone is asked again once it was taken out and put back")
    func goneAndBack() throws {
        let both = Self.plan(targets: [Self.target(), Self.target("other")])
        try begin(both)
        try test.poll([quake("us1")])
        try follow(both)
        var trouble = TargetTrouble()
        trouble.isGone = true
        let order = try #require(try take(both, target: "other").order)
        var outcome = DeliveryOutcome(sent: "410")
        outcome.verdict = .gone
        let settlement = Settlement(order, outcome, due: start, trouble: trouble)
        try ask(.write(settling: [settlement], taking: []), both, minute: 1)
        #expect(try store.targetStates(at: start).map(\.trouble.isGone) == [false, true])
        try begin(minute: 2)
        #expect(try store.targetStates(at: start).map(\.target) == ["desk"])
        try begin(both, minute: 3)
        #expect(try store.targetStates(at: start).map(\.trouble.isGone) == [false, false])
    }

    @Test("corrections by hand and a new city table are no news")
    func handAndSeeding() throws {
        let plan = Self.plan(change: Self.beInChile)
        try begin(plan)
        try test.poll([article("a", title: "Fire"), article("b", title: "Rain")], from: "news")
        let found = Location(try #require(Self.chile?.centre), method: .gazetteer, precision: .city)
        let first = try store.unlocated(limit: 10, generation: "g1")
        _ = try store.apply(first.map { ($0, .unresolved(reason: "unknown")) }, generation: "g1", at: start)
        try follow(plan)
        let again = try store.unlocated(limit: 10, generation: "g2").filter { $0.title == "Fire" }
        _ = try store.apply(again.map { ($0, .located(found)) }, generation: "g2", at: start)
        let rain = try #require(try store.events(EventQuery()).first { $0.event.title == "Rain" })
        let place = PlaceCorrection.at(
            latitude: found.coordinate.latitude, longitude: found.coordinate.longitude, radius: nil, name: nil)
        _ = try store.correct(rain.publicID, place, by: "anna", at: start)
        try follow(plan)
        #expect(try deliver(plan) == [])
        #expect(try outcomes() == ["passed_over correction", "passed_over seeding"])
    }

    @Test("a reset with its events is no news when they come again")
    func reset() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        #expect(try deliver().count == 1)
        _ = try store.reset(source: "quakes", includingEvents: true, at: start + 60)
        try follow(minute: 2)
        try test.poll([quake("us1"), quake("us2")], at: start + 180)
        try follow(minute: 3)
        #expect(try deliver(minute: 10) == [])
    }

    @Test("old events and events ahead are listed, not told")
    func ages() throws {
        try begin()
        try test.poll([quake("us1", hours: -25), quake("us2", hours: 1), quake("us3")])
        try follow()
        #expect(try deliver().count == 1)
        #expect(try outcomes() == ["passed_over ahead", "passed_over too_old", "sent new"])
    }

    // MARK: - Many

    @Test("more than three announcements are one digest, whose events are corrected singly")
    func digest() throws {
        try begin()
        try test.poll((1...30).map { quake("us\($0)", magnitude: 5 + Double($0) / 100) })
        try follow()
        let letters = try deliver()
        #expect(letters.count == 1)
        #expect(letters.first?.hasSuffix(" 30 0") == true)
        #expect(try test.value("SELECT count(*) FROM deliveries_v1 WHERE outcome = 'digested'") == "30")
        try test.poll([quake("us7", updated: 5, magnitude: 6)], at: start + 300)
        try follow(minute: 5)
        #expect(try deliver(minute: 5) == ["updated M 5.0 - Chile 6.0"])
    }

    @Test("a second digest waits for the period, while corrections go")
    func digestWaits() throws {
        try begin()
        try test.poll((1...4).map { quake("us\($0)") })
        try follow()
        try deliver()
        try test.poll((5...8).map { quake("us\($0)") } + [quake("us1", updated: 5, magnitude: 6)], at: start + 300)
        try follow(minute: 5)
        let first = try take(minute: 5)
        #expect(first.order?.kind == .updated)
        try settle(try #require(first.order), .sent, minute: 5)
        let second = try take(minute: 5)
        #expect(second.order == nil && second.next == start + 11 * 60)
        #expect(try take(minute: 11).order?.kind == .digest)
    }

    @Test("a target gets no more than its pace, also after a restart and with a clock that went back")
    func pace() throws {
        var target = Self.target(digestAfter: 1000)
        (target.count, target.period) = (3, .seconds(600))
        let plan = Self.plan(targets: [target])
        try begin(plan)
        try test.poll((1...5).map { quake("us\($0)") })
        try follow(plan, minute: 0)
        #expect(try deliver(plan).count == 3)
        let held = try take(plan, minute: 2)
        #expect(held.order == nil && held.next == start + 11 * 60)
        #expect(try deliver(plan, minute: 0).count == 2, "messages that lie ahead do not count")
    }

    @Test("a target that was away for a day gets one digest of what is still so")
    func awayForADay() throws {
        try begin()
        try test.poll((1...40).map { quake("us\($0)", hours: 1) }, at: start + 3600)
        try follow(minute: 60)
        let order = try #require(try take(minute: 60).order)
        try settle(order, .unsent, minute: 60)
        try test.poll((1...6).map { quake("us\($0)", hours: 1, updated: 100, magnitude: 6) }, at: start + 7200)
        let deletions = (7...9).map {
            Withdrawal(
                provider: "usgs", id: "us\($0)", takesFamily: false, reason: .deleted, time: nil, evidence: "",
                erases: false, replacements: [])
        }
        try test.poll([], at: start + 7300, withdrawals: deletions)
        try follow(minute: 122)
        let letters = try deliver(minute: 60 * 24)
        #expect(letters.count == 1)
        #expect(letters.first?.hasSuffix(" 37 0") == true)
        #expect(try outcomes().filter { $0 == "passed_over withdrawn" }.count == 3)
    }

    @Test("what could not be sent in a day has expired, which the next digest says")
    func expiry() throws {
        try begin()
        try test.poll([quake("us1"), quake("us2")])
        try follow()
        try test.poll((3...6).map { quake("us\($0)", hours: 24) }, at: start + 24 * 3600)
        try follow(minute: 24 * 60 + 2)
        #expect(try deliver(minute: 24 * 60 + 2).map { $0.suffix(4) } == [" 4 2"])
        #expect(try outcomes().filter { $0 == "expired expired" }.count == 2)
    }

    @Test("a correction that could not be sent in a day stands as expired")
    func expiredCorrection() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try deliver()
        try test.poll([quake("us1", updated: 5, magnitude: 6)], at: start + 300)
        try follow(minute: 5)
        #expect(try deliver(minute: 25 * 60) == [])
        #expect(try outcomes() == ["expired revised", "sent new"])
        #expect(try store.targetStates(at: start + 25 * 3600).map(\.expired) == [1])
    }

    @Test("what is new goes before what has ended")
    func newsFirst() throws {
        let plan = Self.plan { $0.filter.minimumMagnitude = 5 }
        try begin(plan)
        try test.poll([quake("us1")])
        try follow(plan)
        try deliver(plan)
        try test.poll([quake("us1", updated: 5, magnitude: 4), quake("us2", magnitude: 8)], at: start + 300)
        try follow(plan, minute: 5)
        #expect(try deliver(plan, minute: 5) == ["announced M 5.0 - Chile 8.0", "ended M 5.0 - Chile 4.0"])
    }

    @Test("a correction waits two minutes from the attempt before it")
    func gapUnderWay() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let order = try #require(try take().order)
        try test.poll([quake("us1", updated: 1, magnitude: 6)], at: start + 90)
        try follow(minute: 1.5)
        try settle(order, .sent, minute: 1.6)
        #expect(try deliver(minute: 2.5) == [])
        #expect(try deliver(minute: 3.1) == ["updated M 5.0 - Chile 6.0"])
    }

    @Test("a watch's quiet hours hold messages back, but not the large ones")
    func quietHours() throws {
        // The start is midnight.
        let plan = Self.plan { $0.quiet = QuietHours(from: 22 * 60, to: 7 * 60, zone: "UTC", magnitude: 6) }
        try begin(plan)
        try test.poll([quake("us1"), quake("us2", magnitude: 6.1)])
        try follow(plan)
        #expect(try deliver(plan) == ["announced M 5.0 - Chile 6.1"])
        let held = try take(plan)
        #expect(held.order == nil && held.next == start + 7 * 3600)
        #expect(try deliver(plan, minute: 7 * 60) == ["announced M 5.0 - Chile 5.0"])
    }

    @Test("what waits is not put off by a clock that goes back half a day, quiet hours hold all the same")
    func clockGoesBack() throws {
        try begin()
        try test.poll([quake("us1", hours: 12)], at: start + 12 * 3600)
        try follow(minute: 12 * 60)
        try settle(try #require(try take(minute: 12 * 60).order), .perhaps, minute: 12 * 60)
        #expect(try take(minute: 1).order?.attempt == 2)
        let quiet = Self.plan { $0.quiet = QuietHours(from: 22 * 60, to: 7 * 60, zone: "UTC") }
        let other = try ToldTests()
        try other.begin(quiet)
        try other.test.poll([quake("us1", hours: 12)], at: start + 12 * 3600)
        try other.follow(quiet, minute: 12 * 60)
        #expect(try other.take(quiet, minute: 1).next == start + 7 * 3600)
    }

    @Test("quiet hours of a watch hold back nothing that another one tells")
    func quietBesideAnother() throws {
        var plan = Self.plan { $0.quiet = QuietHours(from: 22 * 60, to: 7 * 60, zone: "UTC") }
        var loud = Watch(name: "loud", targets: ["desk"])
        loud.filter.minimumMagnitude = 6
        plan.watches.append(loud)
        try begin(plan)
        try test.poll([quake("us1"), quake("us2", magnitude: 6.1)])
        try follow(plan)
        #expect(try deliver(plan) == ["announced M 5.0 - Chile 6.1"])
        let held = try take(plan)
        #expect(held.order == nil && held.next == start + 7 * 3600)
        try test.poll([quake("us1", updated: 5, magnitude: 6.2)], at: start + 300)
        try follow(plan, minute: 5)
        #expect(try deliver(plan, minute: 5) == ["announced M 5.0 - Chile 6.2"])
    }

    // MARK: - Attempts

    @Test("what was not answered goes again with equal bytes under its id, after a restart at once")
    func again() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let first = try #require(try take().order)
        let store = try EventStore(path: test.path)
        defer { try? store.close() }
        _ = try store.tell(.begin(plan), plan, at: time(2), composing: Self.compose)
        let write = TellingTask.write(settling: [], taking: ["desk"])
        guard case .wrote(let taken) = try store.tell(write, plan, at: time(2), composing: Self.compose) else { return }
        let second = try #require(taken["desk"]?.order)
        #expect(second.id == first.id && second.letter == first.letter && second.attempt == 2)
        #expect(try test.rows("SELECT outcome, attempts FROM deliveries_v1") == [["sending", "2"]])
    }

    @Test("what may have arrived and is no longer so is superseded by what is")
    func superseded() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let order = try #require(try take().order)
        try settle(order, .perhaps)
        try test.poll([quake("us1", updated: 5, magnitude: 6)], at: start + 300)
        try follow(minute: 5)
        let next = try #require(try take(minute: 6).order)
        #expect(next.kind == .announced && next.id != order.id)
        #expect(String(decoding: next.letter, as: UTF8.self).hasSuffix(" 6.0"))
        #expect(try outcomes() == ["sending revised", "superseded new"])
        try settle(order, .sent, minute: 7)
        try settle(next, .sent, minute: 7)
        #expect(try deliver(minute: 60) == [])
        #expect(try test.rows("SELECT is_ended, json_extract(told, '$[0]') FROM told") == [["0", "6.0"]])
    }

    @Test("a change that is not significant leaves a message without an answer as it is")
    func sameAgain() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let order = try #require(try take().order)
        try settle(order, .perhaps)
        try test.poll([quake("us1", updated: 5, magnitude: 5.1)], at: start + 300)
        try follow(minute: 5)
        #expect(try take(minute: 6).order?.id == order.id)
    }

    @Test("what did not reach the target has no id yet")
    func unsent() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try settle(try #require(try take().order), .unsent)
        #expect(try outcomes() == ["waiting new"])
        try test.poll([quake("us1", updated: 5, magnitude: 6)], at: start + 300)
        try follow(minute: 5)
        #expect(try deliver(minute: 5) == ["announced M 5.0 - Chile 6.0"])
    }

    @Test("an event that ends while its announcement is under way is ended if it was taken, else never mentioned")
    func endsMeanwhile() throws {
        for (outcome, letters) in [(DeliveryOutcome.Verdict.sent, 1), (.unsent, 0)] {
            let test = try ToldTests()
            try test.begin()
            try test.test.poll([quake("us1")])
            try test.follow()
            let order = try #require(try test.take().order)
            try test.test.poll([quake("us1", updated: 5, magnitude: 4)], at: start + 60)
            try test.follow(minute: 2)
            try test.settle(order, outcome, minute: 3)
            #expect(try test.deliver(minute: 10).count == letters)
        }
    }

    @Test("a message that is refused three times is passed over, and the others go on")
    func rejected() throws {
        try begin()
        try test.poll([quake("us1", magnitude: 6), quake("us2")])
        try follow()
        for minute in [1.0, 3, 5] {
            let order = try #require(try take(minute: minute).order)
            try settle(order, .rejected, minute: minute)
            if minute == 1 { #expect(try deliver(minute: 1.5) == ["announced M 5.0 - Chile 5.0"]) }
        }
        #expect(try deliver(minute: 10) == [])
        #expect(try outcomes() == ["rejected new", "sent new"])
        try test.poll([quake("us1", updated: 12, magnitude: 8), quake("us2")], at: start + 720)
        try follow(minute: 12)
        #expect(try deliver(minute: 12) == ["announced M 5.0 - Chile 8.0"], "another state may be taken")
    }

    @Test("a message that has expired says how its last attempt ended")
    func expiredUnderWay() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try settle(try #require(try take().order), .perhaps)
        #expect(try take(minute: 25 * 60).order == nil)
        #expect(try test.rows("SELECT outcome, code FROM deliveries_v1 WHERE id IS NOT NULL") == [["expired", "200"]])
    }

    @Test("a message that is put off or fails again and again keeps its bytes and waits, and the others go on")
    func putOff() throws {
        for verdict in [DeliveryOutcome.Verdict.deferred, .perhaps] {
            let test = try ToldTests()
            try test.begin()
            try test.test.poll([quake("us1", magnitude: 6), quake("us2")])
            try test.follow()
            var ids: Set<String> = []
            for minute in [1.0, 3, 5, 7] {
                let order = try #require(try test.take(minute: minute).order)
                ids.insert(order.id)
                try test.settle(order, verdict, minute: minute)
                if minute == 1 { #expect(try test.deliver(minute: 1.5) == ["announced M 5.0 - Chile 5.0"]) }
            }
            #expect(ids.count == 1)
            #expect(try test.outcomes() == ["sending new", "sent new"])
        }
    }

    @Test("an id that may have been seen never stands for other bytes")
    func ids() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let first = try #require(try take().order)
        try settle(first, .perhaps)
        try test.poll((2...4).map { quake("us\($0)") })
        try follow(minute: 2)
        let digest = try #require(try take(minute: 2).order)
        #expect(digest.kind == .digest)
        try settle(digest, .unsent, minute: 2)
        try test.poll((2...4).map { quake("us\($0)", updated: 3, magnitude: 4) }, at: start + 180)
        try follow(minute: 3)
        let again = try #require(try take(minute: 3).order)
        #expect(again.kind == .announced && again.id != first.id)
    }

    @Test("a message is sent again on request, with what is so now")
    func resend() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        let order = try #require(try take().order)
        try settle(order, .sent)
        #expect(try store.resend(order.id, to: "desk", at: start + 120))
        #expect(try !store.resend("vd_x", to: "desk", at: start + 120))
        #expect(try deliver(minute: 3) == ["updated M 5.0 - Chile 5.0"])
        try test.poll([quake("us1", updated: 5, magnitude: 4)], at: start + 240)
        try follow(minute: 4)
        #expect(try !store.resend(order.id, to: "desk", at: start + 241), "its end waits")
        #expect(try deliver(minute: 6) == ["ended M 5.0 - Chile 4.0"])
    }

    // MARK: - Erasure, merges, health

    private func erase(_ id: String, minute: Double) throws {
        let deletion = Withdrawal(
            provider: "usgs", id: id, takesFamily: false, reason: .deleted, time: nil, evidence: "", erases: true,
            replacements: [])
        try test.poll([], at: start + minute * 60, withdrawals: [deletion])
        try follow(minute: minute)
    }

    @Test("what a provider erases goes from messages that wait and from those under way")
    func erasure() throws {
        try begin()
        try test.poll([quake("us1", title: "secret one")])
        try follow()
        let order = try #require(try take().order)
        try settle(order, .perhaps)
        try test.poll([quake("us2", title: "secret two")])
        try follow()
        try erase("us1", minute: 2)
        try erase("us2", minute: 2)
        #expect(try test.value("SELECT count(*) FROM delivery WHERE letter IS NOT NULL") == "0")
        let letters = try deliver(minute: 3)
        #expect(letters.count == 1 && letters.first?.hasPrefix("ended") == true)
        #expect(!letters.joined().contains("secret"))
    }

    @Test("an erasure takes a digest back, whose other events wait again")
    func erasureInDigest() throws {
        try begin()
        try test.poll((1...5).map { quake("us\($0)", title: "title \($0)") })
        try follow()
        let order = try #require(try take().order)
        #expect(order.kind == .digest)
        try settle(order, .perhaps)
        try erase("us3", minute: 2)
        // The next digest waits for the period of the first.
        let letters = try deliver(minute: 3) + deliver(minute: 12)
        #expect(letters.contains { $0.hasPrefix("digest") && $0.hasSuffix(" 4 0") && !$0.contains("title 3") })
        #expect(letters.count == 2)
    }

    @Test("what was told of an event belongs to the one that it is merged into")
    func merge() throws {
        try begin()
        try test.poll([quake("us1")])
        try test.poll([quake("ci1")], from: "more")
        try follow()
        try deliver()
        try test.poll([quake("us1", aliases: ["ci1"], updated: 5)], at: start + 300)
        try follow(minute: 5)
        #expect(try deliver(minute: 60) == [])
        #expect(try test.rows("SELECT is_ended, told IS NOT NULL FROM told") == [["0", "1"]])
    }

    @Test("trouble of the program is told once and when it is mended, but not through the target that it is about")
    func health() throws {
        let targets = [Self.target(), Self.target("other")]
        let watch = Watch(name: "machine", targets: ["desk", "other"], isHealth: true)
        let plan = TellingPlan(watches: [watch], targets: targets)
        try begin(plan)
        let faults = [
            HealthFault(key: "source quakes", text: "quakes fails"),
            HealthFault(key: "target desk", text: "desk is down", target: "desk"),
        ]
        for _ in 1...3 { try ask(.health(faults), plan, minute: 1) }
        #expect(try deliver(plan) == ["announced quakes fails"])
        #expect(try deliver(plan, target: "other").sorted() == ["announced desk is down", "announced quakes fails"])
        for _ in 1...2 { try ask(.health([]), plan, minute: 3) }
        #expect(try deliver(plan, minute: 3) == ["ended quakes fails"])
        try ask(.health(faults), plan, minute: 5)
        #expect(try deliver(plan, minute: 5) == ["announced quakes fails"])
        let passing = [HealthFault(key: "disk", text: "full")]
        try ask(.health(faults + passing), plan, minute: 6)
        try ask(.health(faults), plan, minute: 7)
        #expect(try deliver(plan, minute: 8) == [], "what has passed is not mentioned")
    }

    // MARK: - Bounds and the log

    @Test("deliveries and what was told go after 90 days")
    func pruned() throws {
        try begin()
        try test.poll([quake("us1"), quake("us2", hours: -30)])
        try follow()
        try deliver()
        #expect(try test.value("SELECT count(*) FROM told") == "2")
        _ = try store.truncate(asOf: start + 91 * 86_400)
        #expect(try test.value("SELECT count(*) FROM told") == "0")
        #expect(try test.value("SELECT count(*) FROM delivery") == "0")
    }

    @Test("where changes are no longer kept, what is open is judged anew and nothing is announced")
    func logIsCut() throws {
        try begin()
        try test.poll([quake("us1")])
        try follow()
        try deliver()
        try test.poll([quake("us1", updated: 5, magnitude: 6), quake("us2")], at: start + 300)
        try store.maintain {
            try $0.run("DELETE FROM change")
            try $0.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('oldest_change', '4')")
        }
        try follow(minute: 6)
        #expect(try deliver(minute: 10) == ["updated M 5.0 - Chile 6.0"])
    }
}
