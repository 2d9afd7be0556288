import Model
import Reconciling
import Testing

/// Which events a withdrawal takes, and what is kept of it.
@Suite struct WithdrawingTests {
    private func withdrawal(
        _ id: String = "us1", at: Int64? = 3, erases: Bool = false, takesFamily: Bool = false,
        replacements: [String] = []
    ) -> Withdrawal {
        var withdrawal = Withdrawal(
            provider: "usgs", id: id, reason: .deleted, time: at.map { .init(milliseconds: start + $0 * minute) },
            evidence: "e")
        (withdrawal.erases, withdrawal.takesFamily) = (erases, takesFamily)
        withdrawal.replacements = replacements
        return withdrawal
    }

    private func takes(
        _ withdrawal: Withdrawal, _ row: EventRow = row(quake("us1", updated: 2)), isReplaced: Bool = false,
        isListed: Bool = false, names: [String] = ["us1"]
    ) -> Bool {
        Withdrawing.takes(withdrawal, row, isReplaced: isReplaced, isListed: isListed, names: { names })
    }

    private func withdrawn(_ reason: String, erases: Bool = false) -> EventRow {
        var old = row(quake("us1", updated: 2))
        old.withdraw(by: StandingWithdrawal(reason: reason, time: start, evidence: "", erases: erases))
        return old
    }

    @Test func aLaterVersionStays() {
        #expect(takes(withdrawal(at: 2)) && takes(withdrawal(at: nil)))
        #expect(!takes(withdrawal(at: 1)) && !takes(withdrawal(at: 1, erases: true)))
        #expect(!takes(withdrawal(), row(quake("us1", time: 4))) && takes(withdrawal(), row(quake("us1", time: 3))))
        #expect(takes(withdrawal(), row(quake("us1", time: nil))), "nothing tells that it is later")
    }

    @Test func aSnapshotThatListsTheEventWithdrawsNoOtherNameOfIt() {
        #expect(!takes(withdrawal("ci1"), isListed: true) && takes(withdrawal("ci1")))
        #expect(takes(withdrawal("us1"), isListed: true))
        #expect(takes(withdrawal("ci1", erases: true), isListed: true))
    }

    @Test func whatIsReplacedMustStillShowTheName() {
        #expect(takes(withdrawal("us1"), isReplaced: true))
        #expect(!takes(withdrawal("ci1"), isReplaced: true) && takes(withdrawal("ci1")))
        #expect(takes(withdrawal("us1"), row(quake("us1 part")), isReplaced: true), "its family is replaced")
        #expect(!takes(withdrawal(replacements: ["us2"]), isReplaced: true, names: ["us1", "us2"]))
        #expect(takes(withdrawal(replacements: ["us2"]), isReplaced: true, names: ["us1", "us3"]))
    }

    @Test func onlyADeletionTakesWhatIsWithdrawn() {
        #expect(takes(withdrawal(), withdrawn(WithdrawalReason.absent)))
        #expect(!takes(withdrawal(), withdrawn("cancelled")))
        #expect(takes(withdrawal(erases: true), withdrawn("cancelled")))
        #expect(!takes(withdrawal(erases: true), withdrawn("deleted", erases: true)))
    }

    // MARK: - Kept

    @Test func theFirstIsKept() throws {
        let kept = try #require(Withdrawing.kept(withdrawal(replacements: ["us2"]), over: nil, at: start))
        #expect(kept.standing.time == start + 3 * minute && kept.replacements == ["us2"] && !kept.takesFamily)
        let timeless = try #require(Withdrawing.kept(withdrawal(at: nil, takesFamily: true), over: nil, at: start))
        #expect(timeless.standing.time == start && timeless.takesFamily)
    }

    @Test func theLaterReplacesItExceptWhatMustLast() throws {
        let deletion = try #require(
            Withdrawing.kept(withdrawal(erases: true, replacements: ["us2"]), over: nil, at: start))
        #expect(Withdrawing.kept(withdrawal(at: 3), over: deletion, at: start) == nil)
        #expect(Withdrawing.kept(withdrawal(at: nil), over: deletion, at: start + 9 * minute) == nil)
        #expect(Withdrawing.kept(withdrawal(at: 2, erases: true), over: deletion, at: start) == nil)
        let later = try #require(Withdrawing.kept(withdrawal(at: 4), over: deletion, at: start))
        #expect(later.standing.erases && later.replacements == ["us2"] && later.standing.time == start + 4 * minute)
        let others = try #require(Withdrawing.kept(withdrawal(at: 4, replacements: ["us3"]), over: deletion, at: 0))
        #expect(others.replacements == ["us3"])
    }

    @Test func aDeletionReplacesAnEarlierAndALaterOne() throws {
        let known = Withdrawing.kept(withdrawal(at: 3), over: nil, at: start)
        let earlier = try #require(Withdrawing.kept(withdrawal(at: 1, erases: true), over: known, at: start))
        #expect(earlier.standing.erases && earlier.standing.time == start + minute)
        #expect(Withdrawing.kept(withdrawal(at: nil, erases: true), over: known, at: start)?.standing.erases == true)
    }

    // MARK: - Names

    @Test func aFamilyIsAPartBeforeASpace() {
        let families = Withdrawing.families(of: "sender id 2026")
        #expect(families.map(\.name) == ["sender id 2026", "sender", "sender id"])
        #expect(families.map(\.isFamily) == [false, true, true])
        #expect(Withdrawing.families(of: "us1").count == 1)
    }

    @Test func aReplacedNameIsSuperseded() {
        let standing = StandingWithdrawal(reason: "cancelled", time: start, evidence: "", erases: false)
        func isSuperseded(_ name: String, takesFamily: Bool = false, replacements: [String]) -> Bool {
            let kept = [
                "a": StoredWithdrawal(standing: standing, takesFamily: takesFamily, replacements: replacements)
            ]
            return Withdrawing.isSuperseded(name) { kept[$0] }
        }
        #expect(isSuperseded("a", replacements: ["b"]) && !isSuperseded("a", replacements: []))
        #expect(!isSuperseded("b", replacements: ["c"]) && !isSuperseded("a 1", replacements: ["b"]))
        #expect(isSuperseded("a 1", takesFamily: true, replacements: ["b"]))
    }
}
