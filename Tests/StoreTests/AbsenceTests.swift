import Foundation
import Model
import Testing

@testable import Store

@Suite struct AbsenceTests {
    private func withdrawn(_ test: TestStore) throws -> [String] {
        try test.rows("SELECT upstream_id FROM events_v1 WHERE withdrawn_reason = 'absent' ORDER BY 1")
            .compactMap(\.first)
    }

    @Test func missingFromACompleteSnapshotIsWithdrawnAndComesBack() throws {
        let test = try TestStore()
        let stays = quake("us1")
        try test.snapshot([stays, quake("us2")], minute: 1)
        #expect(try test.snapshot([stays], minute: 2).withdrawn == 1)
        #expect(try withdrawn(test) == ["us2"])
        let evidence = try test.value("SELECT withdrawn_evidence FROM events_v1 WHERE upstream_id = 'us2'")
        #expect(
            evidence == "missing from quakes since 2026-03-01T00:02:00Z; "
                + "it may only have fallen below the feed's threshold")
        let changes = try test.store.lastChange()
        #expect(try test.snapshot([stays], minute: 3).withdrawn == 0)
        #expect(try test.store.lastChange() == changes)
        #expect(try test.snapshot([stays, quake("us2")], minute: 4).changed == 1)
        #expect(try withdrawn(test).isEmpty)
        #expect(try test.value("SELECT kind FROM changes_v1 ORDER BY seq DESC") == "restored")
        #expect(try test.snapshot([stays], minute: 5).withdrawn == 1)
    }

    @Test func outsideTheWindowAbsenceProvesNothing() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1"), quake("us2", hours: -50), quake("us3", hours: 1)], minute: 1)
        #expect(try test.snapshot([quake("us1")], minute: 2).withdrawn == 0)
    }

    @Test func refusedItemsAndAliasesCountAsPresent() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1"), quake("us2"), quake("us3", aliases: ["ci3"])], minute: 1)
        #expect(try test.snapshot([quake("us1")], minute: 2, alsoPresent: ["us2", "ci3"]).withdrawn == 0)
    }

    @Test func olderOrEqualSnapshotChangesNothingAtAll() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1")], minute: 5)
        let older = try test.snapshot([quake("us2"), quake("us1", magnitude: 9)], minute: 4)
        #expect(older.wasStale)
        #expect(try test.snapshot([quake("us2")], minute: 5).wasStale)
        #expect(try test.rows("SELECT upstream_id, magnitude FROM events_v1") == [["us1", "5.0"]])
        #expect(try !test.snapshot([quake("us1"), quake("us2")], minute: 6).wasStale)
    }

    @Test func sameSnapshotCountsAgainUnderOtherFilters() throws {
        let test = try TestStore()
        let coverage = Coverage(provider: "usgs", generated: start, window: nil, present: ["us1"])
        let answer = FeedAnswer(events: [quake("us1", magnitude: 4)], coverage: coverage)
        let strict = PollStep(
            source: "quakes", at: start, answer: answer, filter: Filter(minimumMagnitude: 5), fingerprint: "strict")
        let lax = PollStep(source: "quakes", at: start, answer: answer, fingerprint: "lax")
        #expect(try test.step(strict).new == 0)
        #expect(try test.step(lax).new == 1)
        #expect(try test.step(lax).wasStale)
    }

    @Test func everyEnabledSourceThatCoversItMustMissIt() throws {
        let test = try TestStore()
        let (kept, lost) = (quake("us1"), quake("us2"))
        try test.snapshot([kept, lost], minute: 1)
        try test.snapshot([kept, lost], minute: 1, from: "more")
        #expect(try test.snapshot([kept], minute: 2).withdrawn == 0)
        #expect(try test.snapshot([kept], minute: 3, from: "more").withdrawn == 1)
    }

    @Test func anEventListedSinceTheLastSnapshotIsHeld() throws {
        let test = try TestStore()
        let (kept, young) = (quake("us1", hours: -4), quake("us2"))
        let coverage = Coverage(
            provider: "usgs", generated: start, window: (start - 48 * 3600)...(start - 3 * 3600), present: ["us1"])
        try test.poll([kept], from: "more", coverage: coverage)
        // As with a clock that is days behind: listed events count, absent ones cannot be judged.
        try test.poll([kept, young], from: "more", at: start + 60)
        try test.snapshot([kept, young], minute: 2)
        #expect(try test.snapshot([kept], minute: 3).withdrawn == 0)
        #expect(try test.snapshot([kept], minute: 4, from: "more").withdrawn == 1)
    }

    @Test func anEventOlderThanTheLastSnapshotsPeriodIsHeldByWhoHasListedItSince() throws {
        let test = try TestStore()
        let (kept, old) = (quake("us1"), quake("us2", hours: -30))
        let day = Coverage(provider: "usgs", generated: start, window: (start - 24 * 3600)...start, present: ["us1"])
        try test.poll([kept], from: "more", coverage: day)
        // A week's document with a clock that is days behind, as after a suspend.
        try test.poll([kept, old], from: "more", at: start + 60)
        try test.snapshot([kept, old], minute: 2)
        #expect(try test.snapshot([kept], minute: 3).withdrawn == 0)
        let nextDay = Coverage(
            provider: "usgs", generated: start + 240, window: (start - 24 * 3600)...start, present: ["us1"])
        try test.poll([kept], from: "more", at: start + 240, coverage: nextDay)
        #expect(try test.snapshot([kept], minute: 5).withdrawn == 1)
    }

    @Test func anEventListedBeforeTheWindowOfASnapshotIsHeld() throws {
        let test = try TestStore()
        let (kept, old) = (quake("us1"), quake("us2", hours: -23.5))
        func day(_ events: [Event], minute: Double) throws {
            let coverage = Coverage(
                provider: "usgs", generated: start + minute * 60, window: (start - 23 * 3600)...start,
                present: events.map(\.id))
            try test.poll(events, from: "more", at: start + minute * 60, coverage: coverage)
        }
        try day([kept, old], minute: 1)
        try test.snapshot([kept, old], minute: 2)
        #expect(try test.snapshot([kept], minute: 3).withdrawn == 0)
        try day([kept], minute: 4)
        #expect(try test.snapshot([kept], minute: 5).withdrawn == 1)
    }

    @Test func disabledSourceNoLongerHoldsAnEvent() throws {
        let test = try TestStore()
        let (kept, lost) = (quake("us1"), quake("us2"))
        try test.snapshot([kept, lost], minute: 1)
        try test.snapshot([kept, lost], minute: 1, from: "more")
        #expect(try test.snapshot([kept], minute: 2).withdrawn == 0)
        try test.store.reconcile([TestStore.sources[0]], at: start)
        #expect(try test.snapshot([kept], minute: 3).withdrawn == 1)
    }

    @Test func whatWasWithdrawnTwiceWhileASourceWasOffComesBackWithItsOldWords() throws {
        let test = try TestStore()
        let (kept, lost) = (quake("us1"), quake("us2"))
        try test.snapshot([kept, lost], minute: 1)
        try test.snapshot([kept, lost], minute: 1, from: "more")
        try test.store.reconcile([TestStore.sources[0]], at: start)
        #expect(try test.snapshot([kept], minute: 2).withdrawn == 1)
        #expect(try test.snapshot([kept, lost], minute: 3).changed == 1)
        #expect(try test.snapshot([kept], minute: 4).withdrawn == 1)
        try test.store.reconcile(TestStore.sources, at: start)
        #expect(try test.snapshot([kept, lost], minute: 5, from: "more").changed == 1)
        #expect(try withdrawn(test).isEmpty)
    }

    @Test func sourceWithoutSnapshotsNeitherHoldsNorWithdraws() throws {
        let test = try TestStore()
        let (kept, lost) = (quake("us1"), quake("us2"))
        try test.snapshot([kept, lost], minute: 1)
        try test.poll([kept, lost], from: "news")
        #expect(try test.poll([kept], from: "news").withdrawn == 0)
        #expect(try test.snapshot([kept], minute: 2).withdrawn == 1)
    }

    @Test func manyAtOnceNeedASecondNewerSnapshot() throws {
        let test = try TestStore()
        let all = (10..<30).map { quake("us\($0)") }
        try test.snapshot(all, minute: 1)
        let few = Array(all.dropLast(7))
        #expect(try test.snapshot(few, minute: 2).withdrawn == 0)
        #expect(try test.snapshot(few, minute: 2).wasStale)
        #expect(try withdrawn(test).isEmpty)
        #expect(try test.snapshot(few + [all[19]], minute: 3).withdrawn == 6)
        #expect(try withdrawn(test) == (23..<29).map { "us\($0)" })
    }

    @Test func fiveOrATenthGoAtOnce() throws {
        let test = try TestStore()
        let all = (100..<180).map { quake("us\($0)") }
        try test.snapshot(Array(all.prefix(20)), minute: 1)
        #expect(try test.snapshot(Array(all.prefix(15)), minute: 2).withdrawn == 5)
        try test.snapshot(all, minute: 3)
        #expect(try test.snapshot(Array(all.dropLast(8)), minute: 4).withdrawn == 8)
    }

    @Test func incompleteSnapshotProvesNoAbsence() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1"), quake("us2")], minute: 1)
        let coverage = Coverage(provider: "usgs", generated: start + 600, window: nil, present: ["us1"])
        #expect(try test.poll([quake("us1")], coverage: coverage).withdrawn == 0)
        #expect(try test.snapshot([quake("us1")], minute: 5).wasStale)
    }
}
