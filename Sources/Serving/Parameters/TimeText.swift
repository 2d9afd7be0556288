import Foundation
import Model
import Reading

/// Times and intervals in parameters (RFC 3339 §5.6; OGC API Features, Part 1, §7.15.4).
enum TimeText {
    /// The first and the last instant of a time, which are the same, or of a day in UTC.
    typealias Span = (since: Date, until: Date)

    static let accepted = "a time with seconds and zone such as 2026-03-01T10:15:00Z, or a date such as 2026-03-01"

    static let acceptedInterval = """
        a time with seconds and zone such as 2026-03-01T10:15:00Z, milliseconds since 1970 such as 1772360100000, a \
        date such as 2026-03-01, or two of them, the earlier one first, as in 2026-03-01/2026-03-02, 2026-03-01/.. or \
        ../2026-03-02
        """

    /// The first instant of a time or date.
    static func instant(_ text: String) -> Date? { isComplete(text) ? span(text)?.since : nil }

    /// The first instant of a time or date of FDSN (FDSN Web Service Specifications 1.2): times may have no zone and
    /// are then in UTC.
    static func instantOfFDSN(_ text: String) -> Date? { span(text)?.since }

    /// The first and last times of `datetime`, which may end before it begins; a time is nil for an open side, of which
    /// there is one at most. Nil for other text.
    static func interval(_ text: String) -> (first: Span?, last: Span?)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let first = parts.first, let last = parts.last else { return nil }
        var spans: [Span?] = []
        for part in [first, last] {
            if parts.count == 2, part.isEmpty || part == ".." {
                spans.append(nil)
            } else {
                guard let found = sent(part, isAlone: parts.count == 1) else { return nil }
                spans.append(found)
            }
        }
        guard spans.contains(where: { $0 != nil }) else { return nil }
        return (spans[0], spans[1])
    }

    /// A time of `datetime`, also in the forms of programs that send no others: milliseconds since 1970 (Grafana), a
    /// date as `2026-03-01T` (GDAL), a time without zone, which is UTC, and year 0 for an open side (QGIS).
    /// - Parameter isAlone: Whether it is no side of an interval. There GDAL's date is its first instant, with which
    ///   GDAL compares: `time < '2026-03-01'`.
    private static func sent(_ text: String, isAlone: Bool) -> Span? {
        // With fewer digits they might be seconds or a date.
        if text.utf8.count == 13, let number = Int64(text), number >= 1_000_000_000_000 {
            return (Date(milliseconds: number), Date(milliseconds: number))
        }
        var text = text
        // The reader knows years from 1 on.
        if text.hasPrefix("0000-") { text = "0001-" + text.dropFirst(5) }
        let isOfGDAL = text.utf8.count == 11 && text.hasSuffix("T")
        if isOfGDAL { text.removeLast() }
        if isComplete(text + "Z") { text += "Z" }
        guard isComplete(text), let found = span(text) else { return nil }
        if isOfGDAL, !isAlone { return (found.since, found.since) }
        return found
    }

    /// Whether the text is counted from the present, or an interval with such a side: `24h`, `-7 days`, `P1D/..`,
    /// `now-1h`, `yesterday`.
    static func isRelative(_ text: String) -> Bool {
        text.lowercased().split(separator: "/").contains { part in
            if ["now", "today", "yesterday"].contains(where: { part.hasPrefix($0) }) { return true }
            let length = part.drop { "+- pt".contains($0) }
            let unit = length.drop { $0.isNumber || $0 == "." || $0 == " " }
            return length.count > unit.count && units.contains(String(unit.prefix { $0.isLetter }))
        }
    }

    private static let units: Set<String> = [
        "s", "sec", "second", "seconds", "m", "min", "minute", "minutes", "h", "hour", "hours", "d", "day", "days", "w",
        "week", "weeks", "month", "months", "y", "year", "years",
    ]

    private static func span(_ text: String) -> Span? {
        let text = mended(text)
        guard text.utf8.count >= 10, let date = DateReader.rfc3339(text), isOnClock(text, date) else { return nil }
        if text.utf8.count > 10 { return (date, date) }
        return (date, Date(milliseconds: date.milliseconds + 86_399_999))
    }

    /// Whether the time of day exists, where the reader of feeds goes on to the next minute or day: hours end with 23,
    /// and second 60 is a leap second, at the end of June or December in UTC (RFC 3339 §5.7).
    private static func isOnClock(_ text: String, _ date: Date) -> Bool {
        let time = text.utf8.dropFirst(11)
        if time.starts(with: "24".utf8) { return false }
        guard time.dropFirst(5).starts(with: ":60".utf8) else { return true }
        let next = date.timestamp
        return ["-01-01T00:00:00.", "-07-01T00:00:00."].contains { next.contains($0) }
    }

    /// A plus sign that was not encoded has become a space.
    private static func mended(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: " ")) ? text.replacingOccurrences(of: " ", with: "+") : text
    }

    /// Whether the text has the parts of `full-date` or `date-time` (RFC 3339 §5.6): a time needs seconds and a zone.
    private static func isComplete(_ text: String) -> Bool {
        // All digits are alike here, and so are t and T, z and Z.
        let bytes = mended(text).utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
            case UInt8(ascii: "t"): UInt8(ascii: "T")
            case UInt8(ascii: "z"): UInt8(ascii: "Z")
            default: byte
            }
        }
        let shape = String(decoding: bytes, as: UTF8.self)
        guard shape.hasPrefix("0000-00-00T00:00:00") else { return shape == "0000-00-00" }
        var rest = shape.dropFirst(19)
        if rest.hasPrefix(".0") { rest = rest.dropFirst().drop { $0 == "0" } }
        return rest == "Z" || rest == "+00:00" || rest == "-00:00"
    }
}

extension Problem {
    /// A parameter whose text is no time (400). Of one that is counted from the present the words say what to write.
    /// - Parameter example: A value that is accepted.
    static func noTime(
        _ name: String, found: String, accepted: String, example: String = "2026-03-01T10:15:00Z"
    ) -> Problem {
        let words = "\(name) takes no time that is counted from now; write the time itself, as in \(name)=\(example)"
        let detail = TimeText.isRelative(found) ? words : nil
        return .parameter(name, found: found, accepted: accepted, detail: detail)
    }
}
