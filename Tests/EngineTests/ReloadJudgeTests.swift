import Foundation
import Model
import Testing

@testable import Engine

/// When the configuration is read again, whether it comes into force, and what is reported.
@Suite struct ReloadJudgeTests {
    private static let one = [EngineHarness.source("a", offset: .seconds(86_400))]
    private static let two = one + [EngineHarness.source("b", offset: .seconds(86_400))]

    private static func good(_ settings: [SourceSettings], unread: Set<String> = []) -> ConfigurationReading.Outcome {
        .good(EngineHarness.draft(settings, unread: unread))
    }

    private static func refused(_ faults: [String], isGone: Bool = false) -> ConfigurationReading.Outcome {
        .faulty(faults.map { Failure(.operator, .notConfigured, $0) }, isGone: isGone)
    }

    /// An engine that watches the file and has looked at it once.
    private func harness() -> EngineHarness {
        let harness = EngineHarness(Self.one, reload: ReloadPlan(watchesEdits: true))
        harness.advance(.seconds(1))
        harness.looks = []
        return harness
    }

    /// Edits the file and waits until the edit has settled.
    private func edit(_ harness: EngineHarness, _ file: ConfigurationReading.Outcome) {
        harness.file = file
        harness.give(.reload(.look(.edit)))
        harness.advance(ReloadJudge.settling)
    }

    private func outcomes(_ harness: EngineHarness) -> [ReloadReport.Outcome] { harness.reloads.map { $0.outcome } }

    private func causes(_ harness: EngineHarness) -> [ReloadCause] { harness.reloads.map { $0.cause } }

    // MARK: Readings

    @Test func itMayHaveBeenEditedWhileTheProgramBegan() {
        let watching = EngineHarness(Self.one, reload: ReloadPlan(watchesEdits: true))
        watching.advance(.seconds(10))
        #expect(watching.looks.map { $0.at } == [.milliseconds(200)])
        #expect(watching.reloads.isEmpty)
        let other = EngineHarness(Self.one, reload: ReloadPlan(watchesEdits: false))
        other.advance(.seconds(10))
        #expect(other.looks.isEmpty)
    }

    @Test func anEditIsReadOnceItHasSettled() {
        let harness = harness()
        harness.file = Self.good(Self.two)
        harness.give(.reload(.look(.edit)))
        harness.advance(.milliseconds(100))
        harness.give(.reload(.look(.edit)))
        harness.advance(.milliseconds(99))
        #expect(harness.looks.isEmpty)
        harness.advance(.milliseconds(1))
        #expect(harness.looks.map { $0.order } == [ReadingOrder(file: .unless(content: 0), readsSecrets: false)])
        #expect(harness.configured.map(\.added) == [["b"]])
        harness.advance(.seconds(200))
        #expect(harness.looks.count == 1)
    }

    @Test func anEditThatLeavesTheFileAsItWasSaysNothing() {
        let harness = harness()
        for _ in 0..<3 {
            harness.give(.reload(.look(.edit)))
            harness.advance(.seconds(1))
        }
        #expect(harness.looks.count == 3)
        #expect(harness.reloads.isEmpty)
        harness.file = Self.good(Self.one)
        harness.give(.reload(.look(.command)))
        #expect(harness.configured == [SourceChanges()], "who asks is told")
    }

    @Test func anEditDuringAReadingIsReadAfterIt() {
        let harness = harness()
        harness.readingHangs = true
        edit(harness, Self.good(Self.two))
        harness.give(.reload(.look(.edit)))
        harness.advance(.seconds(5))
        #expect(harness.looks.count == 1, "there is one reading at a time")
        harness.give(.reload(.read(harness.read(harness.looks[0].order))))
        #expect(harness.looks.count == 2)
        #expect(harness.looks.last?.at == harness.elapsed)
    }

    @Test func eachCommandHasAReadingOfItsOwn() {
        let harness = harness()
        harness.file = Self.good(Self.two)
        harness.readingHangs = true
        harness.give(.reload(.look(.command)))
        harness.give(.reload(.look(.command)))
        #expect(harness.looks.map { $0.order.file } == [.always])
        harness.give(.reload(.read(harness.read(harness.looks[0].order))))
        #expect(harness.looks.count == 2)
        harness.give(.reload(.read(harness.read(harness.looks[1].order))))
        #expect(causes(harness) == [.command, .command])
        #expect(harness.configured.map(\.added) == [["b"], []])
        for _ in 0..<3 { harness.give(.reload(.look(.signal))) }
        harness.readingHangs = false
        harness.give(.reload(.read(harness.read(harness.looks[2].order))))
        #expect(harness.looks.count == 4, "signals that come meanwhile are one")
        #expect(causes(harness).suffix(2) == [.signal, .signal])
    }

