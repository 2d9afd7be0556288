import Foundation
public import Model

/// The single places in a text that is meant as a place: a dateline, the areas of an alert, an author's location.
///
/// Datelines are `MOSUL, Iraq/BAGHDAD`, `BERLIN/ZURICH`, `PUNCAK,Indonesia` or `ABOARD USS NIMITZ`, which is no place.
/// Areas are `A; B; C`. Authors write anything: `London / Paris`, `NYC | LA`, `🌍 Earth`, `ÜT: 12.5,3.5`, `he/him`.
public struct PlaceText: Sendable, Hashable {
    /// The writer of the text, which decides what separates places and which words are none.
    public enum Style: Sendable, Hashable {
        /// A feed: a dateline, areas, the place attached to a message. `/`, `;` and line breaks separate places.
        case feed
        /// A person, in a profile. `|`, `•`, pictures and the like separate places, too.
        case author
    }

    /// One part of the text.
    public enum Part: Sendable, Hashable {
        /// The name of a place on one line, possibly with its areas (`PUNCAK, Indonesia`); within `longestName` and
        /// `maximumWords`.
        case name(String)
        /// A position written by an author's device, latitude first (`ÜT: 12.5,3.5`), with the whole text trimmed;
        /// never 0,0.
        case coordinate(Coordinate, text: String)
    }

    /// The longest text that is read, in characters; the rest is ignored.
    public static let longest = 400
    /// The most parts that are kept; later ones are ignored.
    public static let maximumParts = 8
    /// The longest part that may be a name, in characters; longer parts are left out.
    public static let longestName = 80
    /// The most words of a part that may be a name; parts with more are left out.
    public static let maximumWords = 8

    /// The places in order, each once, at most `maximumParts`; parts that name none are left out. Empty if none is
    /// left.
    public let parts: [Part]
    /// Whether the parts are areas that an event covers together (`A; B; C`): at least two, from a feed.
    public let isAreaList: Bool

    /// Splits a text into its places; any text is accepted.
    public init(_ text: String, style: Style) {
        let text = String(text.prefix(Self.longest))
        if style == .author, let coordinate = Self.coordinate(text) {
            parts = [.coordinate(coordinate, text: text.trimmingCharacters(in: .whitespacesAndNewlines))]
            isAreaList = false
            return
        }
        var found: [Part] = []
        let isAddress = style == .author && (text.contains("://") || text.lowercased().contains("www."))
        let pieces = isAddress ? [] : Self.pieces(of: text, style: style)
        for piece in pieces where found.count < Self.maximumParts {
            guard let name = Self.name(piece, style: style), !found.contains(.name(name)) else { continue }
            found.append(.name(name))
        }
        parts = found
        isAreaList = style == .feed && found.count > 1 && text.contains(";")
    }

    /// Whether a part that the table does not know is worth a question to a service: it has more than two letters, no
    /// number, at most six words and none such as `is`. It must begin with a letter, not a lower-case one; an
    /// author's must begin with a capital, because in scripts without capitals a name looks like any sentence.
    /// - Parameter style: The writer of the text; default: a feed.
    public static func isWorthAsking(_ name: String, style: Style = .feed) -> Bool {
        guard let first = name.first, first.isLetter, style == .author ? first.isUppercase : !first.isLowercase else {
            return false
        }
        guard !name.contains(where: { $0.isNumber }), name.count(where: { $0.isLetter }) > 2 else { return false }
        let words = name.split(whereSeparator: { $0 == " " || $0 == "," })
        return words.count <= 6 && !words.contains { functionWords.contains(NameFolding.folded(String($0))) }
    }

    // MARK: - Parts

    private static func pieces(of text: String, style: Style) -> [String] {
        var pieces: [String] = [""]
        for character in text {
            if separates(character, style: style) {
                if !pieces[pieces.count - 1].isEmpty { pieces.append("") }
            } else {
                pieces[pieces.count - 1].append(character)
            }
        }
        guard style == .author else { return pieces }
        // `London & Paris` is also tried as a whole: it may be one place, as `Antigua & Barbuda` is.
        return pieces.flatMap { piece in
            let halves = piece.components(separatedBy: " & ")
            return halves.count > 1 ? [piece] + halves : halves
        }
    }

    private static func separates(_ character: Character, style: Style) -> Bool {
        switch character {
        case "/", ";", "\n", "\r\n", "\r": return true
        case "|", "•", "·", "~", "→", "\\", "¦": return style == .author
        default:
            // Pictures separate places, or stand beside one.
            guard style == .author, let scalar = character.unicodeScalars.first else { return false }
            return scalar.properties.isEmojiPresentation || scalar.properties.generalCategory == .otherSymbol
        }
    }

