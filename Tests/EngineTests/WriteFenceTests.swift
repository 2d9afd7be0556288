import Model
import Testing

@testable import Engine

@Suite struct WriteFenceTests {
    private func isRefused(_ id: WriteID, by fence: WriteFence) -> Bool {
        guard case .writeFailed(id, _, isTransient: true) = fence.refusal(of: id) else { return false }
        return true
    }

    @Test func afterAFailedWriteAllOfItsPollFail() {
        var fence = WriteFence()
        let writes = [1, 2, 3].map { WriteID(number: $0, poll: 7) }
        #expect(!writes.contains { isRefused($0, by: fence) })
        fence.failed(writes[0])
        #expect(writes.allSatisfy { isRefused($0, by: fence) })
        #expect(!isRefused(WriteID(number: 4, poll: 8), by: fence), "another poll")
    }

    @Test func aWriteOfNoPollKeepsNoneOut() {
        var fence = WriteFence()
        let id = WriteID(number: 1, poll: nil)
        fence.failed(id)
        #expect(!isRefused(id, by: fence))
    }
}
