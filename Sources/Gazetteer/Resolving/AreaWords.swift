/// Words that say what sort of area a name is, or which part of a place is meant. All are folded (`NameFolding`).
enum AreaWords {
    /// What may stand behind the name of an area: `Hall County`, `Aydin province`.
    static let kinds: Set<String> = [
        "autonomous region", "borough", "canton", "census area", "co", "council area", "county", "department",
        "district", "division", "emirate", "governorate", "island region", "krai", "municipality", "oblast", "parish",
        "prefecture", "province", "region", "regional district", "regional municipality", "republic", "shire",
        "special administrative region", "state", "territory", "voivodeship",
    ]

    /// The same before it, each with a space behind.
    static let leadingKinds = [
        "state of ", "province of ", "county of ", "district of ", "region of ", "city of ", "town of ", "village of ",
        "republic of ", "kingdom of ", "territory of ", "department of ", "municipality of ",
    ]

    /// A part of what the name behind it means: `northern Iraq` is answered by Iraq. Alone they are no place.
    static let directions: Set<String> = [
        "central", "downtown", "east", "eastern", "far", "greater", "inner", "lower", "mainland", "metro",
        "metropolitan", "mid", "midtown", "north", "northeast", "northeastern", "northern", "northwest",
        "northwestern", "rural", "south", "southeast", "southeastern", "southern", "southwest", "southwestern",
        "suburban", "upper", "west", "western",
    ]

    /// Larger than any country: no place here, though towns and villages have the names.
    static let worldRegions: Set<String> = [
        "africa", "america latina", "antarctica", "arctic", "asia", "asia pacific", "balkans", "caribbean",
        "central africa", "central america", "central asia", "central europe", "east africa", "east asia",
        "eastern europe", "eurasia", "europa", "europe", "european union", "far east", "global south", "gulf",
        "latin america", "levant", "mediterranean", "middle east", "north africa", "north america", "northern europe",
        "oceania", "pacific", "sahel", "scandinavia", "south america", "south asia", "south east asia",
        "southeast asia", "southern africa", "southern europe", "sub saharan africa", "west africa",
        "western europe",
    ]

    /// May stand behind the name of a city without being part of it.
    static let cityTails: Set<String> = ["area", "city", "metro", "region", "town"]

    /// Kinds that may be a city as well.
    static let cityKinds: Set<String> = ["borough", "city", "district", "municipality", "town", "village"]

    /// Kinds of which a running text makes districts.
    static let districtKinds: Set<String> = ["co", "county", "district", "parish", "region"]

    /// `hall county` as `hall` and `county`, `state of georgia` as `georgia` and `state`; nil without such words.
    static func split(_ folded: String) -> (name: String, kind: String)? {
        let words = folded.split(separator: " ")
        for count in [3, 2, 1] where words.count > count {
            let kind = words.suffix(count).joined(separator: " ")
            if kinds.contains(kind) { return (words.dropLast(count).joined(separator: " "), kind) }
        }
        for leading in leadingKinds where folded.hasPrefix(leading) && folded.utf8.count > leading.utf8.count {
            return (String(folded.dropFirst(leading.utf8.count)), String(leading.prefix { $0 != " " }))
        }
        return nil
    }

    /// Whether the name only gives a direction: `Eastern`.
    static func isDirection(_ folded: String) -> Bool {
        folded.split(separator: " ").allSatisfy { directions.contains(String($0)) }
    }
}
