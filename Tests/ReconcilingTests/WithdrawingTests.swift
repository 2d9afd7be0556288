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
}
