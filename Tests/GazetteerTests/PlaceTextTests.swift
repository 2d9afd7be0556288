import Model
import Testing

@testable import Gazetteer

@Suite struct PlaceTextTests {
    private func names(_ text: String, _ style: PlaceText.Style) -> [String] {
        PlaceText(text, style: style).parts.compactMap { part -> String? in
            if case .name(let name) = part { name } else { nil }
        }
    }

    @Test(
        "datelines",
        arguments: [
            ("LAGOS", ["LAGOS"]),
            ("SOCHI, Russia", ["SOCHI, Russia"]),
            ("MOSUL, Iraq/BAGHDAD", ["MOSUL, Iraq", "BAGHDAD"]),
            ("QUETTA, Pakistan/PUNCAK,Indonesia", ["QUETTA, Pakistan", "PUNCAK, Indonesia"]),
            ("BERLIN/ZURICH", ["BERLIN", "ZURICH"]),
            ("WASHINGTON/NEW YORK", ["WASHINGTON", "NEW YORK"]),
            ("SACRAMENTO, Calif.", ["SACRAMENTO, Calif."]),
            ("LONDON, Oct 25", ["LONDON"]),
            ("NEAR MOSUL, Iraq", ["MOSUL, Iraq"]),
            ("SOUTH OF KIRKUK, Iraq", ["KIRKUK, Iraq"]),
            ("ABOARD USS NIMITZ", []),
            ("ABOARD USS NIMITZ/TOKYO", ["TOKYO"]),
            ("UNITED NATIONS", []),
        ] as [(String, [String])])
    func datelines(_ text: String, _ expected: [String]) {
        #expect(names(text, .feed) == expected)
    }

    @Test("areas of an alert belong together, cities of a dateline do not")
    func areas() {
        let text = PlaceText("Adams, IL; Brown, IL; Cass, IL", style: .feed)
        #expect(text.parts == [.name("Adams, IL"), .name("Brown, IL"), .name("Cass, IL")])
        #expect(text.isAreaList)
        #expect(!PlaceText("BERLIN/ZURICH", style: .feed).isAreaList)
        #expect(!PlaceText("Adams, IL;", style: .feed).isAreaList)
    }

    @Test(
        "what authors write",
        arguments: [
            ("London / Paris", ["London", "Paris"]),
            ("NYC | LA", ["NYC", "LA"]),
            ("London, UK 🇬🇧", ["London, UK"]),
            ("Paris ✈ Tokyo", ["Paris", "Tokyo"]),
            ("London & Paris", ["London & Paris", "London", "Paris"]),
            ("São Paulo - Brasil", ["São Paulo, Brasil"]),
            ("Springfield (Illinois)", ["Springfield, Illinois"]),
            ("living in Oslo", ["Oslo"]),
            ("東京", ["東京"]),
            ("Washington, D.C.", ["Washington, D.C."]),
        ] as [(String, [String])])
    func authors(_ text: String, _ expected: [String]) {
        #expect(names(text, .author) == expected)
    }

    @Test(
        "texts that are no place",
        arguments: [
            "", " ", "he/him", "she/her/hers", "they/them", "everywhere", "Everywhere!", "in your heart", "Worldwide",
            "the moon", "🌍 Earth", "Earth", "Planet Earth", "the internet", "Internet", "127.0.0.1", "@somebody",
            "http://example.org", "#london", "+1 555 0100", "x", "???", "🌍🌍🌍", "nowhere and everywhere",
            "ask me on twitter", "Behind you", "your mom's house", String(repeating: "Paris ", count: 1000),
        ])
    func nowhere(_ text: String) {
        #expect(PlaceText(text, style: .author).parts.isEmpty)
    }

    @Test("coordinates that a device has written are read, latitude first")
    func coordinates() throws {
        let expected = try #require(Coordinate(latitude: 12.5, longitude: 3.5))
        #expect(PlaceText("ÜT: 12.5,3.5", style: .author).parts == [.coordinate(expected, text: "ÜT: 12.5,3.5")])
        let south = try #require(Coordinate(latitude: -33.86, longitude: 151.21))
        #expect(
            PlaceText("iPhone: -33.86,151.21", style: .author).parts
                == [.coordinate(south, text: "iPhone: -33.86,151.21")])
    }

    @Test(
        "other numbers are no coordinates",
        arguments: [
            "ÜT: 0.0,0.0", "ÜT: 91.5,3.5", "12,3", "1.5 million people, 2.5 cars", "3.5.2,1.2.3", "1.5,2.5,3.5",
        ])
    func noCoordinates(_ text: String) {
        let parts = PlaceText(text, style: .author).parts
        #expect(parts.allSatisfy { if case .coordinate = $0 { false } else { true } })
    }

    @Test("only what looks like a place is worth a question")
    func worthAsking() {
        #expect(PlaceText.isWorthAsking("Xanadu"))
        #expect(PlaceText.isWorthAsking("Little Xanadu, Ohio"))
        #expect(!PlaceText.isWorthAsking("xanadu"))
        #expect(!PlaceText.isWorthAsking("12 Main Street"))
        #expect(!PlaceText.isWorthAsking("Life is what you make it"))
        #expect(!PlaceText.isWorthAsking("Ab"))
        #expect(!PlaceText.isWorthAsking("One two three four five six seven"))
    }
}
