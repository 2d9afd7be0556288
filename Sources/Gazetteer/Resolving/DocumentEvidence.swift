import Foundation
import Model

/// How often a document names something in a country, and in a first-level division.
struct DocumentEvidence {
    /// How many mentions of a country the caller's context is worth.
    private static let contextWeight = 2
    /// A region with fewer inhabitants in the table is no evidence: `Michael` is a parish of the Isle of Man.
    static let obscureRegion: Int64 = 100_000
    /// A city that large is meant although nothing in the document points to its country.
    static let famousCity: Int64 = 1_000_000

    /// Mentions by country code.
    private(set) var countries: [String: Int] = [:]
    /// Mentions by `US.CA`.
    private(set) var regions: [String: Int] = [:]
    /// All mentions, once they are closed.
    var total = 0
    /// The only country of a document that speaks of its regions: a local story.
    private(set) var localCountry: String?
    /// How many of the regions named may be cities of the same name.
    private var cityNames = 0
    private let table: CityTable

    /// Counts the areas that a document names.
    init(_ hits: [AreaHit], context: PlaceContext, table: CityTable) throws(GazetteerError) {
        self.table = table
        for hit in hits where !hit.areas.allSatisfy({ Self.isObscure($0) }) {
            if hit.areas.count == 1 || hit.areas.allSatisfy({ $0.kind == .country }) {
                let area = hit.areas[0]
                if hit.form != .demonym {
                    if try isRatherCity(hit.name, than: area) { continue }
                    if let city = try city(named: hit.name, in: area) {
                        // The name of a city of middling size is no evidence for itself.
                        guard city.population >= Self.famousCity else { continue }
                        cityNames += 1
                    }
                }
                count(area.country, area.regionCode)
            } else if hit.areas.allSatisfy({ $0.country == hit.areas[0].country }) {
                count(hit.areas[0].country, nil)
            }
        }
        if let country = context.country {
            countries[country, default: 0] += Self.contextWeight
            if let region = context.region { regions["\(country).\(region)", default: 0] += Self.contextWeight }
        }
    }

    /// The city of a region's name that is a good part of it.
    private func city(named name: String, in region: Place) throws(GazetteerError) -> CityTable.Candidate? {
        guard region.kind == .region else { return nil }
        let cities = try table.cities(
            named: NameKey(folded: name.utf8), in: region.country, region: region.region, limit: 1)
        return cities.first { Homonyms.isGoodPart(population: $0.population, of: region) }
    }

    /// Counts a mention of a country, and of a division of it.
    mutating func count(_ country: String, _ region: String?) {
        countries[country, default: 0] += 1
        if let region { regions[region, default: 0] += 1 }
    }

    private static func isObscure(_ area: Place) -> Bool {
        area.kind == .region
            && (area.population < obscureRegion || AreaWords.isDirection(NameFolding.folded(area.name)))
    }

    /// Whether a city elsewhere has the name of a region and more than a twentieth of its inhabitants, or that of a
    /// small country and more than all of them.
    private func isRatherCity(_ name: String, than region: Place) throws(GazetteerError) -> Bool {
        if region.kind == .country {
            guard region.population < 1_000_000 else { return false }
            return try table.cities(named: NameKey(folded: name.utf8), limit: 4).contains {
                Homonyms.isRather(
                    population: $0.population, isOwnName: !$0.isAlternate, in: $0.country, than: region)
            }
        }
        guard region.kind == .region else { return false }
        let cities = try table.cities(named: NameKey(folded: name.utf8), limit: 4)
        return cities.contains {
            ($0.country != region.country || $0.region != region.region) && $0.population * 20 > region.population
        }
    }

    /// Sums up, once the names with their regions are counted in.
    mutating func close() {
        total = countries.values.reduce(0, +)
        if countries.count == 1, (regions.values.reduce(0, +) - cityNames) * 2 >= total {
            localCountry = countries.keys.first
        }
    }

    /// What speaks for a place.
    func weight(of place: Place) -> Double {
        var weight = 0.0
        if let code = place.regionCode, let count = regions[code] { weight += 1.5 + 0.2 * Double(min(5, count)) }
        if let count = countries[place.country] { weight += 1 + Double(count) / Double(max(1, total)) }
        return weight
    }

    /// The regions and countries that the document names most, three of each.
    func likelyScopes() -> [(country: String, region: String?)] {
        func most(_ counts: [String: Int]) -> [String] {
            counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.prefix(3).map { $0.key }
        }
        var scopes: [(country: String, region: String?)] = []
        for code in most(regions) {
            guard let dot = code.firstIndex(of: ".") else { continue }
            scopes.append((String(code[..<dot]), String(code[code.index(after: dot)...])))
        }
        for country in most(countries) { scopes.append((country, nil)) }
        return scopes
    }
}
