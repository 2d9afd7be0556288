/// Words that tell the kind of an area, or a part of a place. All are folded (`NameFolding`).
enum AreaWords {
    private static let file = WordFile("areas")

    /// Kinds that follow the name of an area: `Hall County`, `Aydin province`.
    static let kinds = file.folded("area kinds")

    /// The last words of `kinds`.
    private static let lastWords = Set(kinds.compactMap { $0.split(separator: " ").last })

    /// Kinds that precede it with `of`: `State of Texas`.
    private static let leadingKinds = file.folded("leading kinds")

    /// Abbreviations of other words (`Ms.`): the areas with these codes are written in capitals.
    static let otherAbbreviations = file.folded("other abbreviations")

    /// Parts of the place that follows: `northern Iraq` resolves to Iraq. Alone they are not a place.
    static let directions = PlaceWords.areaDirections.union(file.folded("area directions"))

    /// Regions larger than a country. They count as no place, although towns and villages have these names.
    static let worldRegions = file.folded("world regions")

    /// Words after the name of a city that are not part of it.
    static let cityTails = file.folded("city tails")

    /// Kinds that may also be a city.
    static let cityKinds = file.folded("city kinds")

    /// Kinds that are read as districts in running text.
    static let districtKinds = file.folded("district kinds")

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
            leadingKinds.contains(String(folded[..<first]))
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
