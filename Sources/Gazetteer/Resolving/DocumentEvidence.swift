import Foundation
import Model

/// How often a document names places in each country and first-level division.
struct DocumentEvidence {
    /// Regions with fewer inhabitants in the table are no evidence: `Michael` is a parish of the Isle of Man.
    static let obscureRegion: Int64 = 100_000
    /// A city of this size is known to all, so that its name needs no area behind it.
    static let famousCity: Int64 = 1_000_000

    /// Mentions by country code.
    private(set) var countries: [String: Int] = [:]
    /// Mentions by region code (`US.CA`).
    private(set) var regions: [String: Int] = [:]
    /// Sum of the mentions; set by `close()`.
    var total = 0
    /// The areas that mentions were counted for, by their names.
    private var named: [String: [Place]] = [:]
    /// The number of these whose name a city of a million in them has, by that name.
    private var cityNames: [String: Int] = [:]
    private let table: CityTable

    /// Counts the areas that a document names.
    init(_ hits: [AreaHit], table: CityTable) throws(GazetteerError) {
        self.table = table
        // A text repeats its areas.
        var namesakes: [[String]: Namesake] = [:]
        for hit in hits where !hit.areas.allSatisfy({ Self.isObscure($0) }) {
            if let area = Self.meaning(of: hit) {
                let known = namesakes[[hit.name, area.id]]
                let namesake = if let known { known } else { try self.namesake(of: hit, meaning: area) }
                namesakes[[hit.name, area.id]] = namesake
                switch namesake {
                case .none: break
                case .elsewhere, .ownCity: continue
                case .famousOwnCity: cityNames[hit.name, default: 0] += 1
                }
                if hit.form != .demonym { named[hit.name, default: []].append(area) }
                count(area.country, area.regionCode)
            } else if hit.areas.allSatisfy({ $0.country == hit.areas[0].country }) {
                count(hit.areas[0].country, nil)
            }
        }
    }

    /// The area that a name means by itself: the only one, a country, or a state that is far larger than the others, as
    /// Florida is than the department of Uruguay; nil: there are several.
    private static func meaning(of hit: AreaHit) -> Place? {
        if hit.areas.count == 1 || hit.areas.allSatisfy({ $0.kind == .country }) { return hit.areas.first }
        guard let leader = hit.areas.max(by: { $0.population < $1.population }), leader.isState else { return nil }
        let leads = hit.areas.allSatisfy { $0.id == leader.id || $0.population * 20 < leader.population }
        return leads ? leader : nil
    }

    /// A city that may be meant by the name of an area.
    private enum Namesake {
        case none
        /// A city in another area rivals the area.
        case elsewhere
        /// A city of medium size inside the region; it is no evidence for itself.
        case ownCity
        case famousOwnCity
    }

    private func namesake(of hit: AreaHit, meaning area: Place) throws(GazetteerError) -> Namesake {
        guard hit.form != .demonym else { return .none }
        if try isRatherCity(hit.name, than: area) { return .elsewhere }
        guard let city = try city(named: hit.name, in: area) else { return .none }
        return city.population >= Self.famousCity ? .famousOwnCity : .ownCity
    }

    /// The city with the region's name that has a fifth of its inhabitants.
    private func city(named name: String, in region: Place) throws(GazetteerError) -> CityTable.Candidate? {
        guard region.kind == .region else { return nil }
        let cities = try table.cities(
            named: NameKey(folded: name.utf8), in: region.country, region: region.region, limit: 1)
        return cities.first { Homonyms.isGoodPart(population: $0.population, of: region) }
    }

    /// Counts a mention of a country and, if known, of its division.
    mutating func count(_ country: String, _ region: String?) {
        countries[country, default: 0] += 1
        if let region { regions[region, default: 0] += 1 }
    }

    /// Whether it is too small, or too general a word, to be meant by its name in a text.
    static func isObscure(_ area: Place) -> Bool {
        area.kind == .region
            && (area.population < obscureRegion || AreaWords.isDirection(NameFolding.folded(area.name)))
    }

    /// Whether a city elsewhere rivals the area of that name: for a region more than a twentieth of its inhabitants,
    /// for a country below a million more than all of them.
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

    /// Computes the sum; called once the names with their regions are counted.
    mutating func close() { total = countries.values.reduce(0, +) }

    /// The only country of a document that names its regions: a local story.
    var localCountry: String? {
        guard countries.count == 1 else { return nil }
        let mayBeCities = cityNames.values.reduce(0, +)
        return (regions.values.reduce(0, +) - mayBeCities) * 2 >= total ? countries.keys.first : nil
    }

    /// The evidence without the mentions of a name, for the candidates of that name: Alexandria is none for Egypt.
    func without(_ name: String) -> DocumentEvidence {
        guard let areas = named[name] else { return self }
        func less(_ count: Int?) -> Int? { count.flatMap { $0 > 1 ? $0 - 1 : nil } }
        var others = self
        others.cityNames[name] = nil
        for area in areas {
            others.countries[area.country] = less(others.countries[area.country])
            if let code = area.regionCode { others.regions[code] = less(others.regions[code]) }
            others.total -= 1
        }
        return others
    }

    /// The context, and the three regions and three countries that the document names most often.
    func likelyScopes(_ context: PlaceContext) -> [MentionCandidates.Scope] {
        func most(_ counts: [String: Int]) -> [String] {
            counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.prefix(3).map { $0.key }
        }
        var scopes = [MentionCandidates.Scope(context)].compactMap { $0 }
        for code in most(regions) {
            guard let dot = code.firstIndex(of: ".") else { continue }
            let region = String(code[code.index(after: dot)...])
            scopes.append(MentionCandidates.Scope(country: String(code[..<dot]), region: region))
        }
        return scopes + most(countries).map { MentionCandidates.Scope(country: $0, region: nil) }
    }
}
