import Gazetteer
package import Model
package import Store
import Synchronization

/// The place that someone means by a name: a seeded volcano, or a city of the city table.
package struct NamedPlace: Sendable, Hashable {
    /// Its own name.
    package let name: String
    /// The name of a city's first-level division; nil for a volcano, and if it is not known.
    package let region: String?
    /// The name of its country; nil for a volcano of whose country the list says nothing.
    package let country: String?
    /// Whether it is a volcano.
    package let isVolcano: Bool
    /// The position, WGS 84 degrees.
    package let coordinate: Coordinate
    /// Inhabitants of a city; 0: unknown.
    fileprivate let population: Int64

    /// Why a name leads to no place.
    package enum Fault: Error, Sendable, Hashable {
        /// Nothing has the name; `hasCities` tells whether there is a city table.
        case unknown(String, hasCities: Bool)
        /// Several places have the name, or have it as a part of theirs: the first twenty, and the number of all. Of
        /// cities more than twenty are not counted.
        case ambiguous(String, [NamedPlace], count: Int, isPart: Bool)
    }

    /// The name with region and country, by which it may be told from others: `La Paz, Baja California Sur, Mexico`;
    /// of a volcano `Colima volcano, Mexico`.
    package var fullName: String {
        [isVolcano ? "\(name) volcano" : name, region, country].compactMap { $0 }.joined(separator: ", ")
    }

    /// The full name and the position as latitude and longitude: `Colima volcano, Mexico (19.514, -103.62)`.
    package var words: String {
        let degrees = [coordinate.latitude, coordinate.longitude].map { ($0 * 1000).rounded() / 1000 }
        return "\(fullName) (\(degrees[0]), \(degrees[1]))"
    }

    private init(_ volcano: PointOfInterest) {
        (name, region, country) = (volcano.name, nil, volcano.country)
        (isVolcano, coordinate, population) = (true, volcano.coordinate, 0)
    }

    private init(_ city: Place, _ resolver: Resolver) {
        let around = resolver.surroundings(of: city)
        (name, region, country) = (city.name, around.region, around.country)
        (isVolcano, coordinate, population) = (false, city.coordinate, city.population)
    }

    /// Whether a text is a name, not numbers.
    package static func isName(_ text: String) -> Bool {
        let first = text.split(separator: ",").first ?? ""
        let isNumber = first.first?.isLetter != true && Double(first.filter { !$0.isWhitespace }) != nil
        return !isNumber && text.contains { $0.isLetter }
    }

    /// The place of a name, as `NamedPlaces.find` tells.
    fileprivate static func find(_ text: String, in store: EventStore, _ resolver: Resolver?) throws -> NamedPlace {
        let parts = text.split(separator: ",").map { String($0) }.filter { !NameFolding.folded($0).isEmpty }
        guard let head = parts.first.map({ NameFolding.folded($0) }) else {
            throw Fault.unknown(text, hasCities: resolver != nil)
        }
        let seeded = try store.pointsOfInterest()
        func volcanoes(_ isMeant: (String) -> Bool) throws -> [NamedPlace] {
            // Only a city is told with its region.
            guard parts.count <= 2 else { return [] }
            return try seeded.filter { volcano in
                try store.checkBudget()
                return try ([volcano.point.foldedName] + volcano.formerNames).contains(where: isMeant)
                    && (parts.count < 2 || isIn(volcano.point.country ?? "", parts[1], resolver))
            }.map { NamedPlace($0.point) }
        }
        let plain = plain(head)
        let canBePart = plain.count >= shortestPart
        if plain != head {
            let asked = try volcanoes { $0 == plain }
            if !asked.isEmpty { return try only(asked, of: text) }
        }
        let exact = try volcanoes { $0 == head }
        if plain != head, exact.isEmpty, canBePart {
            // Mount Fuji is Fujisan; Mount Isa is a city, though names of volcanoes begin so.
            let begun = try volcanoes { " \($0)".contains(" \(plain)") }
            if let volcano = begun.first, begun.count == 1 { return volcano }
        }
        var cities: [NamedPlace] = []
        if let resolver { cities = try resolver.cities(named: text, limit: most + 1).map { NamedPlace($0, resolver) } }
        if !exact.isEmpty {
            let rivals = cities.contains { $0.population >= largeCity } ? cities : []
            return try only(exact + rivals, of: text)
        }
        if !cities.isEmpty { return try only(cities, of: text) }
        let found = try canBePart ? volcanoes { $0.contains(plain) } : []
        guard !found.isEmpty else { throw Fault.unknown(text, hasCities: resolver != nil) }
        return try only(found, of: text, isPart: true)
    }

    /// Longer texts, in bytes, are no name.
    fileprivate static let longest = 200
    /// The most places that are listed.
    fileprivate static let most = 20
    /// A shorter part of a name, in characters, is in too many.
    private static let shortestPart = 3
    /// A city with this number of inhabitants is known by its name alone.
    private static let largeCity: Int64 = 100_000

    /// The only place; throws `Fault` if there are several.
    private static func only(_ places: [NamedPlace], of text: String, isPart: Bool = false) throws -> NamedPlace {
        guard let first = places.first, places.count == 1 else {
            throw Fault.ambiguous(text, Array(places.prefix(most)), count: places.count, isPart: isPart)
        }
        return first
    }

    /// The folded name without a word that says that it is a volcano; the name itself if it has none.
    private static func plain(_ folded: String) -> String {
        var words = folded.split(separator: " ")
        if words.count > 1, let first = words.first, ["mt", "volcano"].contains(first) { words.removeFirst() }
        if words.count > 1, words.last == "volcano" { words.removeLast() }
        return words.joined(separator: " ")
    }

    /// Whether a country is the one of an area: it has the same name, or both are in one country.
    private static func isIn(_ country: String, _ area: String, _ resolver: Resolver?) throws -> Bool {
        if NameFolding.folded(country) == NameFolding.folded(area) { return true }
        guard let resolver, let code = try resolver.country(of: area) else { return false }
        return try resolver.country(of: country) == code
    }
}

