import Model

/// Tests whether a question mentions a name in a service's answer.
enum NamedWords {
    /// Words that are in too many streets' names to identify one.
    private static let generic: Set<String> = [
        "avenue", "boulevard", "drive", "highway", "lane", "place", "road", "square", "street",
    ]

    /// Whether the question contains a word of the name, regardless of case and accents.
    ///
    /// Words below three bytes and words that are also in `areas` do not count: `London` is not its London Street.
    static func share(_ name: String, _ question: String, besides areas: [String] = []) -> Bool {
        let areas = areas.joined(separator: " ")
        let words = name.split { !$0.isLetter && !$0.isNumber }.map { String($0) }.filter { word in
            word.utf8.count > 2 && !generic.contains(word.lowercased()) && !KeywordFilter([word]).matches(areas)
        }
        return KeywordFilter(words).matches(question)
    }
}
