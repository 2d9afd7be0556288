import Model

/// The name of a country, region or district in a running text, whether or not it is to be resolved.
struct AreaHit {
    /// Position of the name in the text.
    let range: Range<String.Index>
    /// Index of its last token.
    let last: Int
    /// The areas with that name; `Georgia` has several.
    let areas: [Place]
    /// The form of the name.
    let form: AreaNames.Form
    /// The folded name.
    let name: String

    /// All such names, at each position the longest: at most five words, the first with a capital.
    ///
    /// An abbreviation counts if it has full stops (`N.C.`), or stands after a comma and either before a full stop or
    /// in capitals (`Lansing, Mich.`, `Columbia, SC`). Districts count only with their word (`Hall County`), also in
    /// lists (`Hall and Lake counties`); British counties also without it after a comma (`Boston, Lincolnshire`).
    static func all(
        in words: [DocumentWord], lists: [String.Index: String], names: AreaNames, table: CityTable
    ) throws(GazetteerError) -> [AreaHit] {
        var hits: [AreaHit] = []
        var first = 0
        while first < words.count {
            guard words[first].beginsUpper else {
                first += 1
                continue
            }
            var longest: (next: Int, hit: AreaHit)?
            var joined = ""
            for last in first..<min(first + 5, words.count) {
                if last > first {
                    let before = words[last - 1]
                    let isAbbreviation =
                        before.gap.hasStop && !before.gap.hasComma && !before.gap.hasOther
                        && before.folded.utf8.count <= 3
                    guard before.gap.isOpen || isAbbreviation else { break }
                    joined += " "
                }
                joined += words[last].folded
                var name = joined.hasPrefix("the ") ? String(joined.dropFirst(4)) : joined
                let afterComma = first > 0 && words[first - 1].gap.hasComma
                var found = try areas(
                    name, written: last == first ? words[first] : nil, afterComma: afterComma, names: names,
                    table: table)
                // `Floods in Oregon, Marion and Polk counties`: the state is not the county in Missouri.
                if found.isEmpty, let kind = lists[words[last].range.lowerBound] {
                    name += " " + kind
                    found = try table.districts(named: NameKey(folded: name.utf8)).map {
                        AreaNames.Entry(area: $0.place, form: .name)
                    }
                }
                guard let form = found.first?.form else { continue }
                var areas: [Place] = []
                for entry in found where !areas.contains(where: { $0.id == entry.area.id }) {
                    areas.append(entry.area)
                }
                let range = words[first].range.lowerBound..<words[last].range.upperBound
                let hit = AreaHit(range: range, last: words[last].last, areas: areas, form: form, name: name)
                longest = (last + 1, hit)
            }
            if let longest {
                hits.append(longest.hit)
                first = longest.next
            } else {
                first += 1
            }
        }
        return hits
    }

    private static func areas(
        _ name: String, written: DocumentWord?, afterComma: Bool, names: AreaNames, table: CityTable
    ) throws(GazetteerError) -> [AreaNames.Entry] {
        guard !PlaceWords.features.contains(name) else { return [] }
        let entries = names.entries(NameKey(folded: name.utf8))
        var found = entries.filter { entry in
            switch entry.form {
            case .demonym: true
            case .initials: written.map { !$0.hasLowercase || $0.hasStops } ?? false
            case .name: name.utf8.count > 2 || (written.map { !$0.hasLowercase || $0.hasStops } ?? false)
            case .code: false
            }
        }
        if let split = AreaWords.split(name), AreaWords.districtKinds.contains(split.kind) {
            let isCounty = split.kind == "co" || split.kind == "county"
            for name in isCounty ? [split.name + " county"] : [name, split.name] {
                for district in try table.districts(named: NameKey(folded: name.utf8)) {
                    found.append(AreaNames.Entry(area: district.place, form: .name))
                }
            }
            for entry in names.entries(NameKey(folded: split.name.utf8))
            where entry.form == .name && entry.area.kind == .region {
                found.append(entry)
            }
        }
        if found.isEmpty, entries.isEmpty, afterComma { found = try counties(name, table) }
        guard found.isEmpty, let written else { return found }
        let isUnmistakable = written.hasStops || name == "nsw" || name == "qld"
        let isBehindCity =
            afterComma
            && (written.hasLowercase
                ? written.gap.beginsWithStop && !AreaWords.otherAbbreviations.contains(name)
                : written.gap.beginsWithStop || name.utf8.count == 2)
        guard isUnmistakable || isBehindCity else { return [] }
        return entries.filter {
            $0.form == .code && $0.area.kind == .region && (!written.hasStops || $0.area.mayHaveStops)
        }
    }

    /// The British counties with a name that is neither a given name nor a city's.
    private static func counties(_ name: String, _ table: CityTable) throws(GazetteerError) -> [AreaNames.Entry] {
        guard !PlaceWords.givenNames.contains(name) else { return [] }
        let key = NameKey(folded: name.utf8)
        let counties = try table.districts(named: key).filter { !$0.isCode && $0.place.country == "GB" }
        guard !counties.isEmpty else { return [] }
        let isCity = try table.cities(named: key, limit: 8).contains {
            $0.country == "GB" || $0.population >= Homonyms.knownCity
        }
        return isCity ? [] : counties.map { AreaNames.Entry(area: $0.place, form: .name) }
    }
}