/// Finds places by their names. It keeps the city table open that it used last, so keep one for all names.
///
/// `@unchecked` because the table is used inside the lock alone.
package final class NamedPlaces: @unchecked Sendable {
    private let cityTable: String?
    private let lock = Mutex(())
    private var kept: (table: CityTable, resolver: Resolver)?

    /// Creates a finder; nothing is opened yet.
    /// - Parameter cityTable: Path of the city table, which need not exist; nil: there is none.
    package init(cityTable: String?) { self.cityTable = cityTable }

    /// The place of a name; country, or region and country, may follow it behind commas.
    ///
    /// A volcano of the name goes before cities of less than 100 000 inhabitants; `volcano` or `Mount` beside the name
    /// asks for one. A part of a volcano's name, of three characters or more, will do where nothing has the name. Blocks:
    /// it reads all volcanoes, and opens the table where it is new, which takes some tens of milliseconds.
    /// - Parameter store: Has the volcanoes, and the budget.
    /// - Throws: `NamedPlace.Fault`, `StoreError`, `GazetteerError` for a table that cannot be read.
    package func find(_ text: String, in store: EventStore) throws -> NamedPlace {
        guard text.utf8.count <= NamedPlace.longest else { throw NamedPlace.Fault.unknown(text, hasCities: true) }
        return try lock.withLock { _ -> NamedPlace in
            let resolver = try self.resolver()
            try store.checkBudget()
            return try NamedPlace.find(text, in: store, resolver)
        }
    }

    /// The resolver of the present table; nil if there is no table.
    private func resolver() throws -> Resolver? {
        if let kept, kept.table.isCurrent { return kept.resolver }
        kept = nil
        guard let cityTable else { return nil }
        do throws(GazetteerError) {
            let table = try CityTable(path: cityTable)
            kept = (table, Resolver(table))
        } catch {
            guard error.code == .notSeeded else { throw error }
        }
        return kept?.resolver
    }
}

extension NamedPlace.Fault {
    /// The fault in one sentence without a full stop; of an ambiguous name without the places.
    package var words: String {
        switch self {
        case .unknown(let name, hasCities: true): "no volcano or city named '\(name)' is known"
        case .unknown(let name, hasCities: false):
            "no volcano named '\(name)' is known, and there is no city table; seed one with: visiventd seed cities FILE"
        case .ambiguous(let name, _, count: let number, isPart: true): "'\(name)' is a part of \(number) names"
        case .ambiguous(let name, _, count: let number, isPart: false):
            "'\(name)' is the name of \(number > NamedPlace.most ? "at least \(NamedPlace.most)" : "\(number)") places"
        }
    }

    /// What to write in place of an ambiguous name, with a colon before the places; empty for another fault.
    /// - Parameter position: The form of a position.
    package func advice(_ position: String) -> String {
        guard case .ambiguous(_, let places, let count, _) = self else { return "" }
        let areAlike = Set(places.map(\.fullName)).count == 1
        let way = areAlike ? "no name tells them apart; write" : "write one of their full names, or"
        return "\(way) \(position)" + (count > places.count ? "; the first \(places.count):" : ":")
    }
}
