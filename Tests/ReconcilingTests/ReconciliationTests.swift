import Model
import Reconciling
import Testing

/// What an answer means for the record, item by item.
@Suite struct ReconciliationTests {
    /// A reconciliation with an answer of source 1, ten minutes after `start`.
    private func begun(
        _ events: [Event] = [], withdrawals: [Withdrawal] = [], issues: [FeedIssue] = [], coverage: Coverage? = nil,
        after last: LastSnapshot? = nil, filter: Filter = Filter(), use: SourceUse = SourceUse()
    ) -> Reconciliation {
        let step = PollStep(
            source: "quakes", at: .init(milliseconds: start + 10 * minute), filter: filter, fingerprint: "f")
        let reconciliation = Reconciliation(of: step, source: 1, horizon: nil, maxAge: 1_000 * minute, use: use)
        let answer = FeedAnswer(events: events, withdrawals: withdrawals, issues: issues, coverage: coverage)
        let isNews = reconciliation.begin(answer, after: last)
        #expect(isNews)
        return reconciliation
    }

    /// A snapshot made five minutes after `start`, of what is not after it.
    private func snapshot(isWhole: Bool = true) -> Coverage {
        let generated: Int64 = start + 5 * minute
        return Coverage(
            provider: "usgs", generated: .init(milliseconds: generated),
            window: isWhole ? .init(milliseconds: start) ... .init(milliseconds: generated) : nil, present: [])
    }

    /// Takes an event, whose hash is 7; the row that is found takes the version as it is in the record.
    private func take(
        _ index: Int, _ reconciliation: Reconciliation, in record: Record, adopted: Int64? = nil
    ) throws -> [String] {
        let own = record.named[reconciliation.events[index].id]
        let found = try reconciliation.find(index, own: own, adopted: adopted, hash: 7, in: record)
        var words = found.mutations.map(\.words)
        if let row = found.row {
            let stored = try #require(record.stored[row])
            words += try reconciliation.take(index, hash: 7, on: stored, found, in: record).map(\.words)
        }
        return words
    }

    private func withdrawal(
        _ id: String = "us1", erases: Bool = false, takesFamily: Bool = false, replacements: [String] = []
    ) -> Withdrawal {
        Withdrawal(
            provider: "usgs", id: id, takesFamily: takesFamily, reason: .deleted,
            time: .init(milliseconds: start + 3 * minute), evidence: "e", erases: erases, replacements: replacements)
    }

    /// Nothing more fits into this use; if not `isReserve`, known events still do.
    private func full(isReserve: Bool = false) -> SourceUse {
        SourceUse(
            budget: SourceBudget(total: StoredAmount(rows: 10, bytes: 10_000)),
            total: StoredAmount(rows: isReserve ? 20 : 10))
    }

    // MARK: - The answer

    @Test func anOldSnapshotMeansNothing() {
        let step = PollStep(source: "quakes", at: .init(milliseconds: start), fingerprint: "f")
        let reconciliation = Reconciliation(of: step, source: 1, horizon: nil, maxAge: minute, use: SourceUse())
        let last = LastSnapshot(generated: start + 5 * minute, fingerprint: "f", settledFingerprint: "f")
        let isNews = reconciliation.begin(FeedAnswer(events: [quake("us1")], coverage: snapshot()), after: last)
        #expect(!isNews)
        #expect(reconciliation.result.wasStale && reconciliation.events.isEmpty && reconciliation.counting.isEmpty)
    }

    @Test func ofAnEventListedTwiceOneCounts() {
        let reconciliation = begun([quake("us1"), quake("us2"), quake("us1", aliases: ["a"], updated: 2)])
        #expect(reconciliation.counting == [1, 2])
        #expect(begun([quake("us1"), quake("us2")]).counting == [0, 1])
    }

    // MARK: - Events

    @Test func aNewEventIsAdded() throws {
        let reconciliation = begun([quake("us1", aliases: ["ci1"])])
        #expect(try take(0, reconciliation, in: Record()) == ["add 0 us1 [us1 ci1]"])
        #expect(reconciliation.result.new == 1 && reconciliation.result.withdrawn == 0)
    }

    @Test func aNewEventMayBeWithdrawn() throws {
        var record = Record()
        record.kept["ci1"] = Withdrawing.kept(withdrawal("ci1"), over: nil, at: start)
        let reconciliation = begun([quake("us1", aliases: ["ci1"], updated: 2), quake("ci1", updated: 4)])
        #expect(try take(0, reconciliation, in: record) == ["add 0 us1 [us1 ci1] deleted"])
        #expect(try take(1, reconciliation, in: record) == ["add 1 ci1 [ci1]"], "a later version")
        #expect(reconciliation.result.new == 2 && reconciliation.result.withdrawn == 1)
    }

