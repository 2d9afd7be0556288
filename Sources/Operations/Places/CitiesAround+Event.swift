package import Foundation
package import Gazetteer
package import Model
import Reading
package import Store

extension StoredEvent {
    /// The cities around the event; nil unless its position is exact to a point. Inhabitants are counted for an
    /// earthquake of magnitude 4.5 or more and for volcanic activity alone, unless it is withdrawn. An event whose place
    /// has no words gets some (`derivedPlace`).
    ///
    /// Blocks as `MapPlaces.cities(around:)`, and throws its errors.
    package func citiesAround(in places: MapPlaces) throws -> CitiesAround? {
        guard !isErased, let location = event.location, location.precision == .point else { return nil }
        var around = try places.cities(around: location.coordinate)
        if !isRisk { around.exposure = nil }
        if event.place == nil, location.name == nil { around.describe(location.coordinate) }
        return around
    }

    /// Whether people near it may be in danger.
    private var isRisk: Bool {
        guard withdrawal == nil else { return false }
        if event.category == .earthquake { return (event.magnitude ?? 0) >= 4.5 }
        return event.category == .volcano
    }
}

extension PointOfInterest {
    /// The cities around a volcano. Inhabitants are counted only if the record has volcanic activity of the last eight
    /// weeks within 20 km.
    ///
    /// Blocks as `MapPlaces.cities(around:)`; throws its errors, and `StoreError`.
    package func citiesAround(in places: MapPlaces, reportsOf store: EventStore, now: Date) throws -> CitiesAround {
        var reports = EventQuery()
        reports.categories = [.volcano]
        reports.near = EventQuery.Circle(centre: coordinate, kilometres: 20)
        reports.since = now - 56 * 86_400
        reports.limit = 1
        let isReported = try !store.events(reports, withErased: false).isEmpty
        var around = try places.cities(around: coordinate)
        if !isReported { around.exposure = nil }
        return around
    }
}

extension CitiesAround {
    /// A JSON object with these members at its end: `derived_place`; `nearest_cities`, each with `name`, `country`,
    /// `country_name`, `population`, `distance_km`, `bearing` and `words`; `exposure` with `within_50_km`,
    /// `within_100_km` and `words`; `cities_attribution`.
    /// - Parameter object: The text of an object with one member or more.
    package func added(to object: String) -> String {
        let members = JSONWriter.object([
            "derived_place": derivedPlace, "nearest_cities": .array(nearest.map(\.json)),
            "exposure": exposure.map { RawJSON($0.json) }, "cities_attribution": attribution,
        ])
        return "\(object.dropLast()),\(members.dropFirst())"
    }
}

extension CitiesAround.City {
    fileprivate var json: String {
        JSONWriter.object([
            "name": name, "country": country, "country_name": countryName,
            "population": population > 0 ? Int(clamping: population) : nil,
            "distance_km": (kilometres * 10).rounded() / 10, "bearing": bearing, "words": words,
        ])
    }
}

extension CitiesAround.Exposure {
    /// The numbers in words: `at least 120,000 people within 50 km and 3,400,000 within 100 km, in the cities of the seeded
    /// table`.
    package var words: String {
        let numbers =
            within100 == 0
            ? "no people known within 100 km"
            : "at least \(Self.grouped(within50)) people within 50 km and \(Self.grouped(within100)) within 100 km"
        return "\(numbers), in the cities of the seeded table"
    }

    /// The digits of a number, 0 or more, with commas between thousands.
    private static func grouped(_ number: Int64) -> String {
        let digits = String(number)
        return digits.enumerated().map { place, digit in
            place > 0 && (digits.count - place) % 3 == 0 ? ",\(digit)" : "\(digit)"
        }.joined()
    }

    fileprivate var json: String {
        JSONWriter.object([
            "within_50_km": Int(clamping: within50), "within_100_km": Int(clamping: within100), "words": words,
        ])
    }
}
