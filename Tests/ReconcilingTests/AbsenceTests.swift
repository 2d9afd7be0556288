import Model
import Reconciling
import Testing

/// What it proves that a snapshot does not list an event.
@Suite struct AbsenceTests {
    private func coverage(_ generated: Int64 = 10, present: [String] = [], isWhole: Bool = true) -> Coverage {
        var coverage = Coverage(
            provider: "usgs", generated: .init(milliseconds: start + generated * minute), window: nil,
            present: present)
        if isWhole { coverage.window = .init(milliseconds: start) ... .init(milliseconds: start + 9 * minute) }
        return coverage
    }

    private func link(
        _ source: Int64 = 2, isEnabled: Bool = true, isPromised: Bool = true, missingSince: Int64? = nil,
        coveredFrom: Int64? = -60
    ) -> Absence.Link {
        Absence.Link(
            source: source, isEnabled: isEnabled, isPromised: isPromised,
            missingSince: missingSince.map { start + $0 * minute },
            coveredFrom: coveredFrom.map { start + $0 * minute })
    }

    private enum Note { case keep, set, clear }

    private func judge(
        _ row: EventRow? = row(quake("us1")), since: Int64? = nil, present: [String] = [], names: [String] = ["us1"],
        links: [Absence.Link] = []
    ) -> (note: Note, isGone: Bool) {
        var absence = Absence(coverage(present: present), of: 1, inside: 1)
        let note = absence.judge(row, since: since, names: { names }, links: { links })
        let isGone = !absence.proved.isEmpty
        guard case .miss(_, let time) = note else { return (.keep, isGone) }
        #expect(time == nil || time == start + 10 * minute)
        return (time == nil ? .clear : .set, isGone)
    }

    @Test func anEventThatNoSourceShowsIsGone() {
        #expect(judge() == (.set, true))
        #expect(judge(since: start) == (.keep, true))
    }

    @Test func anItemThatIsPresentIsNotMissing() {
        #expect(judge(present: ["ci1"], names: ["us1", "ci1"]) == (.keep, false))
        #expect(judge(since: start, present: ["ci1"], names: ["us1", "ci1"]) == (.clear, false))
    }

    @Test func whatIsNotOfTheProviderOrIsWithdrawnProvesNothing() {
        #expect(judge(nil) == (.keep, false) && judge(row(report("a"))) == (.keep, false))
        var withdrawn = row(quake("us1"))
        withdrawn.withdrawnReason = "cancelled"
        #expect(judge(withdrawn) == (.set, false))
    }

    @Test func anotherSourceThatShowsItKeepsIt() {
        #expect(judge(links: [link()]) == (.set, false))
        #expect(judge(links: [link(1)]) == (.set, true), "its own link is no other source's")
        #expect(judge(links: [link(isEnabled: false)]) == (.set, true))
        #expect(judge(links: [link(isPromised: false)]) == (.set, true))
        #expect(judge(links: [link(missingSince: 1)]) == (.set, true))
        #expect(judge(links: [link(missingSince: 1), link(3)]) == (.set, false))
    }

    @Test func aSourceCoversWhatIsNotBeforeItsCoverage() {
        #expect(judge(links: [link(coveredFrom: 0)]) == (.set, false))
        #expect(judge(links: [link(coveredFrom: 1)]) == (.set, true))
        #expect(judge(links: [link(coveredFrom: nil)]) == (.set, true))
    }

    /// How many of `count` missing events, of which `before` were missing earlier, are withdrawn.
    private func proved(_ count: Int, inside: Int, before: Int = 0, foreign: Int = 0, withdrawn: Int = 0) -> Int {
        var absence = Absence(coverage(), of: 1, inside: inside)
        for index in 0..<count {
            _ = absence.judge(
                row(quake("us\(index)")), since: index < before ? start : nil, names: { [] }, links: { [] })
        }
        for _ in 0..<foreign { _ = absence.judge(nil, since: nil, names: { [] }, links: { [] }) }
        var old = row(quake("us"))
        old.withdrawnReason = "cancelled"
        for _ in 0..<withdrawn { _ = absence.judge(old, since: nil, names: { [] }, links: { [] }) }
        return absence.proved.count
    }

    @Test func manyAtOnceNeedASecondSnapshot() {
        #expect(proved(5, inside: 5) == 5, "few are no mass")
        #expect(proved(6, inside: 60) == 6 && proved(6, inside: 59) == 0)
        #expect(proved(6, inside: 59, before: 2) == 2)
        #expect(proved(6, inside: 61, foreign: 2) == 0, "what is no proof is not in the window")
        #expect(proved(6, inside: 61, withdrawn: 2) == 0 && proved(6, inside: 62, withdrawn: 2) == 6)
    }

    @Test func aSnapshotOfTheSameTimeIsNoSecondOne() {
        var absence = Absence(coverage(), of: 1, inside: 6)
        for index in 0..<6 {
            _ = absence.judge(
                row(quake("us\(index)")), since: start + 10 * minute, names: { [] }, links: { [] })
        }
        #expect(absence.proved.isEmpty)
    }

    @Test func theEvidenceNamesTheSource() {
        let standing = Absence(coverage(), of: 1, inside: 0).withdrawal(from: "quakes", since: start)
        #expect(standing.reason == "absent" && standing.time == start + 10 * minute && !standing.erases)
        #expect(standing.evidence.hasPrefix("missing from quakes since 2026-01-01T00:00:00Z; "))
    }

    // MARK: - What is kept of a snapshot

    private let last = LastSnapshot(
        generated: start, fingerprint: "f1", settledFingerprint: "f1", from: start - minute, to: start + minute)

    @Test func aWholeSnapshotReplacesWhatIsCovered() {
        let next = LastSnapshot(coverage(), after: last, under: "f2", isWaiting: false)
        let expected = LastSnapshot(
            generated: start + 10 * minute, fingerprint: "f2", settledFingerprint: "f2", from: start,
            to: start + 9 * minute)
        #expect(next == expected)
        #expect(LastSnapshot(coverage(), after: nil, under: "f2", isWaiting: false) == expected)
    }

    @Test func anIncompleteOneSettlesNothing() {
        let next = LastSnapshot(coverage(isWhole: false), after: last, under: "f2", isWaiting: false)
        #expect(next.settledFingerprint == "f1" && next.fingerprint == "f2")
        #expect(next.from == last.from && next.to == last.to)
        let first = LastSnapshot(coverage(isWhole: false), after: nil, under: "f2", isWaiting: false)
        #expect(first.settledFingerprint == "f2" && first.from == nil && first.to == nil)
    }

    @Test func whileItemsWaitTheSameSnapshotIsNewsAgain() {
        let next = LastSnapshot(coverage(), after: last, under: "f1", isWaiting: true)
        #expect(Document.isNews(coverage(), after: next, under: "f1"))
    }

    @Test func otherSettingsMakeABaseline() {
        #expect(LastSnapshot.isBaseline(after: last, under: "f2") && !LastSnapshot.isBaseline(after: last, under: "f1"))
        #expect(!LastSnapshot.isBaseline(after: nil, under: "f2"))
        var incomplete = last
        incomplete.fingerprint = "f2"
        #expect(LastSnapshot.isBaseline(after: incomplete, under: "f2"), "it has settled nothing")
    }
}
