import Model
import Reconciling
import Testing

/// What makes two rows one.
@Suite struct MatchingTests {
    private func match(
        _ event: Event, own: Int64? = nil, superseded: Set<String> = [], rows: [String: Int64] = [:],
        shown: [Int64: String] = [:]
    ) -> Matching.Match {
        Matching.match(event, own: own, superseded: superseded, row: { rows[$0] }, shownName: { shown[$0] })
    }

    @Test func allNamesLeadToRows() {
        #expect(match(quake("us1")) == Matching.Match(newNames: ["us1"]))
        let event = quake("us1", aliases: ["ci1", "nc1", "at1"])
        let found = match(event, own: 7, rows: ["ci1": 3, "at1": 7])
        #expect(found == Matching.Match(rows: [7, 3], newNames: ["nc1"]) && found.oldest == 3)
        #expect(match(event, rows: ["nc1": 4]) == Matching.Match(rows: [4], newNames: ["us1", "ci1", "at1"]))
        #expect(Matching.Match().oldest == nil)
    }

    @Test func aReplacedNameMayBeAnotherEvents() {
        let update = quake("u2", aliases: ["a"])
        #expect(match(update, superseded: ["a"], rows: ["a": 1], shown: [1: "u1"]).rows.isEmpty)
        #expect(match(update, superseded: ["a"], rows: ["a": 1], shown: [1: "a"]).rows == [1])
        #expect(match(update, superseded: ["b"], rows: ["a": 1], shown: [1: "u1"]).rows == [1])
        #expect(match(update, superseded: ["a"], rows: ["a": 1]).rows == [1], "the row is gone")
        let part = quake("u2", aliases: ["a 1"])
        #expect(match(part, superseded: ["a"], rows: ["a 1": 1], shown: [1: "u1"]).rows.isEmpty, "its family")
    }

    private func mergesNothing(
        updated: Int64, isSnapshot: Bool = true, rows: [Int64] = [7, 3], newNames: [String] = []
    ) -> Bool {
        Matching.mergesNothing(
            quake("us1", updated: updated), Matching.Match(rows: rows, newNames: newNames), isSnapshot: isSnapshot,
            own: { row(quake("us1", updated: 2), id: $0) }, isSuperseded: { false })
    }

    @Test func anOlderVersionOfASnapshotMergesNothing() {
        #expect(mergesNothing(updated: 1) && !mergesNothing(updated: 2))
        #expect(!mergesNothing(updated: 1, isSnapshot: false) && !mergesNothing(updated: 1, rows: [7]))
        #expect(!mergesNothing(updated: 1, newNames: ["us1"]))
    }

    private func counts(
        updated: Int64?, isListedTwice: Bool = true, rows: [Int64] = [7], newNames: [String] = [],
        stored: Int64? = 2
    ) -> Bool {
        Matching.counts(
            quake("us1", updated: updated), Matching.Match(rows: rows, newNames: newNames),
            isListedTwice: isListedTwice, stored: { row(quake("ci1", updated: stored)) })
    }

    @Test func ofTwoListedUnderTwoNamesTheLaterCounts() {
        #expect(counts(updated: 3) && !counts(updated: 2) && !counts(updated: 1) && !counts(updated: nil))
        #expect(counts(updated: 1, stored: nil))
        #expect(counts(updated: 1, isListedTwice: false) && counts(updated: 1, rows: [7, 3]))
        #expect(counts(updated: 1, newNames: ["us1"]))
    }
}

/// When two events that have shared a row become two rows again.
@Suite struct SplittingTests {
    private func split(
        _ event: Event, name: String, updated: Int64? = nil, shown: Int? = nil, events: [Event],
        listed: [String: Int] = [:]
    ) -> Splitting.Leaving? {
        Splitting.split(
            event, name: name, updated: updated.map { start + $0 * minute }, shown: shown, events: events,
            listed: { listed[$0] })
    }

    @Test func theRowStaysWithTheEventThatItShows() {
        let events = [quake("us1"), quake("us2")]
        #expect(split(events[0], name: "us2", events: events, listed: ["us2": 1]) == .event)
        #expect(split(events[1], name: "us2", shown: 0, events: events, listed: ["us2": 1]) == .other(0))
    }

