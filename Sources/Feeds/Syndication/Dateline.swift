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

    /// What a character means for the question whether a text is a place.
    private enum Sign {
        case capital, small, stop, separator, forbidden, other

        init(_ character: Character) {
            // What Unicode knows of a character is dear to look up.
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

    /// Begins with no lower-case letter and is no sentence: a full stop only ends an abbreviation, which is short
    /// (`ST. LOUIS`, `D.C.`) or the last word of a place (`SACRAMENTO, Calif.`).
    private static func isPlace(_ text: String) -> Bool {
        text.count <= longestPlace && isPlace(text.lazy.map { Sign($0) })
    }

    private static func isPlace(_ signs: some Sequence<Sign>) -> Bool {
        var isFirst = true
        // Letters of the word so far, whether it begins with a small one, and whether its full stop must be the last.
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

    // MARK: What follows

    private static func beginsWithDash(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // Enough bytes to tell a dash from one with a mark above it.
        let first = String(decoding: text.prefix(15), as: UTF8.self).first
        return first == "-" || first == "–" || first == "—"
    }

    private static func beginsWithCapitals(_ text: String) -> Bool {
        let word = text.prefix { $0.isLetter }
        return word.count > 1 && word.allSatisfy { !$0.isLowercase }
    }
}
