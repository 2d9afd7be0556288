import Model
import Testing

@Suite struct KeywordFilterTests {
    @Test(arguments: [
        ("assad", "Assad speaks", true),
        ("assad", "The ambassador speaks", false),
        ("assad", "Assads", false),
        ("ASSAD", "president assad.", true),
        ("volcan*", "Volcanoes erupt", true),
        ("volcan*", "volcán Popocatépetl", true),
        ("volcan*", "stratovolcano", false),
        ("volcan", "volcano", false),
        ("malaga", "Málaga", true),
        ("Málaga", "malaga", true),
        ("malaga", "Ma\u{301}laga", true),
        ("new zealand", "in New  Zealand's north", true),
        ("new zealand", "New-Zealand", true),
        ("new zealand", "new zealander", false),
        ("new zeal*", "a new zealander", true),
        ("new zealand", "news Zealand", false),
        ("strasse", "Hauptstraße, Straße", true),
        ("Straße", "STRASSE", true),
        ("Øresund", "oresund", true),
        ("lodz", "Łódź", true),
        ("djurdjevac", "Đurđevac", false),
        ("durdevac", "Đurđevac", true),
        ("aegean", "Ægean", true),
        ("oeuvre", "Œuvre", true),
        ("isparta", "ISPARTA", true),
        ("kirikkale", "Kırıkkale", true),
        ("istanbul", "İstanbul", true),
        ("вулкан", "ВУЛКАН Ключевская", true),
        ("ΑΘΗΝΑΣ", "αθηνας", true),
        ("quake", "#quake, now", true),
        ("quake", "quake_now", true),
        ("5.1", "magnitude 5.1", true),
        ("", "anything", false),
        (" * ", "anything", false),
    ])
    func whole(word: String, text: String, isMatch: Bool) {
        #expect(KeywordFilter([word]).matches(text) == isMatch)
    }

    @Test(
        "Scripts without spaces between words match anywhere",
        arguments: [
            ("地震", "東京で地震がありました", true),
            ("地震", "東京で台風がありました", false),
            ("ภูเขาไฟ", "การระเบิดของภูเขาไฟในวันนี้", true),
            ("twitter", "トランプがTwitterで", true),
            ("witter", "トランプがTwitterで", false),
            ("M7地震", "速報M7地震です", true),
            ("M7地震", "XM7地震です", false),
            ("はし", "ばしょ", false),
            ("たか", "たがい", false),
            ("たが", "たか\u{3099}い", true),
            ("🌋", "now🌋!", true),
        ])
    func anywhere(word: String, text: String, isMatch: Bool) {
        #expect(KeywordFilter([word]).matches(text) == isMatch)
    }

    @Test func anyOfTheList() {
        let filter = KeywordFilter(["erupt*", "", "earthquake*", "earthquake*"])
        #expect(filter.words == ["erupt*", "", "earthquake*", "earthquake*"])
        #expect(filter.matches("Eruption"))
        #expect(filter.matches("two earthquakes"))
        #expect(!filter.matches("weather"))
        #expect(!filter.matches(""))
    }

    @Test func withoutAUsableWordNothingMatches() {
        #expect(KeywordFilter([]).isEmpty)
        #expect(KeywordFilter(["", "*", " - "]).isEmpty)
        #expect(!KeywordFilter([]).matches("anything"))
        #expect(!KeywordFilter(["a"]).isEmpty)
    }

    @Test func equalWhenTheWordsAre() {
        #expect(KeywordFilter(["a"]) == KeywordFilter(["a"]))
        #expect(KeywordFilter(["a"]) != KeywordFilter(["b"]))
    }
}