    @Test func aProgramThatStopsReadsNothingMore() {
        let harness = harness()
        harness.file = Self.good(Self.two)
        harness.give(.reload(.look(.edit)))
        harness.give(.stop)
        harness.give(.reload(.look(.command)))
        harness.advance(.seconds(10))
        #expect(harness.looks.isEmpty && harness.isStopped)
    }

    // MARK: Refusals and failures

    @Test func whatIsRefusedIsToldAndNotTriedAgain() {
        let harness = harness()
        edit(harness, Self.refused(["line 3"]))
        harness.advance(.seconds(300))
        #expect(harness.looks.count == 1)
        #expect(outcomes(harness) == [.refused(["line 3"])])
        harness.give(.reload(.look(.signal)))
        edit(harness, Self.refused(["no such file"], isGone: true))
        harness.give(.reload(.look(.command)))
        #expect(causes(harness) == [.edit, .signal, .removal, .command])
        #expect(harness.reloads.allSatisfy { $0.isSaid && $0.isNoted })
        #expect(harness.engine.sourceNames == ["a"])
        edit(harness, Self.good(Self.two))
        #expect(harness.engine.sourceNames == ["a", "b"])
    }

    @Test func whatCannotBeReadIsReadAgainAtGrowingPauses() {
        let harness = harness()
        edit(harness, .faulty([EngineHarness.ours("no descriptor is left")], isGone: false))
        harness.advance(.seconds(190))
        let times = harness.looks.map { $0.at }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        let seconds: [Int] = [1, 2, 4, 8, 16, 32, 60, 60]
        #expect(pauses == seconds.map { Duration.seconds($0) })
        #expect(harness.looks.dropFirst().allSatisfy { $0.order.file == .always })
        #expect(harness.reloads.filter { $0.isSaid }.count == 1, "that it is as it was is not said again")
        #expect(Set(harness.reloads.map { $0.since }) == [harness.reloads[0].since])

        harness.give(.reload(.look(.command)))
        #expect(harness.reloads.last?.isSaid == true, "but to who asks")
        #expect(harness.reloads.last?.since == harness.reloads[0].since)

        harness.file = Self.good(Self.two)
        harness.advance(.seconds(60))
        #expect(harness.configured.map(\.added) == [["b"]])
        #expect(harness.reloads.last?.cause == .edit && harness.reloads.last?.isSaid == true)
        let count = harness.looks.count
        harness.advance(.seconds(300))
        #expect(harness.looks.count == count)
        edit(harness, .faulty([EngineHarness.ours("no descriptor is left")], isGone: false))
        harness.advance(.seconds(1))
        #expect(harness.looks.count == count + 2, "the pauses begin anew")
    }

    @Test func aFileOfWhichAnythingMayPassIsReadAgain() {
        let harness = harness()
        let faults = [Failure(.operator, .notConfigured, "line 3"), EngineHarness.ours("no descriptor is left")]
        edit(harness, .faulty(faults, isGone: true))
        #expect(outcomes(harness) == [.unread(["line 3", "no descriptor is left"])])
        #expect(causes(harness) == [.edit], "it may be there after all")
        harness.advance(.seconds(1))
        #expect(harness.looks.count == 2)
    }

    @Test func aSecretThatOnlyTheOperatorCanMendIsNotWaitedFor() {
        let harness = harness()
        var draft = EngineHarness.draft(Self.two)
        draft.faults = [Failure(.operator, .secret, "key: Permission denied")]
        edit(harness, .good(draft))
        #expect(harness.configured.map(\.added) == [["b"]])
        harness.secrets = draft
        harness.advance(.seconds(300))
        #expect(harness.configured.count == 1)
        harness.secrets = EngineHarness.draft(Self.two)
        harness.advance(.seconds(60))
        #expect(harness.configured.count == 2, "once it can be read, it is used")
        #expect(harness.reloads.last?.cause == .secret)
        let count = harness.looks.count
        harness.advance(.seconds(300))
        #expect(harness.looks.count == count)
    }

    @Test(arguments: [false, true]) func whatCannotBePreparedIsTriedAgainWhereThatMayHelp(isTransient: Bool) {
        let harness = harness()
        harness.preparation = .notPrepared(Failure(isTransient ? .ours : .operator, .store, "not now"))
        edit(harness, Self.good(Self.two))
        harness.advance(.seconds(2))
        #expect(harness.notConfigured.count == (isTransient ? 2 : 1))
        #expect(harness.reloads.filter { $0.isSaid }.count == 1)
        harness.preparation = .prepared
        harness.advance(.seconds(300))
        #expect(harness.configured.map(\.added) == (isTransient ? [["b"]] : []))
        harness.give(.reload(.look(.command)))
        #expect(harness.engine.sourceNames == ["a", "b"])
    }

