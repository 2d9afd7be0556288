import Foundation
import Model
import Testing

@testable import Engine

@Suite struct WriteFenceTests {
    private final class Writes {
        private var fence = WriteFence()
        private var number = 0

        var count: Int { fence.count }

        private func next(_ poll: Int?) -> WriteID {
            number += 1
            return WriteID(number: number, poll: poll)
        }

        private func step(_ source: String) -> StoreWrite {
            .step(PollStep(source: source, at: Date(timeIntervalSince1970: 0), fingerprint: "f"))
        }

        func fail(of poll: Int?, _ source: String = "a") { fence.failed(next(poll), step(source)) }

        func isRefused(of poll: Int?, _ source: String = "a") -> Bool {
            let id = next(poll)
            let refusal = fence.refusal(of: id, step(source))
            if case .writeFailed(id, _, isTransient: true)? = refusal { return true }
            return false
        }
    }

    @Test func afterAFailedWriteAllOfItsPollFail() {
        let writes = Writes()
        #expect(!writes.isRefused(of: 7))
        writes.fail(of: 7)
        #expect(!writes.isRefused(of: 8, "b"), "another source")
        #expect(writes.isRefused(of: 7))
        #expect(writes.isRefused(of: 7))
        #expect(!writes.isRefused(of: 9), "the next poll")
    }

    @Test func aWriteOfNoPollKeepsNoneOut() {
        let writes = Writes()
        writes.fail(of: nil)
        #expect(!writes.isRefused(of: nil))
        #expect(writes.count == 0)
    }

    @Test func itForgetsAPollWithTheNextOneOfItsSource() {
        let writes = Writes()
        for poll in 1...1000 {
            let source = "s\(poll % 3)"
            #expect(!writes.isRefused(of: poll, source))
            writes.fail(of: poll, source)
            #expect(writes.isRefused(of: poll, source))
        }
        #expect(writes.count == 3)
        for source in ["s0", "s1", "s2"] { #expect(!writes.isRefused(of: 1001, source)) }
        #expect(writes.count == 0)
    }
}
