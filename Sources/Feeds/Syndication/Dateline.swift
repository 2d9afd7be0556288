/// The dateline at the head of an agency's report: `MOSUL, Iraq/BAGHDAD (Reuters) - `.
///
/// Reuters' feeds carried them until 2018; other agencies write the same form.
struct Dateline: Hashable {
    /// All that stands before the agency, as written; several cities are parted by `/`.
    let place: String
    /// The agency, without its parentheses.
    let agency: String

    /// Longest place text accepted, in characters.
    static let longestPlace = 80

    private static let agencies: Set<String> = [
        "Reuters", "AP", "AFP", "UPI", "dpa", "DPA", "Xinhua", "TASS", "ANSA", "EFE", "Kyodo", "IANS", "PTI",
        "Thomson Reuters Foundation",
    ]

    /// Reads the dateline at the very beginning of a plain text; nil when there is none, or one without a place
    /// (`(Reuters) - `).
    ///
    /// The agency must be followed by a dash or the end of the text, unless the place begins with a word in capitals.
    init?(_ text: String) {
        let head = text.utf8.prefix(Self.longestPlace * 4 + 64)
        guard let open = head.firstIndex(of: UInt8(ascii: "(")), open > head.startIndex,
            let close = head[open...].firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let agency = String(Substring(head[head.index(after: open)..<close]))
        guard Self.agencies.contains(agency) || agency.hasPrefix("Reuters ") else { return nil }
        var words = head[..<open]
        guard words.last == UInt8(ascii: " ") else { return nil }
        while words.last == UInt8(ascii: " ") { words = words.dropLast() }
        let place = String(Substring(words))
        guard Self.isPlace(place) else { return nil }
        let rest = head[head.index(after: close)...].drop { $0 == UInt8(ascii: " ") }
        guard rest.isEmpty || Self.beginsWithDash(rest) || Self.beginsWithCapitals(words) else { return nil }
        self.place = place
        self.agency = agency
    }

    /// Begins with no lower-case letter and is no sentence: a full stop only ends an abbreviation, which is short
    /// (`ST. LOUIS`, `D.C.`) or the last word of a place (`SACRAMENTO, Calif.`).
    private static func isPlace(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter, !first.isLowercase, text.count <= longestPlace else {
            return false
        }
        let characters = Array(text)
        var word: [Character] = []
        for (index, character) in characters.enumerated() {
            switch character {
            case "!", "?", ";", ":", "\"", "“", "”", "…": return false
            case ".":
                let next = index + 1 < characters.count ? characters[index + 1] : "/"
                let isLast = next == "/" || next == ","
                guard let initial = word.first, !initial.isLowercase, word.count <= (isLast ? 5 : 3) else {
                    return false
                }
                word.removeAll(keepingCapacity: true)
            default: if character.isLetter { word.append(character) } else { word.removeAll(keepingCapacity: true) }
            }
        }
        return true
    }

    private static func beginsWithDash(_ text: Substring.UTF8View) -> Bool {
        let first = Substring(text).first
        return first == "-" || first == "–" || first == "—"
    }

    private static func beginsWithCapitals(_ text: Substring.UTF8View) -> Bool {
        let word = Substring(text).prefix { $0.isLetter }
        return word.count > 1 && word.allSatisfy { !$0.isLowercase }
    }
}
