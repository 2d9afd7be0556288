import Testing

@testable import Store

@Suite struct FairQueueTests {
    private func queue(_ elements: [(Int, String)]) -> FairQueue<Int> {
        var queue = FairQueue<Int>()
        for (element, party) in elements { queue.append(element, of: party) }
        return queue
    }

    private func order(_ queue: FairQueue<Int>) -> [Int] {
        var (queue, order) = (queue, [Int]())
        while let next = queue.next() { order.append(next.element) }
        #expect(queue.count == 0)
        return order
    }

    @Test func partiesHaveTheirTurnsAndEachIsServedInItsOrder() {
        let queue = queue([(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "b"), (6, "c")])
        #expect(queue.count == 6)
        #expect(order(queue) == [1, 4, 6, 2, 5, 3])
    }

    @Test func aPartyThatMayNotGoKeepsItsPlace() {
        var queue = queue([(1, "a"), (2, "b"), (3, "a")])
        #expect(queue.next { $0 != "a" }?.element == 2)
        #expect(queue.next { $0 != "a" } == nil)
        #expect(order(queue) == [1, 3])
    }

    @Test func theLastOfTheLongestLineMakesRoom() {
        var queue = queue([(1, "a"), (2, "a"), (3, "a"), (4, "b")])
        #expect(queue.makeRoom(for: "a") == nil, "nobody takes a place from himself")
        #expect(queue.makeRoom(for: "b") == 3)
        #expect(queue.makeRoom(for: "b") == nil, "both would be equal")
        #expect(queue.makeRoom(for: "c") == 2)
        #expect(queue.makeRoom(for: "c") == nil)
        #expect(order(queue) == [1, 4])
    }

    @Test func whatLeavesIsNotServed() {
        var queue = queue([(1, "a"), (2, "a"), (3, "b")])
        queue.removeAll(of: "b") { $0 == 3 }
        queue.removeAll(of: "a") { $0 == 1 }
        queue.removeAll(of: "c") { _ in true }
        #expect(queue.count == 1)
        #expect(order(queue) == [2])
        #expect(queue.removeAll() == [2])
        #expect(queue.count == 0)
    }
}
