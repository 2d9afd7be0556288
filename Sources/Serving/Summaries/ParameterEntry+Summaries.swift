import Model

/// The parameters of summaries beside the conditions.
extension ParameterEntry {
    static let bin = ParameterEntry(
        "bin", "{\"type\":\"string\",\"pattern\":\(BinWidth.pattern.jsonQuoted),\"default\":\"day\"}",
        "Length of a bin: minute, hour, day, week or seconds, up to 99999999")
    static let bins = ParameterEntry(
        "bins", #"{"type":"integer","minimum":1,"maximum":2000}"#,
        "In place of bin: the most bins, 1 to 2000; they cover the whole span, those without events included")
    static let by = ParameterEntry(
        "by", #"{"type":"string","enum":["category"]}"#, "With category, the numbers by category, too")
    static let cell = ParameterEntry(
        "cell", #"{"type":"number","minimum":0.01,"maximum":10,"default":0.1}"#,
        "Side of the squares for coordinates without a place, in degrees, 0.01 to 10; 0.1 by default")
    static let mostRows = ParameterEntry(
        "limit", #"{"type":"integer","minimum":1,"default":100}"#, "The most rows, 100 by default, 1000 at most")
    static let onlyJSON = ParameterEntry(
        "f", #"{"type":"string","enum":["json"]}"#, "The form of the answer; there is only json")

    /// Those of a summary, in the order of `docs/api.md`.
    static func ofSummary(_ name: String) -> [ParameterEntry] {
        let own: [ParameterEntry] =
            switch name {
            case "histogram": [bin, bins, by]
            case "hotspots": [cell, mostRows]
            default: [mostRows]
            }
        return own + all.filter { $0.scope == .condition } + [onlyJSON]
    }
}
