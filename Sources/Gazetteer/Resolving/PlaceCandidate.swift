import Foundation
import Model

/// A possible meaning of a name.
struct PlaceCandidate {
    /// How the place has the name.
    enum Form {
        /// Its own name, or a usual name of an area.
        case name
        /// Another name of a city.
        case alternate
        case code
        /// A word for the people of an area.
        case demonym
    }

    /// The possible place.
    let place: Place
    /// How the place has the name.
    let form: Form
    /// Code of its first-level division (`Place.regionCode`), which is asked for often.
    let regionCode: String?
    /// Whether it is a district whose name stands with its word elsewhere in the document, or in a list of districts.
    let isAdded: Bool

    /// Whether it is another name that begins with its own, or the other way round: `New York`.
    var isVariant = false

    /// Whether it is its own name, or a variant of it.
    var isOwnName: Bool { form == .name || isVariant }

    /// A city with the folded name that was looked up.
    init(city place: Place, isAlternate: Bool, name: String) {
        self.init(place: place, form: isAlternate ? .alternate : .name)
        isVariant = isAlternate && Homonyms.areVariants(name, NameFolding.folded(place.name))
    }

    init(place: Place, form: Form, isAdded: Bool = false) {
        self.place = place
        self.form = form
        self.isAdded = isAdded
        regionCode = place.regionCode
    }

    /// log10 of the inhabitants, less 0.5 for a city with the name as another name.
    var weight: Double { Self.weight(population: place.population, isAlternate: !isOwnName) }

    /// The same weight without a `Place`.
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

    /// Code of the first-level division in the table (`US.CA`); nil if unknown.
    var regionCode: String? { region.isEmpty ? nil : country + "." + region }
}
