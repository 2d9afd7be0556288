import Foundation
import Model
import Testing

@testable import Simulation

/// The oracle's memory of states, and what its clients of the read API understand.
@Suite struct StateMemoryTests {
    private func memory(_ changes: (EventChange.Kind, String, StateMemory.State)...) -> StateMemory {
        var memory = StateMemory()
        for (kind, id, state) in changes { memory.append(StateMemory.Change(id: id, kind: kind, state: state)) }
        return memory
    }

    private let one = StateMemory.State.known(1, words: 1)
    private let two = StateMemory.State.known(2, words: 2)

    @Test func statesAreThoseOfTheLastChangeBefore() {
        let memory = memory((.new, "a", one), (.new, "b", one), (.revised, "a", two), (.truncated, "b", .gone))
        #expect(memory.newest == 4 && memory.ids == ["a", "b"])
        #expect(memory.state(of: "a", at: 0) == nil && memory.state(of: "b", at: 1) == nil)
        #expect(memory.state(of: "a", at: 2) == one && memory.state(of: "a", at: 4) == two)
        #expect(memory.state(of: "b", at: 3) == one && memory.state(of: "b", at: 4) == .gone)
        #expect(memory.changes(of: "a", after: 1).map(\.number) == [3])
        #expect(memory[4]?.isEnd == true && memory[3]?.isEnd == false && memory[5] == nil)
    }

    @Test func aMergeLeadsFromOneToTheOther() {
        let memory = memory(
            (.new, "a", one), (.new, "b", one), (.new, "c", one), (.merged, "b", .gone), (.merged, "a", two),
            (.merged, "c", .gone), (.merged, "a", two))
        #expect(memory[4]?.successor == "a" && memory[5]?.successor == nil)
        #expect(memory[6]?.successor == "a" && memory[7]?.isEnd == false)
    }

    @Test func whatTheDiskHasLostIsForgotten() {
        var memory = memory((.new, "a", one), (.revised, "a", two), (.new, "b", one))
        memory.forget(after: 1)
        #expect(memory.newest == 1 && memory.state(of: "a", at: 9) == one && memory.state(of: "b", at: 9) == nil)
        memory.begin(at: 7, with: ["c": two])
        #expect(memory.newest == 7 && memory.state(of: "c", at: 7) == two && memory[7] == nil)
    }

    @Test func aBrokenMessageIsNotRead() throws {
        let text =
            "retry: 3000\nid: 4\n: visiventd\n\nid: 5\nevent: change\n"
            + "data: {\"seq\":5,\"kind\":\"left\",\"id\":\"x\",\"feature\":null}\n\n: beat\n\nid: 6\nevent: cha"
        let messages = try APIReader.messages(Array(text.utf8))
        #expect(messages.count == 2)
        guard case .mark(4)? = messages.first, case .change(let told)? = messages.last else {
            Issue.record("\(messages)")
            return
        }
        #expect(told.number == 5 && told.kind == "left" && told.id == "x" && told.words == nil)
        let gap = try APIReader.messages(Array("id: 9\nevent: gap\ndata: {\"oldest\":3}\n\n".utf8))
        guard case .gap? = gap.first else {
            Issue.record("\(gap)")
            return
        }
    }
}
