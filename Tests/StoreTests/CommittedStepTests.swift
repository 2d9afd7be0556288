import Foundation
import Model
import Testing

@testable import Store

/// What a step has observed is stored beside its changes.
@Suite struct CommittedStepTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func steps(after cursor: Int64 = 0, atMost changes: Int = .max) throws -> [CommittedStep] {
        try test.store.read { try CommittedStep.next(after: cursor, atMost: changes, $0) }
    }

    private func step(_ answer: FeedAnswer, from source: String = "quakes") -> StoreWrite {
        .step(PollStep(source: source, at: start, answer: answer, fingerprint: "f1"))
    }

    @Test func aSnapshotHasItsWindow() throws {
        try test.snapshot([quake("a"), quake("b")], minute: 5)
        let found = try steps()
        let window = CommittedStep.Window(
            source: "quakes", provider: "usgs", times: (start - 48 * 3600)...start, generated: start + 300,
            isComplete: true)
        #expect(found.map(\.window) == [window])
        #expect(found.map(\.number) == [2] && found.map(\.at) == [start + 300])
        #expect(found.first?.changes.map(\.after?.event.id) == ["a", "b"])
    }

    @Test func anAnswerThatProvesNoAbsenceHasASourceAlone() throws {
        var cut = FeedAnswer(events: [quake("a")])
        cut.isWhole = false
        _ = try test.store.write([step(cut)])
        #expect(try steps().map(\.window) == [CommittedStep.Window(source: "quakes", isComplete: false)])
    }

    @Test func whatIsNoNewsHasNoStep() throws {
        try test.snapshot([quake("a")], minute: 5)
        try test.snapshot([quake("a")], minute: 6)
        #expect(try test.value("SELECT count(*) FROM step") == "1")
    }

    @Test func theStepsOfOneTransactionAreApart() throws {
        let answers = [[quake("a"), quake("b")], [quake("b")], [quake("c")]].map { FeedAnswer(events: $0) }
        _ = try test.store.write([step(answers[0]), step(answers[1]), step(answers[2], from: "more")])
        let found = try steps()
        #expect(found.map(\.number) == [2, 3])
        #expect(found.map(\.window?.source) == ["quakes", "more"])
        #expect(found.map { $0.changes.map(\.change.sequence) } == [[1, 2], [3]])
        #expect(try steps(after: 2) == [found[1]])
        #expect(try steps(atMost: 1) == [found[0]], "a step comes as a whole")
        #expect(try steps(atMost: 3) == found)
    }

    @Test func aTruncationHasAStepWithoutWindow() throws {
        try test.poll([quake("a"), quake("b")])
        _ = try test.store.truncate(asOf: start + 80 * 3600, timing: .still)
        let last = try #require(try steps().last)
        #expect(last.window == nil && last.number == 4 && last.at == start + 80 * 3600)
        #expect(last.changes.map(\.isEnd) == [true, true])
    }

    @Test func stepsGoWithTheirChanges() throws {
        for id in ["a", "b", "c"] { try test.poll([quake(id)]) }
        try test.store.maintain { try $0.run("UPDATE change SET at_ms = 0 WHERE seq < 3") }
        _ = try test.store.truncate(asOf: start, timing: .still)
        #expect(try test.rows("SELECT c.seq, s.seq FROM change c JOIN step s USING (seq)") == [["3", "3"]])
        #expect(try test.value("SELECT count(*) FROM step") == "1")
    }
}
