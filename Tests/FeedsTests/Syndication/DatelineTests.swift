import Testing

@testable import Feeds

@Suite struct DatelineTests {
    @Test(arguments: [
        ("LAGOS (Reuters) - A ship", "LAGOS"),
        ("SOCHI, Russia (Reuters) - A conference", "SOCHI, Russia"),
        ("MOSUL, Iraq/BAGHDAD (Reuters) - Troops", "MOSUL, Iraq/BAGHDAD"),
        ("QUETTA, Pakistan/PUNCAK,Indonesia (Reuters) - It was 3 a.m.", "QUETTA, Pakistan/PUNCAK,Indonesia"),
        ("BERLIN/ZURICH (Reuters)", "BERLIN/ZURICH"),
        ("BERLIN/ZURICH (Reuters) Swiss banks", "BERLIN/ZURICH"),
        ("ST. LOUIS (AP) — The river", "ST. LOUIS"),
        ("SACRAMENTO, Calif. (AP) — Fires", "SACRAMENTO, Calif."),
        ("Paris (AFP) – La tour", "Paris"),
        ("LONDON (Reuters Breakingviews) - Banks", "LONDON"),
    ])
    func placeIsWhatStandsBeforeTheAgency(_ text: String, _ place: String) {
        #expect(Dateline(text)?.place == place)
    }

    @Test func agencyIsKept() {
        #expect(Dateline("LONDON (Reuters Breakingviews) - Banks")?.agency == "Reuters Breakingviews")
    }

    @Test(arguments: [
        "", "(Reuters) - No city.", "Nothing at all", "A storm hit LAGOS. ABUJA (Reuters) - Again",
        "The minister told us so! PARIS (Reuters) - No", "in paris (Reuters) - lower case",
        "Photo by Jane Doe (Reuters) shows a ship", "LAGOS (a city in Nigeria) - text", "LAGOS(Reuters) - glued",
        String(repeating: "A", count: 81) + " (Reuters) - too long", "LAGOS (Reuters",
        "1,000 people (Reuters) - a number",
    ])
    func othersHaveNone(_ text: String) {
        #expect(Dateline(text) == nil)
    }
}
