import Model
import Testing

@testable import Engine

/// The steps of a look-up in the city table.
@Suite struct LookUpTests {
    /// The steps that follow these outcomes, and the end.
    private func steps(reopening: Bool = false, _ outcomes: LookUp.Outcome...) -> [LookUp.Step] {
        var lookUp = LookUp(reopening: reopening, settings: "s1")
        return [lookUp.step]
            + outcomes.map { outcome in
                lookUp.handle(outcome)
                return lookUp.step
            }
    }

    @Test func allEventsAreLookedUpBatchByBatch() {
        let table = LookUp.Step.locate(generation: "g1-s1")
        #expect(
            steps(.opened(generation: "g1"), .located(events: 256, asked: 0), .located(events: 0, asked: 0))
                == [.open, table, table, .end(mayHaveAsked: false, hasFailed: false)])
        #expect(
            steps(.opened(generation: "g1"), .located(events: 255, asked: 0))
                == [.open, table, .end(mayHaveAsked: false, hasFailed: false)])
    }

    @Test func questionsAreReopenedFirstAndAgainAfterNewOnes() {
        let table = LookUp.Step.locate(generation: "g1-s1")
        #expect(
            steps(reopening: true, .reopened, .opened(generation: "g1"), .located(events: 3, asked: 0))
                == [.reopen, .open, table, .end(mayHaveAsked: true, hasFailed: false)])
        #expect(
            steps(.opened(generation: "g1"), .located(events: 256, asked: 1), .located(events: 9, asked: 0), .reopened)
                == [.open, table, table, .reopen, .end(mayHaveAsked: true, hasFailed: false)])
    }

    @Test func withoutATableQuestionsAreReopenedAllTheSame() {
        #expect(
            steps(reopening: true, .reopened, .opened(generation: nil))
                == [.reopen, .open, .end(mayHaveAsked: true, hasFailed: false)])
        #expect(steps(.opened(generation: nil)) == [.open, .end(mayHaveAsked: false, hasFailed: false)])
    }

    @Test func aFailureEndsItAndQuestionsThatWereStoredBeforeCount() {
        let table = LookUp.Step.locate(generation: "g1-s1")
        let (none, some) = (
            LookUp.Step.end(mayHaveAsked: false, hasFailed: true), LookUp.Step.end(mayHaveAsked: true, hasFailed: true)
        )
        #expect(steps(reopening: true, .failed) == [.reopen, none])
        #expect(steps(reopening: true, .reopened, .failed) == [.reopen, .open, some])
        #expect(steps(.opened(generation: "g1"), .failed) == [.open, table, none])
        #expect(
            steps(.opened(generation: "g1"), .located(events: 256, asked: 2), .failed) == [.open, table, table, some])
        #expect(
            steps(.opened(generation: "g1"), .located(events: 2, asked: 2), .failed) == [.open, table, .reopen, some])
    }

    @Test func anOutcomeOfAnotherStepChangesNothing() {
        #expect(steps(.reopened, .located(events: 1, asked: 1)) == [.open, .open, .open])
        #expect(
            steps(.failed, .opened(generation: "g1"), .failed)
                == [.open] + [LookUp.Step](repeating: .end(mayHaveAsked: false, hasFailed: true), count: 3))
    }

    @Test func onlySettingsThatConcernPlacesMakeAnotherGeneration() {
        let sources = [
            SourceSettings(name: "a", kind: "rss", url: "https://a.test/feed"),
            SourceSettings(name: "b", kind: "rss", url: "https://b.test/feed"),
        ]
        let name = LookUp.settingsName(of: sources)
        #expect(LookUp.settingsName(of: sources.reversed()) == name)
        var others = sources
        others[0].url = "https://c.test/feed"
        others[0].refreshInterval = .seconds(7)
        #expect(LookUp.settingsName(of: others) == name)
        others[0].home = PlaceContext(country: "IT")
        #expect(LookUp.settingsName(of: others) != name)
        others = sources
        others[1].notPlaces = ["Manhattan", "Ändå"]
        let words = LookUp.settingsName(of: others)
        #expect(words != name)
        others[1].notPlaces.reverse()
        #expect(LookUp.settingsName(of: others) == words)
        others = sources
        others[1].isGeocoded = false
        #expect(LookUp.settingsName(of: others) != name)
        #expect(LookUp.settingsName(of: [sources[0]]) != name)
        #expect(LookUp.settingsName(of: sources, least: Location.leastConfidence) == name)
        #expect(LookUp.settingsName(of: sources, least: 0.8) != name)
    }
}
