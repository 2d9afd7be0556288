import Settings

/// The parameters that an unknown name may stand for.
enum MeantParameter {
    /// Names that other services use, each with the parameter here and what to write.
    private static let others: [(names: [String], parameter: String, written: String)] = [
        (["since", "from"], "after", "datetime=2026-03-01T00:00:00Z/.. for times, or after=NUMBER for changes"),
        (["seq", "last_event_id"], "after", "after"),
        (["starttime", "start", "since", "from"], "datetime", "datetime=2026-03-01T00:00:00Z/.."),
        (["endtime", "end", "until"], "datetime", "datetime=../2026-03-01T00:00:00Z"),
        (["magnitude", "mag"], "min_magnitude", "min_magnitude or max_magnitude"),
        (["minmag"], "min_magnitude", "min_magnitude"),
        (["maxmag"], "max_magnitude", "max_magnitude"),
        (["lat", "lon"], "latitude", "latitude and longitude, with radius in kilometres"),
        (["revised"], "updated_after", "updated_after, or the history of an item"),
        (["orderby", "sort", "order"], "sortby", "sortby"),
        (["offset", "page", "startindex"], "cursor", "cursor, as the link to the next page has it"),
        (["format"], "f", "f"),
        (["query", "text", "search"], "q", "q"),
        (["fields"], "properties", "properties"),
        // Those of FDSN.
        (["since", "from"], "starttime", "starttime"),
        (["until"], "endtime", "endtime"),
        (["datetime"], "starttime", "starttime and endtime"),
        (["magnitude", "mag"], "minmagnitude", "minmagnitude or maxmagnitude"),
        (["f"], "format", "format"),
    ]

    /// The end of a sentence that refuses a name: `; did you mean min_magnitude?`, or empty if no parameter is near.
    /// - Parameter taken: The parameters that the address takes.
    static func hint(for name: String, among taken: [String]) -> String {
        let word = name.lowercased()
        if let other = others.first(where: { $0.names.contains(word) && taken.contains($0.parameter) }) {
            return "; did you mean \(other.written)?"
        }
        if name == "f" { return "; this address has one form" }
        // A name of one letter is near to too many words.
        return NearestWord.hint(for: name, among: taken.filter { $0.utf8.count > 1 })
    }
}
