import Foundation
import Model

/// The countries and first-level divisions of a table by all their names: those in the table, and those of
/// English-language texts (`AreaAliases`, `StateNames`, `Demonyms`).
///
/// `Newfoundland and Labrador` is also found by the part before `and` or a comma, and `Ningxia Hui Autonomous Region`
/// without its last words, unless another area has that name.
struct AreaNames {
    /// The form of a name.
    enum Form {
        /// A full name.
        case name
        /// Initials used as a name: `US`.
        case initials
        /// An abbreviation used after a city: `CA`, `Calif.`.
        case code
        /// A word for the people and things of the area: `Turkish`.
        case demonym
    }

    /// An area with one of its names.
    struct Entry {
        /// The area with that name.
        let area: Place
        /// The form of that name.
        let form: Form
    }

    private let table: CityTable
    private let more: [NameKey: [Entry]]

    /// Folds a few thousand names, which takes milliseconds.
    init(_ table: CityTable) {
        self.table = table
        var folding = NameFolding()
        var more: [NameKey: [Entry]] = [:]

        func place(_ code: String) -> Place? { table.countries[code] ?? table.regions[code] }
        func add(_ name: String, of area: Place?, as form: Form) {
            guard let area, let key = folding.key(name) else { return }
            guard more[key]?.contains(where: { $0.area.id == area.id }) != true else { return }
            more[key, default: []].append(Entry(area: area, form: form))
        }

        for (code, names) in AreaAliases.initials {
            for name in names { add(name, of: place(code), as: .initials) }
        }
        for (code, names) in AreaAliases.names {
            for name in names { add(name, of: place(code), as: .name) }
        }
        for state in StateNames.all {
            let area = table.regions[state.areaCode]
            for abbreviation in state.abbreviations { add(abbreviation, of: area, as: .code) }
        }
        for code in table.countries.keys.sorted() { add(code, of: table.countries[code], as: .code) }
        for (code, words) in Demonyms.all {
            for word in words { add(word, of: place(code), as: .demonym) }
        }

        var shortened: [NameKey: [Entry]] = [:]
        let areas = table.countries.sorted { $0.key < $1.key } + table.regions.sorted { $0.key < $1.key }
        for (code, area) in areas where !AreaAliases.formerCountries.contains(code) {
            for name in Self.shortNames(of: area, folding: &folding) {
                guard let key = folding.key(name), more[key] == nil,
                    table.areas(named: key).allSatisfy({ $0.isCode })
                else { continue }
                shortened[key, default: []].append(Entry(area: area, form: .name))
            }
        }
        self.more = more.merging(shortened) { known, _ in known }
    }

    /// The areas with the name: first those of the table, countries before regions, then those with further names.
    func entries(_ key: NameKey) -> [Entry] {
        let further = more[key] ?? []
        let listed = table.areas(named: key)
        guard !listed.isEmpty else { return further }
        var entries: [Entry] = []
        for area in listed where !further.contains(where: { $0.area.id == area.place.id }) {
            entries.append(Entry(area: area.place, form: area.isCode ? .code : .name))
        }
        return entries + further
    }

    /// The areas with a name as a text writes it. A code with full stops between its letters is that of a name of
    /// several words (`N.C.`): `L.A.` is not Louisiana.
    func entries(_ key: NameKey, written name: some StringProtocol) -> [Entry] {
        let hasStops = name.dropLast().contains(".")
        return entries(key).filter { !hasStops || $0.form != .code || $0.area.mayHaveStops }
    }

    private static func shortNames(of area: Place, folding: inout NameFolding) -> [String] {
        var names: [String] = []
        let first = [" and ", ", ", " & "].compactMap { area.name.range(of: $0)?.lowerBound }.min()
        if let first {
            let name = String(area.name[..<first])
            folding.fold(name)
            if folding.bytes.count > 3 { names.append(name) }
        }
        if area.kind == .region {
            folding.fold(area.name)
            if let split = AreaWords.split(String(decoding: folding.bytes, as: UTF8.self)) { names.append(split.name) }
        }
        return names
    }
}
