import Foundation
import Model
import Telling
import Testing

@testable import Engine

@Suite struct TellerTests {
    private static let timeout = Failure(.network, .timeout, "no answer")
    private static let noConnection = Failure(.network, .connectionRefused, "refused")

    private static func status(_ status: Int, retryAfter: Date? = nil) -> Failure {
        Failure(.server, "http_\(status)", "answered \(status)", status: status, retryAfter: retryAfter)
    }

    private func harness(
        _ targets: [Target] = [TellerHarness.target()], records: [String: TargetTrouble] = [:], seed: UInt64 = 1
    ) -> TellerHarness {
        let harness = TellerHarness(targets, records: records, seed: seed)
        harness.begin()
        return harness
    }

    /// The seconds between messages, rounded.
    private func waits(_ harness: TellerHarness) -> [Int] {
        zip(harness.sent, harness.sent.dropFirst()).map { Int(clamping: ($1.seconds - $0.seconds).rounded()) }
    }

    // MARK: - Order and writes

    @Test("what waits goes in order, one message at a time, each with one write")
    func order() {
        let harness = harness()
        let before = harness.writes
        harness.add(["a", "b", "c"])
        harness.advance(.seconds(10))
        #expect(harness.sent.map(\.id) == ["a", "b", "c"])
        #expect(harness.mostUnderWay == 1)
        #expect(harness.settled.map(\.outcome.verdict) == [.sent, .sent, .sent])
        // Takes, settles with each next take, and finds nothing more.
        #expect(harness.writes - before == 4)
        #expect(harness.teller.nextWake == nil, "it sleeps until something changes")
    }

    @Test("nothing is taken before all changes were followed")
    func storm() {
        let harness = harness()
        harness.changes = 50
        harness.add(["a"])
        harness.advance(.seconds(5))
        #expect(harness.follows >= 50)
        #expect(harness.sent.map(\.id) == ["a"])
    }

    @Test("messages wait for a backlog for half a minute at most")
    func backlog() throws {
        let harness = harness()
        harness.changes = 1_000_000
        harness.add(["a"])
        harness.advance(.seconds(40))
        let first = try #require(harness.sent.first)
        #expect(abs(first.seconds - 30) < 1)
    }

    @Test("targets do not wait for each other, the recipients of one do")
    func slots() {
        let mails = ["a@example.org", "b@example.org"].map { TellerHarness.target("mail", recipient: $0) }
        let harness = harness(mails + [TellerHarness.target()])
        harness.answer = { $0.target == "desk" ? nil : .sent }
        harness.waiting = ["mail a@example.org": ["m1"], "mail b@example.org": ["m1"]]
        harness.add(["d1"])
        harness.advance(.milliseconds(50))
        #expect(Set(harness.sent.map(\.target)) == ["desk", "mail a@example.org"])
        harness.advance(.seconds(1))
        #expect(harness.sent.map(\.target).sorted() == ["desk", "mail a@example.org", "mail b@example.org"])
    }

    // MARK: - Trouble

    @Test("an unreachable target is tried at growing intervals, and its message waits")
    func unreachable() {
        let harness = harness()
        harness.answer = { _ in .unsent(Self.noConnection) }
        harness.add(["a"])
        harness.advance(.seconds(3600))
        #expect(harness.sent.count <= 12)
        let expected = [5, 15, 60, 120, 300, 600, 900]
        for (wait, middle) in zip(waits(harness), expected) {
            #expect(Double(wait) >= Double(middle) * 0.75 && Double(wait) <= Double(middle) * 1.25 + 1)
        }
        #expect(harness.notices.count == 1)
        #expect(harness.troubles["desk"]?.failingSince != nil)
        harness.answer = { _ in .sent }
        harness.advance(.seconds(1200))
        #expect(harness.settled.last?.outcome.verdict == .sent)
        #expect(harness.notices.count == 2)
        #expect(harness.troubles["desk"] == TargetTrouble())
    }

    @Test("a message that may have arrived goes again under its id, no sooner than after a minute")
    func perhaps() throws {
        let harness = harness()
        var answers: [DeliveryOutcome] = [.perhaps(Self.timeout), .perhaps(Self.status(503)), .sent]
        harness.answer = { _ in answers.isEmpty ? .sent : answers.removeFirst() }
        harness.add(["a", "b"])
        harness.advance(.seconds(600))
        #expect(harness.sent.map(\.id) == ["a", "a", "a", "b"])
        #expect(try #require(waits(harness).first) >= 48)
    }

    @Test("a Retry-After holds for all targets of the host and for polls, and over a restart")
    func retryAfter() {
        let harness = harness([TellerHarness.target(), TellerHarness.target("other")])
        let until = TellerHarness.start + 1800
        harness.answer = { _ in
            harness.uptime < .seconds(60) ? .unsent(Self.status(429, retryAfter: until)) : .sent
        }
        harness.add(["a"])
        harness.advance(.seconds(5))
        harness.add(["b"], to: "other")
        harness.advance(.seconds(1790))
        #expect(harness.sent.map(\.id) == ["a"])
        #expect(harness.hostPauses == [until])
        #expect(harness.troubles["desk"]?.retryAfter == until)
        harness.advance(.seconds(10))
        #expect(Set(harness.sent.dropFirst().map(\.id)) == ["a", "b"])
        var record = TargetTrouble()
        record.retryAfter = TellerHarness.start + 1800
        let later = self.harness(records: ["desk": record])
        later.add(["c"])
        later.advance(.seconds(1790))
        #expect(later.sent.isEmpty)
        later.advance(.seconds(20))
        #expect(later.sent.count == 1)
    }

