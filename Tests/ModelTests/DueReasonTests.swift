import Model
import Testing

@Suite struct DueReasonTests {
    @Test func wordsAreThoseThatDatabasesHold() {
        let words = [
            "interval", "back-off", "retry-after", "rate-limit", "server-interval", "work", "gone", "stream",
            "reconnect", "spend-cap",
        ]
        #expect(DueReason.allCases.map { $0.rawValue } == words)
        #expect(words.map { DueReason(rawValue: $0) } == DueReason.allCases)
    }

    @Test func aWordOfAnotherVersionIsKeptAndShown() {
        let reason = DueReason(rawValue: "full-moon")
        #expect(reason == .unknown("full-moon"))
        #expect("\(reason)" == "full-moon")
    }
}
