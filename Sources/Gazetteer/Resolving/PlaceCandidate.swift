import Foundation
import Model

/// A place that a name may mean.
struct PlaceCandidate {
    /// How it has the name.
    enum Form {
        /// Its own name, or a name that an area goes by.
        case name
        /// One of a city's other names.
        case alternate
        /// An abbreviation.
        case code
        /// A word for its people.
        case demonym
    }

    /// The place.
    let place: Place
    /// How it has the name.
    let form: Form

    /// Powers of ten of inhabitants, less a half for a city by another name.
    var weight: Double { Self.weight(population: place.population, isAlternate: form == .alternate) }

    /// The same for a city of which no more is known.
    static func weight(population: Int64, isAlternate: Bool) -> Double {
        log10(Double(max(1, population))) - (isAlternate ? 0.5 : 0)
    }
}

extension Place {
    /// Whether the place lies in the area and is not the area itself.
    func lies(in area: Place) -> Bool {
        guard country == area.country, id != area.id else { return false }
        switch area.kind {
        case .country: return kind != .country
        case .region: return !region.isEmpty && region == area.region
        case .district: return !district.isEmpty && region == area.region && district == area.district
        case .city: return false
        }
    }

    /// Its first-level division as the table codes it (`US.CA`); nil when unknown.
    var regionCode: String? { region.isEmpty ? nil : "\(country).\(region)" }
}
