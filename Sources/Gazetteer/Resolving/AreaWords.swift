/// Words that tell the kind of an area, or a part of a place. All are folded (`NameFolding`).
enum AreaWords {
    /// Kinds that follow the name of an area: `Hall County`, `Aydin province`.
    static let kinds: Set<String> = [
        "autonomous region", "borough", "canton", "census area", "co", "council area", "county", "department",
        "district", "division", "emirate", "governorate", "island region", "krai", "municipality", "oblast", "parish",
        "prefecture", "province", "region", "regional district", "regional municipality", "republic", "shire",
        "special administrative region", "state", "territory", "voivodeship",
    ]

    /// The last words of `kinds`.
    private static let lastWords = Set(kinds.compactMap { $0.split(separator: " ").last })

    /// Kinds that precede it with `of`: `State of Texas`.
    private static let leadingKinds: Set<Substring> = [
        "state", "province", "county", "district", "region", "city", "town", "village", "republic", "kingdom",
        "territory", "department", "municipality",
    ]

    /// Parts of the place that follows: `northern Iraq` resolves to Iraq. Alone they are not a place.
    static let directions: Set<String> = [
        "central", "downtown", "east", "eastern", "far", "greater", "inner", "lower", "mainland", "metro",
        "metropolitan", "mid", "midtown", "north", "northeast", "northeastern", "northern", "northwest",
        "northwestern", "rural", "south", "southeast", "southeastern", "southern", "southwest", "southwestern",
        "suburban", "upper", "west", "western",
    ]

    /// Regions larger than a country. They count as no place, although towns and villages have these names.
    static let worldRegions: Set<String> = [
        "africa", "america latina", "antarctica", "arctic", "asia", "asia pacific", "balkans", "caribbean",
        "central africa", "central america", "central asia", "central europe", "east africa", "east asia",
        "eastern europe", "eurasia", "europa", "europe", "european union", "far east", "global south", "gulf",
        "latin america", "levant", "mediterranean", "middle east", "north africa", "north america", "northern europe",
        "oceania", "pacific", "red sea", "sahel", "scandinavia", "south america", "south asia", "south east asia",
        "southeast asia", "southern africa", "southern europe", "sub saharan africa", "west africa",
        "western europe",
    ]

    /// Words after the name of a city that are not part of it.
    static let cityTails: Set<String> = ["area", "city", "metro", "region", "town"]

    /// Kinds that may also be a city.
    static let cityKinds: Set<String> = ["borough", "city", "district", "municipality", "town", "village"]

    /// Kinds that are read as districts in running text.
    static let districtKinds: Set<String> = ["co", "county", "district", "parish", "region"]

    /// `hall county` is `hall` and `county`, `state of georgia` is `georgia` and `state`; nil without such a word.
    static func split(_ folded: String) -> (name: String, kind: String)? {
        let blank = UInt8(ascii: " ")
        guard let space = folded.utf8.lastIndex(of: blank) else { return nil }
        // Most names end otherwise, and this is asked for each name of a text.
        if lastWords.contains(folded[folded.utf8.index(after: space)...]) {
            let words = folded.split(separator: " ")
            for count in [3, 2, 1] where words.count > count {
                let kind = words.suffix(count).joined(separator: " ")
                if kinds.contains(kind) { return (words.dropLast(count).joined(separator: " "), kind) }
            }
        }
        if let first = folded.utf8.firstIndex(of: blank), folded[first...].hasPrefix(" of "),
            leadingKinds.contains(folded[..<first])
        {
            return (String(folded[first...].dropFirst(4)), String(folded[..<first]))
        }
        return nil
    }

    /// Whether the name consists of directions only: `Eastern`.
    static func isDirection(_ folded: String) -> Bool {
        folded.split(separator: " ").allSatisfy { directions.contains(String($0)) }
    }
}
