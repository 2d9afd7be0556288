import Settings
import Testing

@Suite struct NearestWordTests {
    private static let periods = ["significant_day", "4.5_day", "1.0_day", "1.0_week", "all_hour", "all_day"]

    @Test(
        arguments: [
            ("all_dya", "all_day"), ("day", "all_day"), ("4.5day", "4.5_day"), ("M4.5_day", "4.5_day"),
            ("5.0_day", nil),
            ("1.0", nil), ("all", nil), ("month", nil),
        ] as [(String, String?)])
    func aNumberIsNoSlipAndWhatSeveralBeginWithIsNoneOfThem(word: String, nearest: String?) {
        #expect(NearestWord.to(word, among: Self.periods) == nearest)
    }

    @Test func aHintEndsASentence() {
        let known = ["max_magnitude", "min_magnitude"]
        #expect(NearestWord.hint(for: "minmagnitude", among: known) == "; did you mean min_magnitude?")
        #expect(NearestWord.hint(for: "minmagnitude", among: ["bbox"]).isEmpty)
    }

    @Test(arguments: [
        ("databse", "database"), ("Max-Age", "max_age"), ("refresh", "refresh_interval"), ("sourcesss", "sources"),
    ])
    func aSlipABeginningAndASurplusAreFound(word: String, nearest: String) {
        #expect(NearestWord.to(word, among: ["database", "max_age", "refresh_interval", "sources"]) == nearest)
    }
}
