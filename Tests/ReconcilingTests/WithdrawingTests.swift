import Model
import Reconciling
import Testing

/// What a withdrawal takes.
@Suite struct WithdrawingTests {
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