    @Test func whatIsNotAcceptedIsRefused() throws {
        let reconciliation = begun([quake("us1"), quake("us2")], filter: Filter(minimumMagnitude: 6))
        #expect(try take(0, reconciliation, in: Record()).isEmpty)
        #expect(try take(1, reconciliation, in: Record()).isEmpty)
        #expect(reconciliation.result.refused == ["magnitude": 2])
        #expect(reconciliation.refused.map(\.event.id) == ["us1", "us2"])
        #expect(reconciliation.refused.map(\.reason) == ["magnitude", "magnitude"])
    }

    @Test func aHundredRefusedEventsAreKept() throws {
        let events = (0...100).map { quake("us\($0)") }
        let reconciliation = begun(events, filter: Filter(minimumMagnitude: 6))
        for index in events.indices { _ = try take(index, reconciliation, in: Record()) }
        #expect(reconciliation.refused.count == 100 && reconciliation.result.refused == ["magnitude": 101])
    }

    @Test func aTombstoneIsTouchedOnceADay() throws {
        var record = Record()
        record.tombstones = ["us1": start + 10 * minute - 86_400_001, "us2": start + 10 * minute - 86_400_000]
        let reconciliation = begun([quake("us1", aliases: ["us2"]), quake("us2", aliases: ["us1"])])
        #expect(try take(0, reconciliation, in: record) == ["touch us1"])
        #expect(try take(1, reconciliation, in: record).isEmpty, "the first name decides")
        #expect(reconciliation.result.refused == ["truncated": 2])
    }

    @Test func aKnownEventTakesTheVersion() throws {
        let record = Record((quake("us1"), ["us1"]))
        var reconciliation = begun([quake("us1", title: "Other")])
        #expect(try take(0, reconciliation, in: record) == ["revised 1", "show 1 at 0 as 7"])
        #expect(reconciliation.result.changed == 1)
        reconciliation = begun([quake("us1")])
        #expect(try take(0, reconciliation, in: record) == ["show 1 at 0 as 7"])
        #expect(reconciliation.result.unchanged == 1)
        reconciliation = begun([quake("us1", updated: 1)])
        #expect(try take(0, reconciliation, in: record) == ["replace 1", "show 1 at 0 as 7"])
        #expect(reconciliation.result.unchanged == 1, "users see no difference")
    }

    @Test func anEventComesBack() throws {
        var record = Record((quake("us1", updated: 2), ["us1"]))
        record.stored[1]?.withdraw(
            by: StandingWithdrawal(reason: "deleted", time: start + 3 * minute, evidence: "", erases: false))
        var reconciliation = begun([quake("us1", updated: 4)])
        #expect(try take(0, reconciliation, in: record) == ["restored 1", "show 1 at 0 as 7"])
        reconciliation = begun([quake("us1", updated: 3)])
        #expect(try take(0, reconciliation, in: record) == ["replace 1", "show 1 at 0 as 7"], "no later version")
    }

