/// The dateline at the start of an agency's report: `MOSUL, Iraq/BAGHDAD (Reuters) - `.
///
/// Reuters' feeds had datelines until 2018; other agencies use the same form.
struct Dateline: Hashable {
    /// The text before the agency, as written. `/` separates several cities.
    let place: String
    /// The agency, without its parentheses.
    let agency: String

    /// The longest accepted place, in characters.
    static let longestPlace = 80

    private static let agencies: Set<String> = [
        "Reuters", "AP", "AFP", "UPI", "dpa", "DPA", "Xinhua", "TASS", "ANSA", "EFE", "Kyodo", "IANS", "PTI",
        "Thomson Reuters Foundation",
    ]

    /// Reads the dateline at the very beginning of a plain text; nil without a dateline or without a place
    /// (`(Reuters) - `).
    ///
    /// A dash or the end of the text must follow the agency, unless the place begins with a word in capitals.
    init?(_ text: String) {
        var text = text
        guard let line = text.withUTF8({ Self.read($0) }) else { return nil }
        self = line
    }

    private init(place: String, agency: String) {
        self.place = place
        self.agency = agency
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> Dateline? {
        let head = text.prefix(longestPlace * 4 + 64)
        guard let open = head.firstIndex(of: UInt8(ascii: "(")),
            let close = head[open...].firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let words = head[..<open]
        guard let last = words.lastIndex(where: { $0 != UInt8(ascii: " ") }), last < open - 1 else { return nil }
        let agency = String(decoding: head[(open + 1)..<close], as: UTF8.self)
        guard agencies.contains(agency) || agency.hasPrefix("Reuters ") else { return nil }
        let place = String(decoding: words[...last], as: UTF8.self)
        guard isPlace(place) else { return nil }
        let rest = head[(close + 1)...].drop { $0 == UInt8(ascii: " ") }
        guard rest.isEmpty || beginsWithDash(rest) || beginsWithCapitals(place) else { return nil }
        return Dateline(place: place, agency: agency)
    }

    // MARK: Place

    /// The role of a character in the test for a place.
    private enum Sign {
        case capital, small, stop, separator, forbidden, other

        init(_ character: Character) {
            // Unicode properties are slow to look up.
            if let byte = character.asciiValue {
                self.init(ascii: byte)
                return
            }
            switch character {
            case "“", "”", "…": self = .forbidden
            default: self = !character.isLetter ? .other : character.isLowercase ? .small : .capital
            }
        }

        private init(ascii byte: UInt8) {
            switch byte {
            case 0x41...0x5A: self = .capital
            case 0x61...0x7A: self = .small
            case UInt8(ascii: "."): self = .stop
            case UInt8(ascii: "/"), UInt8(ascii: ","): self = .separator
            case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "\""):
                self = .forbidden
            default: self = .other
            }
        }
    }

    /// Whether a text can be a place: it begins with a letter that is not lower-case, and it is no sentence. A full
    /// stop may only end an abbreviation, either a short one (`ST. LOUIS`, `D.C.`) or the last word of a place
    /// (`SACRAMENTO, Calif.`).
    private static func isPlace(_ text: String) -> Bool {
        text.count <= longestPlace && isPlace(text.lazy.map { Sign($0) })
    }

    private static func isPlace(_ signs: some Sequence<Sign>) -> Bool {
        var isFirst = true
        // The letters of the word so far, whether it begins in lower case, and whether its full stop must end the
        // place.
        var length = 0
        var isSmall = false
        var mustEnd = false
        for sign in signs {
            guard !isFirst || sign == .capital, !mustEnd || sign == .separator else { return false }
            isFirst = false
            mustEnd = false
            switch sign {
            case .forbidden: return false
            case .capital, .small:
                if length == 0 { isSmall = sign == .small }
                length += 1
            case .stop:
                guard length > 0, !isSmall, length <= 5 else { return false }
                mustEnd = length > 3
                length = 0
            case .separator, .other: length = 0
            }
        }
        return !isFirst
    }

    // MARK: After the agency

    private static func beginsWithDash(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // These bytes suffice to distinguish a dash from one with a combining mark.
        let first = String(decoding: text.prefix(15), as: UTF8.self).first
        return first == "-" || first == "–" || first == "—"
    }

    private static func beginsWithCapitals(_ text: String) -> Bool {
        let word = text.prefix { $0.isLetter }
        return word.count > 1 && word.allSatisfy { !$0.isLowercase }
    }
}
