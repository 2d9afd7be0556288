import Foundation
import Model

/// The countries and first-level divisions of a table by all that they are called: their names there, and what
/// English-language texts call them besides (`AreaAliases`, `StateNames`, `Demonyms`).
///
/// `Newfoundland and Labrador` is also found by what stands before the `and` or comma, and `Ningxia Hui Autonomous
/// Region` without its last words, unless that is another area's name.
struct AreaNames {
    /// What sort of name it is.
    enum Form {
        /// A name.
        case name
        /// Initials that are used like a name: `US`.
        case initials
        /// An abbreviation that stands behind a city: `CA`, `Calif.`.
        case code
        /// A word for its people and things: `Turkish`.
        case demonym
    }

    /// An area that is called so.
    struct Entry {
        /// The area.
        let area: Place
        /// What sort of name it is.
        let form: Form
    }

    private let table: CityTable
    private let more: [NameKey: [Entry]]

    /// Folds some thousand names; takes milliseconds.
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

    /// The areas called so, countries first among those of one sort.
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