    /// The name in a piece; nil if there is none.
    private static func name(_ piece: String, style: Style) -> String? {
        var piece = piece.replacingOccurrences(of: "(", with: ",").replacingOccurrences(of: ")", with: " ")
        // São Paulo - Brasil
        if style == .author {
            for dash in [" - ", " – ", " — "] { piece = piece.replacingOccurrences(of: dash, with: ",") }
        }
        var words = piece.replacingOccurrences(of: ",", with: " , ").split(whereSeparator: { $0.isWhitespace })
            .map { String($0) }
        words = words.reduce(into: []) { words, word in
            // A comma belongs to the word before it.
            guard word == "," else { return words.append(word) }
            if let last = words.popLast() { words.append(last.hasSuffix(",") ? last : last + ",") }
        }
        if style == .feed, let first = words.first, ["ABOARD", "ONBOARD"].contains(first.uppercased()) { return nil }
        words = droppingLead(words, style: style)
        if style == .feed { words = droppingDate(words) }
        let name = words.joined(separator: " ").trimmingCharacters(in: edges)
        guard !words.isEmpty, words.count <= maximumWords, name.count <= longestName else { return nil }
        guard name.count(where: { $0.isLetter }) > 1 || isIdeograph(name) else { return nil }
        guard !name.contains(where: { "@#<>{}=".contains($0) }) else { return nil }
        let folded = NameFolding.folded(name)
        guard !folded.isEmpty, !noDateline.contains(folded) else { return nil }
        if style == .author {
            let first = NameFolding.folded(String(name.prefix { $0 != "," }))
            guard !nowhere.contains(first), !nowhere.contains(folded) else { return nil }
            guard !folded.split(separator: " ").contains(where: { nowhereWords.contains(String($0)) }) else {
                return nil
            }
            guard name.count(where: { $0.isNumber }) < 4 else { return nil }
        }
        return name
    }

    /// Removes the words before a place: `NEAR MOSUL`, `SOUTH OF KIRKUK`, `living in Oslo`.
    private static func droppingLead(_ words: [String], style: Style) -> [String] {
        let lower = words.map { $0.lowercased().filter { $0 != "'" } }
        if lower.count > 2, ["north", "south", "east", "west"].contains(lower[0]), lower[1] == "of" {
            return Array(words.dropFirst(2))
        }
        let leads = style == .feed ? ["near", "outside"] : leadsOfAuthors
        // The number of leading words that all introduce a place.
        let count = lower.prefix { leads.contains($0) }.count
        return count < words.count ? Array(words.dropFirst(count)) : words
    }

    /// Removes the date from `LONDON, Oct 25`.
    private static func droppingDate(_ words: [String]) -> [String] {
        guard words.count > 2, let day = words.last, day.allSatisfy({ $0.isNumber }), day.count <= 2,
            months.contains(String(words[words.count - 2].lowercased().prefix(3)))
        else { return words }
        return Array(words.dropLast(2))
    }

    private static let months = authors.folded("months")

    private static func isIdeograph(_ name: String) -> Bool {
        name.unicodeScalars.contains { $0.properties.isIdeographic }
    }

    // MARK: - Coordinates

    /// The position in `ÜT: 12.5,3.5` or `iPhone: 40.741895,-73.989308`: two decimal fractions, not both zero.
    private static func coordinate(_ text: String) -> Coordinate? {
        var numbers: [String] = [""]
        var letters = 0
        for character in text {
            if character.isASCII, character.isNumber || ".-+".contains(character) {
                numbers[numbers.count - 1].append(character)
            } else {
                if character.isLetter { letters += 1 }
                if !numbers[numbers.count - 1].isEmpty { numbers.append("") }
            }
        }
        let values = numbers.filter { !$0.isEmpty }
        guard letters <= 8, values.count == 2, values.allSatisfy({ $0.contains(".") }),
            let latitude = Double(values[0]), let longitude = Double(values[1]),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude), !coordinate.isNowhere
        else { return nil }
        return coordinate
    }

    // MARK: - Words

    private static let edges = CharacterSet(charactersIn: " ,-–—:!?*\"'“”‘’_^…")

    private static let authors = WordFile("authors")
    private static let leadsOfAuthors = authors.folded("leads of authors")

    /// Texts of feeds in place of a dateline. Reports from the United Nations are about another place.
    private static let noDateline = authors.folded("no dateline")

    /// Authors' texts that name no place, although some are names of towns.
    private static let nowhere = authors.folded("nowhere")

    /// Words with which an author's text names no place.
    private static let nowhereWords = authors.folded("nowhere words")

    /// Words that no name of a place has, for the choice of questions to services.
    private static let functionWords = authors.folded("no names")
}
