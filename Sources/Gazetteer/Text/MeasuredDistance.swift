import Model

/// A distance that a text measures from the place named behind it: `40 km SSW of`, `12 miles off`.
public struct MeasuredDistance: Sendable, Hashable {
    /// The longest distance in kilometres that gives a place; further away the direction tells too little.
    public static let longest = 100.0

    /// Kilometres, 0 or more.
    public let kilometres: Double
    /// Degrees clockwise from north, a multiple of 22.5; nil: the text gives no direction.
    public let bearing: Double?
    /// The words from the number up to the place's name, with the space between.
    public let words: String

    /// Creates a distance with these values, which are not checked.
    public init(kilometres: Double, bearing: Double?, words: String) {
        self.kilometres = kilometres
        self.bearing = bearing
        self.words = words
    }

    /// Whether it is short enough to give a place.
    public var isUsable: Bool { kilometres <= Self.longest }

    /// Kilometres by which the place may be off: a fifth of the distance, for direction and distance are rounded, at
    /// least 1; without a direction the whole distance.
    public var radius: Double { max(1, bearing == nil ? kilometres : kilometres / 5) }
}

extension MeasuredDistance {
    /// A distance in a text with the tokens of its words.
    struct Phrase {
        let distance: MeasuredDistance
        /// Its first token, the number.
        let first: Int
        /// The first token of the place's name.
        let name: Int
    }

    /// The distances in a text, each before a capitalised word.
    static func phrases(in tokens: [TextToken], of text: String) -> [Phrase] {
        tokens.indices.compactMap { phrase(at: $0, in: tokens, of: text) }
    }

    /// The distance whose unit is this token.
    private static func phrase(at index: Int, in tokens: [TextToken], of text: String) -> Phrase? {
        guard let (number, first, kilometres) = number(before: index, in: tokens) else { return nil }
        var next = index + 1
        // `5 km. N of`, `20 miles (32 km) north of`
        if tokens.sign(at: next) == "." { next += 1 }
        if tokens.sign(at: next) == ")" { next += 1 }
        skip(["away", "due", "the", "to"], from: &next, in: tokens)
        let bearing = bearing(from: &next, in: tokens)
        guard next < tokens.count, tokens[next].isWord else { return nil }
        // `10 miles of Texas` is no distance from it.
        guard (bearing == nil ? ["from", "off", "outside"] : ["from", "of", "off"]).contains(tokens[next].folded) else {
            return nil
        }
        next += 1
        skip(["the", "capital", "city", "coast", "of", "port", "town", "village"], from: &next, in: tokens)
        // `north of the capital, Kabul`
        if tokens.sign(at: next) == ",", tokens[next - 1].folded == "capital" { next += 1 }
        guard next < tokens.count, tokens[next].isWord, tokens[next].isCapitalised, tokens[next].gap != .paragraph
        else { return nil }
        let words = String(text[tokens[first].range.lowerBound..<tokens[next].range.lowerBound])
        return Phrase(
            distance: MeasuredDistance(kilometres: number * kilometres, bearing: bearing, words: words), first: first,
            name: next)
    }

    /// Whether a distance that is not understood may be measured from the name at an index: `hundreds of miles off
    /// Denver`, `50 km al sur de Acapulco`.
    static func isUnclear(before name: Int, in tokens: [TextToken]) -> Bool {
        var index = name - 1
        while index >= 0, tokens[index].isPossessive || tokens[index].folded == "the" { index -= 1 }
        guard index >= 0, tokens[index].isWord, links.contains(tokens[index].folded) else { return false }
        var isTold = false
        var last = name
        for word in (max(0, index - longestPhrase)...index).reversed() {
            if tokens[last].gap == .paragraph || tokens[word].sign == "." { return false }
            last = word
            let folded = tokens[word].folded
            if directions[folded] != nil || otherDirections.contains(folded) { isTold = true }
            let unit = String(folded.drop { $0.isNumber })
            if lengths.contains(unit) || units[unit] != nil { return isTold || word == index - 1 }
        }
        return false
    }