    @Test func anEventAloneLeavesNothing() {
        let events = [quake("us1"), quake("us2")]
        #expect(split(events[0], name: "us2", events: events) == nil)
        #expect(split(events[0], name: "us1", events: events, listed: ["us1": 0]) == nil)
        #expect(split(events[0], name: "us2", shown: 1, events: events) == .event, "shown before without news")
    }

    @Test func theRowStaysWithTheEventThatHasItsNameAsAnAlias() {
        let events = [quake("us1"), quake("us2", aliases: ["ci1"])]
        #expect(split(events[1], name: "ci1", shown: 0, events: events) == .other(0))
    }

    @Test func aNameOfBothKeepsThemTogether() {
        let events = [quake("us1", aliases: ["ci1"]), quake("us2", aliases: ["ci1"])]
        #expect(split(events[0], name: "us2", events: events, listed: ["us2": 1]) == nil)
    }

    @Test func anOlderSnapshotProvesNothing() {
        let events = [quake("us1", updated: 1), quake("us2", updated: 3)]
        #expect(split(events[0], name: "us2", updated: 3, events: events, listed: ["us2": 1]) == .event)
        #expect(split(events[0], name: "us2", updated: 4, events: events, listed: ["us2": 1]) == nil)
        #expect(split(events[1], name: "us2", updated: 3, shown: 0, events: events) == .other(0))
        #expect(split(events[1], name: "us2", updated: 4, shown: 0, events: events) == nil)
    }
}

/// What becomes of two rows of one event.
@Suite struct MergingTests {
    private let now = start + 60 * minute

    @Test func theOlderStaysWithTheEarlierFirstSight() {
        var (older, younger) = (row(quake("us1"), id: 1), row(quake("ci1", title: "Younger"), id: 2))
        (older.revision, younger.revision) = (4, 3)
        older.isFirstSeenProvisional = true
        let merging = Merging(younger, into: older, at: now)
        #expect(merging.row.id == 1 && merging.row.publicID == "public1" && merging.row.title == older.title)
        #expect(merging.row.revision == 7 && merging.shift == 3, "4, the younger's 2 and 3 as 5 and 6, the merge")
        #expect(merging.row.lastChanged == now && merging.row.firstSeen == start && merging.deletion == nil)
        #expect(!merging.row.isFirstSeenProvisional)
        #expect(merging.previous == #"{"merged_public_id":"public2"}"#)
    }

    @Test func anEarlierFirstSightIsAnOldValue() {
        var (older, younger) = (row(quake("us1"), id: 1), row(quake("ci1"), id: 2))
        younger.firstSeen = start - minute
        (older.isFirstSeenProvisional, younger.isFirstSeenProvisional) = (true, true)
        let merging = Merging(younger, into: older, at: now)
        #expect(merging.row.firstSeen == start - minute && merging.row.isFirstSeenProvisional)
        #expect(merging.previous == #"{"merged_public_id":"public2","first_seen_ms":\#(start)}"#)
    }

    @Test func aDeletionOfOneIsOneOfBoth() {
        let shown = row(quake("us1"), id: 1)
        var erased = row(quake("ci1"), id: 2)
        let deletion = StandingWithdrawal(reason: "deleted", time: start, evidence: "gone", erases: true)
        erased.withdraw(by: deletion)
        #expect(Merging(erased, into: shown, at: now).deletion == deletion)
        #expect(Merging(shown, into: erased, at: now).deletion == deletion)
        var other = erased
        other.withdrawnEvidence = "other"
        #expect(Merging(other, into: erased, at: now).deletion == deletion, "of two the older row's")
        (erased.withdrawnReason, erased.withdrawnAt, erased.withdrawnEvidence) = (nil, nil, nil)
        let unknown = StandingWithdrawal(reason: "deleted", time: now, evidence: "", erases: true)
        #expect(Merging(erased, into: shown, at: now).deletion == unknown)
        var withdrawn = row(quake("ci1"), id: 2)
        withdrawn.withdrawnReason = "cancelled"
        #expect(Merging(withdrawn, into: shown, at: now).deletion == nil)
    }
}