    @Test("a pause that polls were asked for holds for targets of the host")
    func pausedByPolls() {
        let harness = harness()
        harness.advance(.seconds(1))
        harness.give(.paused(host: "example.org", until: TellerHarness.start + 300))
        harness.add(["a"])
        harness.advance(.seconds(290))
        #expect(harness.sent.isEmpty)
        harness.advance(.seconds(10))
        #expect(harness.sent.count == 1)
    }

    @Test("a pause that comes while a message is under way holds, whatever is answered")
    func pausedMeanwhile() {
        for outcome in [DeliveryOutcome.sent, .perhaps(Self.timeout)] {
            let harness = harness()
            harness.answer = { _ in outcome }
            harness.add(["a", "b"])
            harness.advance(.milliseconds(50))
            harness.give(.paused(host: "example.org", until: TellerHarness.start + 300))
            harness.advance(.seconds(290))
            #expect(harness.sent.map(\.id) == ["a"])
            harness.advance(.seconds(20))
            #expect(harness.sent.count == 2)
        }
    }

    @Test("a refusal stops a target for an hour")
    func refused() {
        let harness = harness()
        harness.answer = { _ in .refused(Self.status(401)) }
        harness.add(["a", "b"])
        harness.advance(.seconds(2800))
        #expect(harness.sent.count == 1)
        harness.answer = { _ in .sent }
        harness.advance(.seconds(1600))
        #expect(harness.sent.map(\.id) == ["a", "a", "b"])
    }

    @Test("a rejected message leaves after three tries, and does not hold up the target")
    func rejected() {
        let harness = harness()
        harness.answer = { $0.id == "bad" ? .rejected(Self.status(422)) : .sent }
        harness.add(["bad"])
        harness.advance(.seconds(600))
        #expect(harness.sent.map(\.id) == ["bad", "bad", "bad"])
        #expect(harness.troubles["desk"] == TargetTrouble())
        harness.add(["good"])
        harness.advance(.seconds(1))
        #expect(harness.sent.last?.id == "good")
    }

    @Test("a recipient that is put off holds up no other, and is tried again at growing intervals")
    func deferred() {
        let mails = ["a@example.org", "b@example.org"].map { TellerHarness.target("mail", recipient: $0) }
        let harness = harness(mails)
        harness.answer = { $0.target.hasSuffix("a@example.org") ? .deferred(Self.status(451)) : .sent }
        harness.add(["m1"], to: "mail a@example.org")
        harness.advance(.seconds(1))
        harness.add(["m2"], to: "mail b@example.org")
        harness.advance(.seconds(1))
        #expect(harness.sent.map(\.id) == ["m1", "m2"])
        harness.advance(.seconds(3600))
        let tries = harness.sent.filter { $0.id == "m1" }.count
        #expect(tries >= 8 && tries <= 14)
        #expect(harness.notices.isEmpty)
        #expect(harness.troubles["mail"] == TargetTrouble())
    }

    @Test("a message that fails three times makes way for others")
    func poison() {
        let harness = harness()
        harness.answer = { _ in .perhaps(Self.status(500)) }
        harness.add(["a"])
        harness.advance(.seconds(1200))
        let waits = zip(harness.sent, harness.settled).map { sent, settled in
            settled.due.timeIntervalSince(TellerHarness.start) - sent.seconds
        }
        #expect(waits.count >= 4)
        #expect(waits.prefix(2).allSatisfy { $0 < 80 })
        #expect(waits.dropFirst(2).allSatisfy { $0 >= 180 })
    }

    @Test("a target that is gone gets nothing until its address is another one")
    func gone() {
        let harness = harness()
        harness.answer = { _ in .gone(Self.status(410)) }
        harness.add(["a"])
        harness.advance(.seconds(86_400))
        #expect(harness.sent.count == 1)
        #expect(harness.troubles["desk"]?.isGone == true)
        harness.answer = { _ in .sent }
        var plan = harness.plan
        harness.give(.configure(plan))
        harness.advance(.seconds(10))
        #expect(harness.sent.count == 1, "the same address is as gone as before")
        plan.targets[0].fingerprint = "other"
        harness.give(.configure(plan))
        harness.advance(.seconds(10))
        #expect(harness.sent.count == 2)
    }

    @Test("a target that takes a person's test gets at once what waits")
    func tried() {
        let harness = harness()
        harness.answer = { _ in .refused(Self.status(401)) }
        harness.add(["a"])
        harness.advance(.seconds(600))
        #expect(harness.sent.count == 1)
        harness.answer = { _ in .sent }
        harness.give(.tried(target: "desk"))
        harness.advance(.seconds(1))
        #expect(harness.sent.count == 2)
        #expect(harness.troubles["desk"] == TargetTrouble())
    }

