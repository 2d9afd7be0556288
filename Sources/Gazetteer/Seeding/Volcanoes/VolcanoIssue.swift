/// A fault in rows of a list, with their lines.
///
/// | reason | meaning |
/// |---|---|
/// | `missing_name` | the name has no letter or digit |
/// | `missing_coordinate` | latitude or longitude is empty |
/// | `bad_coordinate` | latitude or longitude is not a number |
/// | `out_of_range` | the latitude is beyond ±90° or the longitude beyond ±540° |
/// | `zero_coordinate` | both are 0: the author did not know the position |
/// | `duplicate` | an earlier row has the number, or the name and position |
/// | `wrong_columns` | the row has more or fewer columns than the list |
/// | `broken_quotes` | the same, in a row with an unclosed quote |
/// | `not_a_volcano` | a placemark without a link to the Global Volcanism Program |
/// | `bad_xml` | an unreadable or too large row |
/// | `mended_quotes` | an unclosed quote; the row was read as one line and kept |
/// | `bad_number` | the volcano's number is invalid; the row was kept without it |
/// | `bad_link` | picture or webcam is not an http or https URL; the row was kept without it |
public struct VolcanoIssue: Sendable, Hashable, CustomStringConvertible {
    /// A short stable word of the table above.
    public var reason: String
    /// Number of rows with the fault, 1 or more; `lines` names the first five of them.
    public var count: Int
    /// The lines on which the first five rows begin, from 1 on, in the order of the list.
    public var lines: [Int]
    /// Whether the rows were left out; otherwise they were kept without the faulty part.
    public var costsRow: Bool

    /// Reason, count and lines: `zero_coordinate 7 (lines 3, 9, 12, 14, 20, …)`.
    public var description: String {
        let places = lines.map { "\($0)" }.joined(separator: ", ") + (count > lines.count ? ", …" : "")
        return "\(reason) \(count) (\(count == 1 ? "line" : "lines") \(places))"
    }
}

extension [VolcanoIssue] {
    /// Counts another row.
    mutating func add(_ reason: String, line: Int, costsRow: Bool = true) {
        let index = firstIndex { $0.reason == reason } ?? endIndex
        if index == endIndex { append(VolcanoIssue(reason: reason, count: 0, lines: [], costsRow: costsRow)) }
        self[index].count += 1
        if self[index].lines.count < 5 { self[index].lines.append(line) }
    }
}