    private static let longestPhrase = 9
    static let file = WordFile("distances")
    /// Words before the name of a place near which something is.
    static let about = file.folded("about")
    /// Words of a title that is about an earthquake.
    static let quakes = file.folded("quakes")
    private static let links = file.folded("links")
    private static let otherDirections = file.folded("other directions")
    private static let lengths = file.folded("other lengths")

    /// Whether a text begins with a distance.
    static func opens(_ text: String) -> Bool {
        let text = String(text.prefix(PlaceText.longest))
        return phrases(in: TextToken.tokens(of: text), of: text).first?.first == 0
    }

    private static func skip(_ words: Set<String>, from index: inout Int, in tokens: [TextToken]) {
        while index < tokens.count, words.contains(tokens[index].folded), !tokens[index].isCapitalised { index += 1 }
    }

    // MARK: - Numbers

    private static let units = file.table("units").compactMapValues { $0.first.flatMap { Double($0) } }
    private static let numbers = file.table("numbers").compactMapValues { $0.first.flatMap { Double($0) } }

    /// The number before a unit, its first token, and the kilometres of the unit; nil if the token is no unit with a
    /// number.
    private static func number(
        before unit: Int, in tokens: [TextToken]
    ) -> (number: Double, first: Int, kilometres: Double)? {
        let word = tokens[unit].folded
        let letters = word.utf8.firstIndex { !(0x30...0x39).contains($0) } ?? word.endIndex
        guard var kilometres = units[String(word[letters...])] else { return nil }
        var first = unit
        var text = String(word[..<letters])
        if text.isEmpty {
            first = unit - 1
            guard first >= 0, tokens[first].isWord, tokens[unit].gap == .space else { return nil }
            if tokens[first].folded == "nautical", first > 0, tokens[first - 1].isWord {
                first -= 1
                kilometres = 1.852
            }
            text = tokens[first].folded
            if let number = numbers[text] {
                // `twenty-five`, `hundred and fifty miles`
                guard first > 0, tokens[first].gap != .paragraph else { return (number, first, kilometres) }
                let before = tokens[first - 1]
                let isLonger =
                    before.isHyphen || numbers[before.folded] != nil || ["and", "hundred"].contains(before.folded)
                return isLonger ? nil : (number, first, kilometres)
            }
        }
        // `1,200` or `12.5`
        if first >= 2, let sign = tokens[first - 1].sign, sign == "." || sign == ",", tokens[first - 1].gap == .none,
            tokens[first].gap == .none, tokens[first - 2].isWord
        {
            let isThousands = sign == "," && text.count == 3
            text = tokens[first - 2].folded + (isThousands ? "" : ".") + text
            first -= 2
        }
        guard let number = Double(text), number.isFinite, number >= 0 else { return nil }
        return (number, first, kilometres)
    }

    // MARK: - Directions

    private static let compass = Compass.points.map { $0.lowercased() }

    private static let directions = file.table("compass words").compactMapValues { $0.first }

    /// The direction at an index, which then is behind it: `SSW`, `north`, `north-west`, `north-northwest`; nil: none.
    private static func bearing(from index: inout Int, in tokens: [TextToken]) -> Double? {
        var letters = ""
        var next = index
        while next < tokens.count, letters.count < 3 {
            if !letters.isEmpty, tokens[next].isHyphen { next += 1 }
            guard next < tokens.count, let part = part(tokens[next]) else { break }
            letters += part
            next += 1
        }
        guard let point = compass.firstIndex(of: letters) else { return nil }
        index = next
        return Double(point) * 22.5
    }

    /// The letters of a direction's word; of an abbreviation itself, if it is in capitals.
    private static func part(_ token: TextToken) -> String? {
        if let letters = directions[token.folded] { return letters }
        guard token.isAllCaps || token.isCapitalised && token.length == 1 else { return nil }
        return compass.contains(token.folded) ? token.folded : nil
    }
}
