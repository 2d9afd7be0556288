import Foundation
import Model

/// The wanted messages of a stream, as texts of rules.
///
/// A message must match the query or, without a query, contain one of the keywords. If there are authors or boxes, it
/// must also be from one of them. Terms that exceed one rule are spread over several.
struct TwitterRules {
    /// The most characters of a rule on X's plans without a contract.
    static let longestRule = 512
    /// X's limit for the sides of a box in metres: 25 miles.
    private static let longestSide = 40_233.6

    let texts: [String]
    /// The tag of this source's rules: `rule_tag`, a colon and the source's name.
    let tag: String
    /// Boxes larger than X allows, as written in the settings.
    let largeBoxes: [String]

    /// Reads `query`, `authors`, `boxes` and `rule_tag`, and the source's keywords.
    /// - Throws: `FeedSettingsError` for an invalid user name or box.
    init(_ settings: SourceSettings) throws(FeedSettingsError) {
        tag = (settings.options["rule_tag"]?.text ?? "visiventd") + ":" + settings.name
        var origins: [String] = []
        for author in settings.options["authors"]?.texts ?? [] { origins.append(try Self.origin(author: author)) }
        var largeBoxes: [String] = []
        for text in settings.options["boxes"]?.texts ?? [] {
            let box = try Self.box(text)
            origins.append("bounding_box:[\(box.numbers.joined(separator: " "))]")
            if box.isLarge { largeBoxes.append(text) }
        }
        self.largeBoxes = largeBoxes
        let query = settings.options["query"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let words = TwitterSearch.terms(for: settings.filter.keywords?.searchWords ?? [])
        if let query {
            let places = Self.groups(of: origins, longest: Self.longestRule / 2)
            texts = places.isEmpty ? [query] : places.map { "(\(query)) \($0)" }
        } else if words.isEmpty || origins.isEmpty {
            texts = Self.groups(of: words + origins, longest: Self.longestRule)
        } else {
            let places = Self.groups(of: origins, longest: Self.longestRule / 2 - 1)
            texts = Self.groups(of: words, longest: Self.longestRule / 2).flatMap { group in
                places.map { "\(group) \($0)" }
            }
        }
    }

    /// Joins terms by OR, as many in a group as fit.
    private static func groups(of terms: [String], longest: Int) -> [String] {
        var groups: [[String]] = []
        var length = 0
        for term in terms {
            let count = term.unicodeScalars.count + 4
            if groups.isEmpty || length + count > longest {
                groups.append([])
                length = 2
            }
            groups[groups.count - 1].append(term)
            length += count
        }
        return groups.map { $0.count == 1 ? $0[0] : "(" + $0.joined(separator: " OR ") + ")" }
    }

    /// The rule `from:USGSVolcanoes` for a name with or without `@`.
    private static func origin(author: String) throws(FeedSettingsError) -> String {
        let name = author.hasPrefix("@") ? author.dropFirst() : author[...]
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
            default: false
            }
        }
        guard isName, (1...15).contains(name.utf8.count) else {
            throw FeedSettingsError(
                key: "authors", found: author, accepted: "user names of 1 to 15 letters, digits and underscores")
        }
        return "from:\(name)"
    }

    private static func box(_ text: String) throws(FeedSettingsError) -> (numbers: [String], isLarge: Bool) {
        let numbers = text.split { $0 == "," || $0 == " " }.map { String($0) }
        let values = numbers.compactMap { number in
            number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E } ? Double(number) : nil
        }
        guard numbers.count == 4, values.count == 4, values[0] >= -180, values[0] < values[2], values[2] <= 180,
            values[1] >= -90, values[1] < values[3], values[3] <= 90
        else {
            throw FeedSettingsError(
                key: "boxes", found: text,
                accepted: "\"west,south,east,north\" in degrees, such as \"-155.4,19.3,-155.1,19.5\"")
        }
        let degree = 111_195.0
        let width = (values[2] - values[0]) * degree * cos((values[1] + values[3]) / 2 * .pi / 180)
        return (numbers, max(width, (values[3] - values[1]) * degree) > longestSide)
    }
}
