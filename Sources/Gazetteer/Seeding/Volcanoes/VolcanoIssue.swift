/// What was wrong with rows of a list, and where.
///
/// | reason | what it means |
/// |---|---|
/// | `missing_name` | the name has no letter or digit |
/// | `missing_coordinate` | latitude or longitude is empty |
/// | `bad_coordinate` | one of them is no number |
/// | `out_of_range` | the latitude is beyond ±90° or the longitude beyond ±540° |
/// | `zero_coordinate` | both are 0: the author did not know where it is |
/// | `duplicate` | an earlier row has the number, or the name and position |
/// | `wrong_columns` | the row has more or fewer columns than the list |
/// | `broken_quotes` | the same, in a row whose quotes are not closed |
/// | `not_a_volcano` | a placemark that does not lead to the Global Volcanism Program |
/// | `bad_xml` | a row that cannot be read or is too large |
/// | `mended_quotes` | its quotes are not closed; it was read as one line and kept |
/// | `bad_number` | the volcano's number is none; the row was kept without |
/// | `bad_link` | picture or webcam is no http or https URL; the row was kept without |
public struct VolcanoIssue: Sendable, Hashable, CustomStringConvertible {
    /// A short stable word.
    public var reason: String
    /// How many rows.
    public var count: Int
    /// The lines of the first five, from 1.
    public var lines: [Int]
    /// Whether the rows were left out.
    public var costsRow: Bool

    /// As in `zero_coordinate 7 (lines 3, 9, 12, 14, 20, …)`.
    public var description: String {
        let places = lines.map { "\($0)" }.joined(separator: ", ") + (count > lines.count ? ", …" : "")
        return "\(reason) \(count) (\(count == 1 ? "line" : "lines") \(places))"
    }
}

extension [VolcanoIssue] {
    /// Counts one more row.
    mutating func add(_ reason: String, line: Int, costsRow: Bool = true) {
        let index = firstIndex { $0.reason == reason } ?? endIndex
        if index == endIndex { append(VolcanoIssue(reason: reason, count: 0, lines: [], costsRow: costsRow)) }
        self[index].count += 1
        if self[index].lines.count < 5 { self[index].lines.append(line) }
    }
}
