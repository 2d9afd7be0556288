import Testing

@testable import HTTPService

@Suite struct HeldBytesTests {
    @Test func largeAnswersFindRoomOrNot() {
        let held = HeldBytes(most: 1 << 20)
        #expect(held.take(1 << 20))
        #expect(!held.take(64 << 10))
        #expect(held.take((64 << 10) - 1), "small ones always find room")
        held.give((64 << 10) - 1)
        held.give(1 << 20)
        #expect(held.take(1 << 20), "what was refused is not held")
    }
}
