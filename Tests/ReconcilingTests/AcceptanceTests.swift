import Model
import Reconciling
import Testing

/// Whether a new event is stored, and whether it is born withdrawn.
@Suite struct AcceptanceTests {
    private func refusal(
        _ event: Event, horizon: Int64? = nil, maxAge: Int64 = 100, now: Int64 = 60, isClockTrusted: Bool = true,
        filter: Filter = Filter(), tombstones: Set<String> = []
    ) -> String? {
        Acceptance.refusal(
            of: event, by: filter, horizon: horizon.map { start + $0 * minute }, maxAge: maxAge * minute,
            at: start + now * minute, isClockTrusted: isClockTrusted, isTruncated: tombstones.contains)
    }

    @Test func theFilterComesFirst() {
        #expect(refusal(quake("us1"), horizon: 10, filter: Filter(minimumMagnitude: 5.1)) == "magnitude")
        #expect(refusal(quake("us1"), filter: Filter(minimumMagnitude: 5)) == nil)
    }

    @Test func beforeTheHorizonIsTruncated() {
        #expect(refusal(quake("us1", time: 9), horizon: 10) == "truncated")
        #expect(refusal(quake("us1", time: 10), horizon: 10) == nil)
        #expect(refusal(quake("us1", time: nil), horizon: 10) == nil)
        #expect(refusal(quake("us1", time: nil), horizon: 61) == "truncated", "first sight would be now")
    }

    @Test func beyondTheAgeIsExpired() {
        #expect(refusal(quake("us1", time: 0), now: 101) == "expired")
        #expect(refusal(quake("us1", time: 0), now: 100) == nil)
        #expect(refusal(quake("us1", time: 900), horizon: 61) == "truncated", "a time to come does not make it younger")
    }

    @Test func anUntrustedClockProvesNoAge() {
        #expect(refusal(quake("us1", time: 0), now: 101, isClockTrusted: false) == nil)
        #expect(refusal(quake("us1", time: 9), horizon: 10, isClockTrusted: false) == "truncated")
        #expect(refusal(quake("us1", time: 900), horizon: 61, isClockTrusted: false) == nil)
        #expect(refusal(quake("us1", time: nil), horizon: 61, isClockTrusted: false) == nil)
    }

    @Test func aTombstoneOfAnyNameKeepsItOut() {
        #expect(refusal(quake("us1", aliases: ["ci1"]), tombstones: ["ci1"]) == "truncated")
        #expect(refusal(quake("us1"), tombstones: ["us1"]) == "truncated")
        #expect(refusal(quake("us1"), tombstones: ["us2"]) == nil)
        let day: Int64 = 86_400_000
        #expect(!Acceptance.renews(start, at: start + day) && Acceptance.renews(start, at: start + day + 1))
    }

    // MARK: - Born withdrawn

    private func stored(
        at: Int64 = 3, erases: Bool = false, takesFamily: Bool = false, replacements: [String] = []
    ) -> StoredWithdrawal {
        StoredWithdrawal(
            standing: StandingWithdrawal(
                reason: "cancelled", time: start + at * minute, evidence: "e", erases: erases),
            takesFamily: takesFamily, replacements: replacements)
    }

    private func isBornWithdrawn(_ event: Event, _ stored: [String: StoredWithdrawal]) -> Bool {
        Acceptance.withdrawal(of: event, version: event.version) { stored[$0] } != nil
    }

    @Test func anEarlierVersionIsBornWithdrawn() {
        #expect(isBornWithdrawn(quake("us1", updated: 2), ["us1": stored()]))
        #expect(isBornWithdrawn(quake("us1", updated: 3), ["us1": stored()]))
        #expect(!isBornWithdrawn(quake("us1", updated: 4), ["us1": stored()]))
        #expect(isBornWithdrawn(quake("us1", updated: 4), ["us1": stored(erases: true)]), "deleted words stay out")
        #expect(isBornWithdrawn(quake("us1", time: nil), ["us1": stored()]))
        #expect(isBornWithdrawn(quake("us2", aliases: ["us1"], updated: 2), ["us1": stored()]))
    }

    @Test func withoutAVersionOnlyDeletionsAreLater() {
        let event = quake("us1", updated: 1)
        #expect(Acceptance.withdrawal(of: event, version: .max) { _ in stored() } == nil)
        #expect(Acceptance.withdrawal(of: event, version: .max) { _ in stored(erases: true) } != nil)
    }

    @Test func aFamilyIsTakenIfTheWithdrawalSaysSo() {
        let event = quake("sender id", updated: 2)
        #expect(isBornWithdrawn(event, ["sender": stored(takesFamily: true)]))
        #expect(!isBornWithdrawn(event, ["sender": stored()]))
        #expect(isBornWithdrawn(event, ["sender id": stored()]))
    }

    @Test func whatWasReplacedConcernsTheReplacedNameAlone() {
        let replaced = ["us1": stored(replacements: ["us2"])]
        #expect(isBornWithdrawn(quake("us1", updated: 2), replaced))
        #expect(!isBornWithdrawn(quake("us2", aliases: ["us1"], updated: 2), replaced))
        #expect(!isBornWithdrawn(quake("us3", aliases: ["us1"], updated: 2), replaced))
        #expect(!isBornWithdrawn(quake("us1", updated: 2), ["us1": stored(replacements: ["us1"])]))
    }

    @Test func theNextNameIsAskedWhereTheFirstDoesNotApply() {
        let both = ["us1": stored(at: 0), "ci1": stored(at: 9)]
        #expect(isBornWithdrawn(quake("us1", aliases: ["ci1"], updated: 2), both))
    }
}

/// What may be stored of a source.
@Suite struct BudgetTests {
    private let use = SourceUse(
        budget: SourceBudget(
            daily: StoredAmount(rows: 10, bytes: 1000), total: StoredAmount(rows: 100, bytes: 10_000)),
        total: StoredAmount(rows: 50, bytes: 500), ofDay: StoredAmount(rows: 5, bytes: 50),
        day: SourceUse.day(of: .init(milliseconds: start)))

    private func hasRoom(
        for thing: Budget.Thing, rows: Int, total: Int = 50, isPaid: Bool = false, at: Int64 = 0
    ) -> Bool {
        var use = use
        use.total.rows = total
        return Budget.hasRoom(
            for: thing, in: use, grown: StoredAmount(rows: rows), isPaid: isPaid, now: start + at)
    }

    @Test func somethingNewNeedsRoomOnTheDayAndInAll() {
        #expect(hasRoom(for: .new, rows: 4) && !hasRoom(for: .new, rows: 5))
        #expect(hasRoom(for: .new, rows: 5, at: 86_400_000), "another day")
        #expect(hasRoom(for: .new, rows: 0, total: 99) && !hasRoom(for: .new, rows: 0, total: 100))
        #expect(hasRoom(for: .new, rows: 500, isPaid: true))
    }

    @Test func whatIsKnownMayUseAsMuchAgain() {
        #expect(hasRoom(for: .known, rows: 149) && !hasRoom(for: .known, rows: 150))
        #expect(!hasRoom(for: .known, rows: 150, isPaid: true), "what was paid for is new")
    }
}