    @Test func whatTheStoreCannotTakeIsTriedAgain() {
        let harness = harness()
        harness.storeWorks = false
        edit(harness, Self.good(Self.two))
        harness.advance(.seconds(3))
        let failure = ReloadReport.Outcome.failed(reason: "disk full", isTransient: true)
        #expect(outcomes(harness) == [failure, failure, failure])
        #expect(harness.engine.sourceNames == ["a"])
        harness.storeWorks = true
        harness.advance(.seconds(4))
        #expect(harness.engine.sourceNames == ["a", "b"])
    }

    @Test func aReadingThatWasTakenBackDoesNotComeIntoForce() {
        let harness = harness()
        harness.storeWorks = false
        edit(harness, Self.good(Self.two))
        edit(harness, Self.refused(["line 3"]))
        harness.storeWorks = true
        harness.advance(.seconds(300))
        #expect(harness.configured.isEmpty)
    }

    // MARK: Secrets

    @Test func aConfigurationWaitsForItsSecretsForAMinute() {
        let harness = harness()
        edit(harness, Self.good(Self.two, unread: ["key: no descriptor"]))
        #expect(outcomes(harness) == [.unread(["key: no descriptor"])])
        harness.advance(ReloadJudge.patience - .milliseconds(1))
        #expect(harness.configured.isEmpty)
        #expect(harness.reloads.filter { $0.isSaid }.count == 1)
        harness.advance(.milliseconds(1))
        #expect(harness.configured.map(\.added) == [["b"]], "the last pause is no longer than the rest of the minute")

        edit(harness, Self.good(Self.one, unread: ["key: no descriptor"]))
        #expect(harness.configured.count == 2, "what is missing already is no reason to wait")
        edit(harness, Self.good(Self.two, unread: ["key: no descriptor", "token: no descriptor"]))
        #expect(harness.configured.count == 2, "another is")
        harness.file = Self.good(Self.two, unread: ["key: no descriptor"])
        harness.advance(.seconds(60))
        #expect(harness.configured.count == 3)
    }

    @Test func theMinuteBeginsAnewAfterAFaultyFile() {
        let harness = harness()
        let waiting = Self.good(Self.two, unread: ["key: no descriptor"])
        edit(harness, waiting)
        harness.advance(.seconds(40))
        edit(harness, Self.refused(["line 3"]))
        edit(harness, waiting)
        harness.advance(.seconds(59))
        #expect(harness.configured.isEmpty)
        harness.advance(.seconds(1))
        #expect(harness.configured.count == 1)
    }

    @Test func aSecretThatCanBeReadAgainComesIntoForceWithoutTheFile() {
        let harness = EngineHarness(
            Self.one, reload: ReloadPlan(watchesEdits: false, faults: ["key", "token"].map(EngineHarness.ours)))
        harness.file = Self.good(Self.two)
        harness.secrets = EngineHarness.draft(Self.one, unread: ["key", "token"])
        harness.advance(.seconds(1))
        #expect(harness.looks.map { $0.order } == [ReadingOrder(file: .never, readsSecrets: true)])
        #expect(harness.reloads.isEmpty)
        harness.secrets = EngineHarness.draft(Self.one, unread: ["key"])
        harness.advance(.seconds(1))
        #expect(harness.configured == [SourceChanges()])
        #expect(causes(harness) == [.secret])
        #expect(harness.reloads[0].isSaid && !harness.reloads[0].isNoted)

        harness.secrets = EngineHarness.draft(Self.one, unread: ["token"])
        harness.advance(.seconds(10))
        #expect(harness.reloads.count == 1, "those that could be read are not given up")

        harness.secrets = EngineHarness.draft(Self.one)
        harness.storeWorks = false
        harness.advance(.seconds(60))
        #expect(harness.reloads.count > 1 && harness.reloads.dropFirst().allSatisfy { !$0.isSaid && !$0.isNoted })
        harness.storeWorks = true
        harness.advance(.seconds(60))
        #expect(harness.configured.count == 2)
        let count = harness.looks.count
        harness.advance(.seconds(300))
        #expect(harness.looks.count == count)

        harness.give(.reload(.look(.command)))
        #expect(harness.configured.last?.added == ["b"])
    }
}