    @Test func theFeedsPlaceIsKeptBeneathACorrection() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.corrections["public1"] = Correction(words: .nowhere, user: "u", time: start)
        let reconciliation = begun([quake("us1")])
        #expect(try take(0, reconciliation, in: record) == ["place public1 there", "show 1 at 0 as 7"])
    }

    @Test func rowsBecomeTheOldest() throws {
        let record = Record((quake("ci1"), ["ci1"]), (quake("us1"), ["us1"]), (quake("nc1"), ["nc1"]))
        let reconciliation = begun([quake("us1", aliases: ["nc1", "ci1", "at1"], title: "Other")])
        #expect(
            try take(0, reconciliation, in: record) == [
                "merge 2 into 1", "merge 3 into 1", "name 1 [at1]", "revised 1", "show 1 at 0 as 7",
            ])
        #expect(reconciliation.result.merged == 2 && reconciliation.result.changed == 1)
    }

    @Test func anOlderVersionOfASnapshotMergesNothing() throws {
        let record = Record((quake("ci1"), ["ci1"]), (quake("us1", updated: 2), ["us1"]))
        let event = quake("us1", aliases: ["ci1"], updated: 1)
        var reconciliation = begun([event], coverage: snapshot())
        #expect(try take(0, reconciliation, in: record) == ["show 2 at 0 as 7"])
        reconciliation = begun([event])
        #expect(try take(0, reconciliation, in: record).first == "merge 2 into 1")
    }

    @Test func ofAnEventListedUnderTwoNamesTheLaterCounts() throws {
        let record = Record((quake("us1", updated: 2), ["us1", "ci1"]))
        let reconciliation = begun([quake("us1", updated: 2), quake("ci1", updated: 1)])
        #expect(try take(0, reconciliation, in: record) == ["show 1 at 0 as 7"])
        #expect(try take(1, reconciliation, in: record).isEmpty)
        #expect(reconciliation.result.unchanged == 2)
    }

    @Test func deletedWordsDoNotReturnUnderAnotherName() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.kept["ci1"] = Withdrawing.kept(withdrawal("ci1", erases: true), over: nil, at: start)
        var reconciliation = begun([quake("us1", aliases: ["ci1"], updated: 9, title: "Other")])
        #expect(
            try take(0, reconciliation, in: record) == [
                "name 1 [ci1]", "erase answers 1 M 5.0 - Chile", "withdrawn 1",
                "erase traces 1 (deleted)", "show 1 at 0 as 7",
            ])
        #expect(reconciliation.result.withdrawn == 1 && reconciliation.result.unchanged == 1)
        reconciliation = begun([quake("us1", title: "Other")])
        #expect(try take(0, reconciliation, in: record).first == "revised 1", "no new name")
    }

    @Test func aReplacedNameIsAnotherEvents() throws {
        let record = Record((quake("u1"), ["a", "u1"]))
        let update = quake("u2", aliases: ["a"])
        var reconciliation = begun([update], withdrawals: [withdrawal("a", replacements: ["u2"])])
        #expect(try take(0, reconciliation, in: record) == ["add 0 u2 [u2]"])
        reconciliation = begun([update], withdrawals: [withdrawal("a")])
        #expect(try take(0, reconciliation, in: record).first == "name 1 [u2]")
    }

    // MARK: - Splitting

    @Test func theEventThatTheRowDoesNotShowLeaves() throws {
        let record = Record((quake("us1"), ["us1", "us2", "nc2"]))
        var reconciliation = begun([quake("us1"), quake("us2", aliases: ["nc2", "at2"])], coverage: snapshot())
        #expect(
            try take(1, reconciliation, in: record) == ["unname 1 [us2 nc2]", "add 1 us2 [at2 us2 nc2] from 1"])
        #expect(reconciliation.result.new == 1)
        reconciliation = begun([quake("us1"), quake("us2")])
        #expect(try take(1, reconciliation, in: record).first == "revised 1", "no snapshot")
    }

    @Test func theOtherEventLeavesTheRowThatItDoesNotShow() throws {
        let record = Record((quake("us2"), ["us1", "us2"]))
        let reconciliation = begun([quake("us1"), quake("us2")], coverage: snapshot())
        reconciliation.note(1, shows: 0, isUnchanged: true)
        #expect(
            try take(1, reconciliation, in: record) == [
                "unname 1 [us1]", "add 0 us1 [us1] from 1", "show 1 at 0 as 7",
            ])
    }

    // MARK: - Claims

    @Test func aRowMovesToTheIdentityThatIsInForce() throws {
        let authority = Authority(
            of: SourceSettings(name: "quakes", kind: "cap", url: "https://a.example/cap"), kindProvider: nil,
            domain: nil)
        var claims = Claims(of: authority)
        let judged = claims.judge(FeedAnswer(events: [quake("us1", title: "Other")])) { _ in false }
        var record = Record((quake("us1"), ["us1"]))
        record.shownBy[1] = [1]
        let reconciliation = begun(judged.events)
        #expect(try reconciliation.adopt(0, in: record) == nil, "there are no claims")
        reconciliation.claims = claims
        #expect(
            try reconciliation.adopt(0, in: record)?.words == "move 1 to https://a.example/cap usgs,us1")
        record.shownBy[1] = [1, 2]
        #expect(try reconciliation.adopt(0, in: record)?.words == "unlink 1")
        record.shownBy[1] = [2]
        #expect(try reconciliation.adopt(0, in: record) == nil)
        record.named = [:]
        #expect(
            try take(0, reconciliation, in: record, adopted: 1) == [
                "name 1 [usgs,us1]", "revised 1", "show 1 at 0 as 7",
            ])
        let poor = begun(judged.events, use: full(isReserve: true))
        poor.claims = claims
        record.named = ["us1": 1]
        record.shownBy[1] = [1]
        #expect(try poor.adopt(0, in: record) == nil, "it would have no name")
    }

    // MARK: - Budget

    @Test func overBudgetNewEventsWait() throws {
        let record = Record((quake("us1"), ["us1"]))
        var reconciliation = begun([quake("us2"), quake("us1", title: "Other")], use: full())
        #expect(try take(0, reconciliation, in: record).isEmpty)
        #expect(reconciliation.result.refused == ["over_budget": 1] && reconciliation.refused.isEmpty)
        #expect(try take(1, reconciliation, in: record).first == "revised 1")
        var growing = Record()
        growing.grown = StoredAmount(rows: 5_000_000)
        reconciliation = begun([quake("us2")])
        #expect(try take(0, reconciliation, in: growing).isEmpty, "what the transaction has added counts")
    }

    @Test func withoutAReserveKnownEventsWaitAndAreNotMissing() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.promised = [(1, nil)]
        let reconciliation = begun(
            [quake("us1", title: "Other")], coverage: snapshot(), use: full(isReserve: true))
        #expect(try take(0, reconciliation, in: record).isEmpty)
        #expect(reconciliation.result.refused == ["over_budget": 1])
        let cover = "cover usgs at \(5 * minute - 1)"
        #expect(try reconciliation.end(in: record).map(\.words) == [cover, "widen 0"], "the same is news again")
    }

    // MARK: - Withdrawals

    @Test func aWithdrawalTakesItsEventsInTheOrderOfTheirArrival() throws {
        let record = Record(
            (quake("us1 b"), ["us1 b"]), (quake("us1"), ["us1"]), (quake("us2"), ["us2"]), (report("us1 a"), ["us1 a"]))
        let reconciliation = begun()
        #expect(
            try reconciliation.take(withdrawal(takesFamily: true), in: record).map(\.words) == [
                "keep us1 e", "withdrawn 1", "withdrawn 2", "withdrawn 4",
            ])
        #expect(reconciliation.result.withdrawn == 3)
        #expect(try reconciliation.take(withdrawal("us2"), in: record).map(\.words) == ["keep us2 e", "withdrawn 3"])
        #expect(try reconciliation.take(withdrawal("us9"), in: record).map(\.words) == ["keep us9 e"])
    }

    @Test func whatSaysNoMoreIsNotKeptAgain() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.kept["us1"] = Withdrawing.kept(withdrawal(), over: nil, at: start)
        let reconciliation = begun()
        #expect(try reconciliation.take(withdrawal(), in: record).map(\.words) == ["withdrawn 1"])
    }

    @Test func aSnapshotThatListsTheEventWithdrawsNoOtherName() throws {
        let record = Record((quake("us1"), ["us1", "ci1"]))
        var reconciliation = begun([quake("us1")], coverage: snapshot())
        #expect(try reconciliation.take(withdrawal("ci1"), in: record).map(\.words) == ["keep ci1 e"])
        reconciliation = begun([quake("us1")])
        #expect(try reconciliation.take(withdrawal("ci1"), in: record).map(\.words) == ["keep ci1 e", "withdrawn 1"])
    }

    @Test func aReplacedEventIsTakenWhereItShowsTheName() throws {
        var record = Record((quake("us2"), ["us1", "us2"]))
        let reconciliation = begun()
        #expect(try reconciliation.take(withdrawal(), in: record).map(\.words) == ["keep us1 e", "withdrawn 1"])
        record.kept["us1"] = Withdrawing.kept(withdrawal(replacements: ["us9"]), over: nil, at: start)
        #expect(try reconciliation.take(withdrawal(), in: record).isEmpty)
    }

    @Test func aDeletionErasesEverywhereAndSamplesOnce() throws {
        let record = Record((report("us1"), ["us1"]))
        let reconciliation = begun(issues: [FeedIssue("bad", at: "1", found: "x", costsItem: true)])
        #expect(
            try reconciliation.take(withdrawal(erases: true), in: record).map(\.words) == [
                "erase us1 and samples", "keep us1 e", "erase answers 1 Report", "withdrawn 1",
                "erase traces 1 (deleted)",
            ])
        #expect(reconciliation.result.issues.values.map(\.sample) == [""])
        #expect(
            try reconciliation.take(withdrawal("us9", erases: true), in: record).map(\.words) == [
                "erase us9", "keep us9 e",
            ])
    }

    @Test func overBudgetAWithdrawalIsNotKept() throws {
        let record = Record((quake("us1"), ["us1"]))
        var reconciliation = begun(use: full())
        #expect(try reconciliation.take(withdrawal("us9"), in: record).isEmpty, "nobody has shown it")
        #expect(reconciliation.result.refused == ["over_budget": 1])
        #expect(
            try reconciliation.take(withdrawal("us9", erases: true), in: record).map(\.words).contains("keep us9 e"))
        reconciliation = begun(use: full(isReserve: true))
        let mutations = try reconciliation.take(withdrawal(), in: record)
        guard case .revise(let replacement)? = mutations.first else {
            Issue.record("The event is not withdrawn")
            return
        }
        #expect(mutations.count == 1 && replacement.row.withdrawnEvidence == "")
        #expect(reconciliation.result.refused == ["over_budget": 1] && reconciliation.result.withdrawn == 1)
    }

    // MARK: - Absence

    @Test func whatASnapshotMissesIsWithdrawn() throws {
        var record = Record((quake("us1"), ["us1"]), (quake("us2", time: 3), ["us2"]), (quake("us3", time: 6), ["us3"]))
        record.promised = [(1, nil), (2, start + minute), (3, nil)]
        let reconciliation = begun([quake("us1", time: 2)], coverage: snapshot())
        #expect(
            try reconciliation.end(in: record).map(\.words) == [
                "cover usgs at \(5 * minute)", "miss 1 since 5", "withdrawn 1", "renew 1", "withdrawn 2", "renew 2",
                "widen 2",
            ])
        #expect(reconciliation.result.withdrawn == 2)
    }

    @Test func whatIsShownIsNotMissing() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.promised = [(1, nil)]
        let reconciliation = begun([quake("us1")], coverage: snapshot())
        reconciliation.note(1, shows: 0, isUnchanged: true)
        #expect(try reconciliation.end(in: record).map(\.words) == ["cover usgs at \(5 * minute)", "widen 0"])
    }

    @Test func anotherSourceKeepsWhatIsMissingHere() throws {
        var record = Record((quake("us1"), ["us1"]))
        record.promised = [(1, nil)]
        record.links = [
            Absence.Link(source: 2, isEnabled: true, isPromised: true, missingSince: nil, coveredFrom: start)
        ]
        let reconciliation = begun(coverage: snapshot())
        #expect(try reconciliation.end(in: record).map(\.words) == ["cover usgs at \(5 * minute)", "miss 1 since 5"])
    }

    @Test func otherSettingsPromiseAnew() throws {
        var record = Record((quake("us1"), ["us1"]), (quake("us2"), ["us2"]))
        record.promised = [(1, nil), (2, start)]
        let last = LastSnapshot(generated: start, fingerprint: "g", settledFingerprint: "g")
        var reconciliation = begun(coverage: snapshot(), after: last)
        #expect(
            try reconciliation.end(in: record).map(\.words) == [
                "cover usgs at \(5 * minute)", "unpromise 1", "unpromise 2",
            ])
        reconciliation = begun(coverage: snapshot(isWhole: false), after: last)
        #expect(try reconciliation.end(in: record).map(\.words) == ["cover usgs at \(5 * minute)"])
        reconciliation = begun([report("a")])
        #expect(try reconciliation.end(in: record).map(\.words) == ["widen 0"], "no snapshot")
    }
}

/// What is written when a row replaces another one.
@Suite struct ReplacementTests {
    private let old = fullRow()

    private func replaced(_ change: (inout EventRow) -> Void) -> Replacement? {
        var row = old
        change(&row)
        return Replacement(of: old, by: row, as: .revised, at: start + 9 * minute)
    }

    @Test func withoutADifferenceNothingIsWritten() { #expect(replaced { _ in } == nil) }

    @Test func whatUsersDoNotSeeIsNoRevision() throws {
        for replacement in [replaced { $0.updated = start + 8 }, replaced { $0.source = 4 }] {
            let replacement = try #require(replacement)
            #expect(replacement.previous == nil && replacement.row.revision == 5)
            #expect(replacement.row.lastChanged == start + 4)
        }
    }

    @Test func whatUsersSeeIsARevision() throws {
        let replacement = try #require(replaced { $0.title = "Other" })
        #expect(replacement.previous == #"{"title":"Ash"}"# && replacement.row.revision == 6)
        #expect(replacement.row.lastChanged == start + 9 * minute && replacement.old.revision == 5)
    }
}
