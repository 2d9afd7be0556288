import Model
import Reconciling
import Testing

/// When a stored event changes, stays, or comes back.
@Suite struct RevisingTests {
    private let stored = row(quake("us1", updated: 2))

    private func isOlder(_ event: Event, than row: EventRow? = nil, isSuperseded: Bool = false) -> Bool {
        Revising.isOlder(event, than: row ?? stored, isSuperseded: { isSuperseded })
    }

    private func take(
        _ event: Event, on old: EventRow, from source: Int64 = 1, isSuperseded: Bool = false,
        correction: Correction? = nil
    ) -> Revising.Taken {
        Revising.take(
            event, on: old, from: source, isSuperseded: { isSuperseded }, correction: { correction })
    }

    private func withdrawn(
        _ reason: String, at: Int64 = 3, erases: Bool = false, _ event: Event = quake("us1", updated: 2)
    ) -> EventRow {
        var old = row(event)
        old.withdraw(
            by: StandingWithdrawal(reason: reason, time: start + at * minute, evidence: "e", erases: erases))
        return old
    }

    @Test func theTimeOfUpdateTellsTheOlder() {
        #expect(isOlder(quake("us1", updated: 1)))
        #expect(!isOlder(quake("us1", updated: 2)) && !isOlder(quake("us1", updated: 3)))
        #expect(!isOlder(quake("us1")) && !isOlder(quake("us1", updated: 1), than: row(quake("us1"))))
    }

    @Test func ofEqualTimesTheSupersededIsOlder() {
        #expect(isOlder(quake("us2", updated: 2), isSuperseded: true))
        #expect(!isOlder(quake("us2", updated: 2)))
        #expect(!isOlder(quake("us1", updated: 2), isSuperseded: true), "it is the row's own name")
        #expect(!isOlder(quake("us2", aliases: ["us1"], updated: 2), isSuperseded: true), "it knows the row's name")
        #expect(!isOlder(quake("us2", updated: 3), isSuperseded: true))
    }

    @Test func anAbsentEventComesBackWithAnyVersion() {
        let old = withdrawn(WithdrawalReason.absent)
        let taken = take(quake("us1", updated: 1, title: "Older"), on: old)
        #expect(taken.kind == .restored && taken.row.withdrawnReason == nil)
        #expect(taken.row.withdrawnAt == nil && taken.row.withdrawnEvidence == nil)
        #expect(taken.row.title == old.title, "an older version brings no words")
    }

    @Test func aWithdrawnEventComesBackWithALaterVersion() {
        let old = withdrawn("cancelled")
        #expect(take(quake("us1", updated: 4), on: old).kind == .restored)
        for minute in [Int64(2), 3] {
            let taken = take(quake("us1", updated: minute, title: "New"), on: old)
            #expect(taken.kind == .revised && taken.row.withdrawnReason == "cancelled")
            #expect(taken.row.title == "New", "its words are taken over all the same")
        }
        #expect(take(quake("us1", time: nil), on: old).kind == .revised, "nothing tells that it is later")
    }

    @Test func theUpdateThatReplacesTheMessageComesBackAtTheSameTime() {
        let old = withdrawn("cancelled")
        #expect(take(quake("us2", aliases: ["us1"], updated: 3), on: old).kind == .restored)
        #expect(take(quake("us2", updated: 3), on: old).kind == .revised)
    }

    @Test func deletedWordsNeverComeBack() {
        let old = withdrawn("deleted", erases: true)
        let taken = take(quake("us1", updated: 9), on: old)
        #expect(taken.kind == .revised && taken.row.isErased && taken.row.title == "(deleted)")
        #expect(Upkeep(of: old, replacedBy: taken.row) == [])
    }

    @Test func aVersionIsTakenOver() {
        let taken = take(quake("us1", updated: 3, title: "New"), on: stored, from: 2)
        #expect(taken.kind == .revised && taken.row.title == "New" && taken.row.source == 2)
        let older = take(quake("us1", updated: 1, title: "Old"), on: stored, from: 2)
        #expect(older.row.title == stored.title && older.row.source == 1)
        #expect(stored.previous(comparedTo: take(quake("us1", updated: 2), on: stored).row) == nil)
    }

    @Test func aCorrectedPlaceStaysAndTheFeedsIsKept() throws {
        let feed = try #require(quake("us1").location)
        let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
        var old = stored
        old.location = Location(coordinate, method: .operator)
        let correction = Correction(
            words: .at(latitude: 1, longitude: 2, radius: nil, name: nil), user: "root", time: start, feedPlace: feed)
        let same = take(quake("us1", updated: 3), on: old, correction: correction)
        #expect(same.row.location == old.location && same.correction == nil)
        var moved = quake("us1", updated: 3)
        moved.location = Location(try #require(Coordinate(latitude: -21, longitude: -70)))
        let taken = take(moved, on: old, correction: correction)
        #expect(taken.row.location == old.location && taken.correction?.feedPlace == moved.location)
        moved.location = nil
        let gone = take(moved, on: old, correction: correction)
        #expect(gone.correction != nil && gone.correction?.feedPlace == nil)
        #expect(take(quake("us1", updated: 1), on: old, correction: correction).correction == nil)
    }

    @Test func lookUpsAreMadeOnlyWhereTheyDecide() {
        struct Asked: Error {}
        let taken = try? Revising.take(
            quake("us1", updated: 1), on: stored, from: 1, isSuperseded: { throw Asked() },
            correction: { throw Asked() })
        #expect(taken != nil)
    }
}

/// What follows from a new version.
@Suite struct UpkeepTests {
    private func upkeep(_ change: (inout EventRow) -> Void, of old: EventRow = row(quake("us1"))) -> Upkeep {
        var new = old
        change(&new)
        return Upkeep(of: old, replacedBy: new)
    }

    @Test func eachDifferenceHasItsOwn() {
        #expect(upkeep { _ in } == [])
        #expect(upkeep { $0.title = "Other" } == [.text, .enqueue])
        #expect(upkeep { $0.summary = "Other" } == [.text, .enqueue])
        #expect(upkeep { $0.place = "Other" } == [.text, .enqueue])
        #expect(upkeep { $0.author = Author(name: "A") } == [.text])
        #expect(upkeep({ $0.title = "cafe\u{301}" }, of: row(report("a", title: "caf\u{E9}"))) == [.text])
        #expect(upkeep { $0.time += 1 } == [.position, .linkTime])
        #expect(upkeep { $0.geometry = "{}" } == [.position])
        #expect(upkeep { $0.location = nil } == [.position, .enqueue])
        #expect(upkeep { $0.magnitude = 6 } == [])
        let located = upkeep({ $0.location = row(quake("us1")).location }, of: row(report("a")))
        #expect(located == [.position, .dequeue, .enqueue])
        let withdrawn = upkeep({ $0.withdrawnReason = WithdrawalReason.absent }, of: row(report("a")))
        #expect(withdrawn == [.dequeue] && upkeep { $0.withdrawnReason = WithdrawalReason.absent } == [])
        var old = row(report("a"))
        old.withdrawnReason = WithdrawalReason.absent
        #expect(upkeep({ $0.withdrawnReason = nil }, of: old) == [.enqueue], "it comes back")
        #expect(upkeep({ $0.magnitude = 6 }, of: old) == [])
    }

    @Test func onlyAShownEventWithoutAPlaceWaits() {
        var waiting = row(report("a"))
        #expect(waiting.waitsForPlace && !row(quake("us1")).waitsForPlace)
        waiting.withdrawnReason = WithdrawalReason.absent
        #expect(!waiting.waitsForPlace)
    }
}
