import Model
import Testing

@testable import Gazetteer

@Suite struct TextLanguageTests {
    @Test(
        "a text has the language of its most frequent words, or of its letters; a short one may have none",
        arguments: [
            ("Ändå hör vi inte av dem", "sv"), ("Die Polizei sucht nach dem Mann", "de"),
            ("Detienen a un hombre por el robo de una moto en la capital", "es"),
            ("Un homme a été arrêté dans la nuit à Paris", "fr"), ("La polizia ha arrestato un uomo nella notte", "it"),
            ("Polícia prende homem suspeito de roubo em São Paulo", "pt"),
            ("Gempa bumi terjadi di Laut Banda dan tidak berpotensi tsunami", "id"),
            ("Depremde can kaybı yok, bir kişi yaralandı", "tr"), ("The army said that it was in the city", "en"),
            ("Politie houdt man aan voor diefstal van een auto", "nl"), ("В Москве прошёл дождь", "ru"),
            ("東京で火事がありました", "ja"), ("北京发生地震", "zh"), ("서울에서 화재", "ko"), ("У Києві пройшов дощ", nil),
            ("Le prÃ©sident Ã  la tÃªte dans les sondages, selon le parti", "fr"),
            ("Fire in Springfield", nil), ("Police arrest three after attack", nil), ("", nil),
        ] as [(String, String?)])
    func languages(text: String, expected: String?) {
        #expect(TextLanguage.of(text, declared: nil) == expected)
    }

    @Test("what the feed says goes before", arguments: [("sv-SE", "sv"), ("de", "de"), ("und", nil), ("x", nil)])
    func declared(tag: String, expected: String?) {
        #expect(TextLanguage.of("Springfield", declared: tag) == expected)
    }

    @Test(
        "a common word of the text's language is no place, unless a word such as in precedes",
        arguments: [
            ("Ändå hör vi inte av dem", []), ("Mina vänner hör inte av sig", []),
            ("Explosion in Anda", ["Anda"]), ("Mina rallies once more", ["Mina"]), ("Anda rallies once more", ["Anda"]),
        ] as [(String, [String])])
    func commonWords(text: String, expected: [String]) throws {
        let world = try TestTable(
            cities: ["Anda", "Mina"].enumerated().map { index, name in
                TestTable.City(
                    id: Int64(index + 1), name: name, population: 178_000, country: "CN", region: "08", latitude: 46.4,
                    longitude: 125.3, feature: "PPL", others: [])
            },
            areas: [TestTable.Area(code: "CN", name: "China", population: 1_300_000_000, latitude: 35, longitude: 105)])
        let finder = PlaceFinder(world.table, resolver: Resolver(world.table))
        #expect(try finder.places(in: text).map { String(text[$0.range]) } == expected)
    }

    @Test("a word is common in one language, and a city that all know is none")
    func commonness() {
        #expect(CommonWords.commonness(of: "anda", in: "sv") > 5)
        #expect(CommonWords.commonness(of: "anda", in: "en") == 0)
        #expect(CommonWords.commonness(of: "paris", in: "sv") == 0)
        #expect(CommonWords.commonness(of: "anda", in: nil) == 0)
    }
}
