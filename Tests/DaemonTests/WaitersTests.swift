import ProcessSupport
import Testing

@testable import Daemon

@Suite(.timeLimit(.minutes(60))) struct WaitersTests {
    private let waiters = Waiters<String, Int>(last: 0)
    private let asked = Facts<String>()

    private func wait(for key: String) async -> Int {
        await waiters.wait(for: key) { [asked] in asked.append(key) }
    }

    @Test func anAnswerReachesAllWhoHaveAskedForIt() async {
        async let first = wait(for: "a")
        async let second = wait(for: "a")
        async let other = wait(for: "b")
        let areThree = await asked.wait { $0.count == 3 }
        #expect(areThree)
        waiters.answer("a", with: 1)
        waiters.answer("b", with: 2)
        let answers = await [first, second, other]
        #expect(answers == [1, 1, 2])
    }

    @Test func anAnswerForOneReachesTheOneWhoHasWaitedLongest() async {
        async let first = wait(for: "a")
        let isFirst = await asked.wait { $0.count == 1 }
        async let second = wait(for: "a")
        let isSecond = await asked.wait { $0.count == 2 }
        #expect(isFirst && isSecond)
        waiters.answerFirst("a", with: 1)
        waiters.answerFirst("a", with: 2)
        waiters.answerFirst("a", with: 3)
        let answers = await [first, second]
        #expect(answers == [1, 2])
    }

    @Test func afterTheEndNobodyAsksOrWaits() async {
        async let early = wait(for: "a")
        let isAsked = await asked.wait { !$0.isEmpty }
        #expect(isAsked)
        waiters.close()
        let answers = await [early, wait(for: "a")]
        #expect(answers == [0, 0])
        #expect(asked.all == ["a"])
        waiters.answer("a", with: 1)
    }
}
