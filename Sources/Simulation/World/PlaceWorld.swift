import Foundation
import Model

/// The places of a simulation: the city table knows ports, the service most towns and villas.
enum PlaceWorld {
    /// The position of a place by its name (`Port 3`, `Town 12`, `Villa 7`); nil: nobody knows it.
    static func coordinate(of name: String) -> Coordinate? {
        let words = name.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]), number % 10 != 9,
            let base = ["Port": 0.125, "Town": 0.5, "Villa": 0.75][String(words[0])]
        else { return nil }
        return Coordinate(latitude: Double(number % 80) + base, longitude: Double(number * 2 % 170) + base)
    }

    /// The country of all ports.
    static let country = "PT"

    /// The city table's outcome for an event.
    static func outcome(of event: UnlocatedEvent) -> LocalOutcome {
        guard let name = name(in: event) else { return .unresolved(reason: "names no place") }
        let evidence: PlaceEvidence = event.category == "message" ? .author : .title
        if name.hasPrefix("Port"), let coordinate = coordinate(of: name) {
            return .located(
                Location(
                    coordinate, method: .gazetteer, precision: .city, confidence: 0.9, matchedText: name,
                    evidence: evidence, placeID: "district:\(country).08.01", country: country))
        }
        return .ask(PlaceQuery(text: name, folded: name.lowercased(), evidence: evidence))
    }

    /// The service's answer to a question.
    static func answer(to query: PlaceQuery) -> ProviderAnswer {
        guard let coordinate = coordinate(of: query.text) else { return .missing(reason: "no match") }
        return .found(
            Location(coordinate, method: .mapquest, precision: .city, confidence: 0.8, matchedText: query.text))
    }

    private static func name(in event: UnlocatedEvent) -> String? {
        if event.category == "message" { return event.place }
        guard let begin = event.title.range(of: " at "), let end = event.title.range(of: " (item") else { return nil }
        guard begin.upperBound <= end.lowerBound else { return nil }
        return String(event.title[begin.upperBound..<end.lowerBound])
    }
}