    @Test("a secret that cannot be read is looked for again soon")
    func secrets() {
        #expect(DeliveryOutcome(Failure(.operator, .secret, "no file"), of: .webhook).verdict == .unsent)
    }

    @Test(
        "answers have their meaning by a table",
        arguments: [
            (429, "unsent"), (425, "unsent"), (408, "perhaps"), (500, "perhaps"), (503, "perhaps"), (307, "refused"),
            (401, "refused"), (403, "refused"), (404, "refused"), (400, "rejected"), (413, "rejected"),
            (422, "rejected"), (410, "gone"),
        ])
    func table(status: Int, word: String) {
        #expect("\(DeliveryOutcome(Self.status(status), of: .webhook).verdict)" == word)
    }

    @Test("mail has its own answers")
    func mail() {
        func word(_ failure: Failure) -> String { "\(DeliveryOutcome(failure, of: .mail).verdict)" }
        #expect(word(Self.status(451)) == "deferred")
        #expect(word(Failure(.network, "smtp_421", "busy", status: 421)) == "perhaps")
        #expect(word(Self.status(550)).hasPrefix("rejected"))
        #expect(word(Failure(.operator, "smtp_535", "login", status: 535)).hasPrefix("refused"))
        #expect(word(Self.timeout).hasPrefix("perhaps"))
        #expect(word(Self.noConnection).hasPrefix("unsent"))
    }

    // MARK: - Store, clock, stop

    @Test("while the store fails nothing is sent, and what was answered is settled afterwards")
    func storeFails() {
        let harness = harness()
        harness.add(["a", "b"])
        harness.advance(.milliseconds(50))
        harness.storeFails = true
        harness.advance(.seconds(300))
        #expect(harness.sent.map(\.id) == ["a"])
        #expect(harness.settled.isEmpty)
        harness.storeFails = false
        harness.advance(.seconds(1000))
        #expect(harness.sent.map(\.id) == ["a", "b"])
        #expect(harness.settled.map(\.outcome.verdict) == [.sent, .sent])
        #expect(harness.notices.last == .storeResumed)
    }

    @Test("a step of the wall clock puts nothing off and loses nothing")
    func clockSteps() {
        for seconds in [-46 * 86_400, 46 * 86_400] as [Double] {
            let harness = harness()
            harness.answer = { _ in harness.uptime < .seconds(3) ? .perhaps(Self.timeout) : .sent }
            harness.add(["a"])
            harness.advance(.seconds(2))
            harness.step(by: seconds)
            harness.advance(.seconds(46 * 86_400 + 1000))
            #expect(harness.settled.last?.outcome.verdict == .sent)
            #expect(harness.sent.count >= 2)
        }
    }

    @Test("the stop waits for messages under way, then cancels them, and settles both")
    func stops() {
        let quick = harness()
        quick.add(["a", "b"])
        quick.advance(.milliseconds(50))
        quick.give(.stop)
        quick.advance(.seconds(1))
        #expect(quick.isStopped)
        #expect(quick.sent.map(\.id) == ["a"])
        #expect(quick.settled.count == 1)
        let slow = harness()
        slow.answer = { _ in nil }
        slow.add(["a"])
        slow.advance(.milliseconds(50))
        slow.give(.stop)
        slow.advance(.seconds(2))
        #expect(!slow.isStopped)
        slow.advance(.seconds(2))
        #expect(slow.cancelled == ["desk"])
        #expect(slow.settled.map(\.outcome.verdict) == [.perhaps])
        #expect(slow.isStopped)
    }

    @Test("a stop with a failing store ends")
    func stopsWithoutStore() {
        let harness = harness()
        harness.add(["a"])
        harness.storeFails = true
        harness.advance(.seconds(1))
        harness.give(.stop)
        harness.advance(.seconds(5))
        #expect(harness.isStopped)
    }

    @Test("inputs that nobody waits for change nothing, and nothing is done without a plan")
    func strayInputs() {
        let harness = TellerHarness()
        for input in [
            TellerInput.tick, .committed, .stored(.followed(isDone: false, news: [])), .stored(.wrote([:])),
            .stored(.begun([:])), .stored(.failed(reason: "")), .answered(target: "desk", id: "x", .sent), .health([]),
            .trusts(false),
            .paused(host: "x", until: TellerHarness.start),
        ] { harness.give(input) }
        harness.advance(.seconds(3600))
        #expect(harness.writes == 0 && harness.follows == 0)
        #expect(harness.teller.nextWake == nil)
    }

    @Test("the same seed gives the same course")
    func determinism() {
        func course(_ seed: UInt64) -> [Double] {
            let harness = harness(seed: seed)
            harness.answer = { _ in .unsent(Self.noConnection) }
            harness.add(["a"])
            harness.advance(.seconds(7200))
            return harness.sent.map(\.seconds)
        }
        #expect(course(1) == course(1))
        #expect(course(1) != course(2))
    }
}
