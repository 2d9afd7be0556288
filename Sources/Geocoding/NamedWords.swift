import Model

/// Whether a question speaks of a name that a service answers with.
enum NamedWords {
    /// Words that stand in so many streets' names that they tell none.
    private static let generic: Set<String> = [
        "avenue", "boulevard", "drive", "highway", "lane", "place", "road", "square", "street",
    ]

    /// Whether a word of the name stands in the question, whatever its case and accents.
    ///
    /// Words of less than three bytes do not count, nor do those that stand in `areas` too: a London Street in London
    /// is not what `London` asks for.
    static func share(_ name: String, _ question: String, besides areas: [String] = []) -> Bool {
        let areas = areas.joined(separator: " ")
        let words = name.split { !$0.isLetter && !$0.isNumber }.map { String($0) }.filter { word in
            word.utf8.count > 2 && !generic.contains(word.lowercased()) && !KeywordFilter([word]).matches(areas)
        }
        return KeywordFilter(words).matches(question)
    }
}
