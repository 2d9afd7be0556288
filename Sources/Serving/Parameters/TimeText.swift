import Foundation
import Model
import Reading

/// Times and intervals in parameters (RFC 3339; OGC API Features, Part 1, §7.15.4).
enum TimeText {
    static let accepted = "a time such as 2026-03-01T10:15:00Z or a date such as 2026-03-01"

    static let acceptedInterval = """
        a time such as 2026-03-01T10:15:00Z, a date such as 2026-03-01, or two of them as in 2026-03-01/2026-03-02, \
        2026-03-01/.. or ../2026-03-02
        """

    /// The first instant of a time or date.
    static func instant(_ text: String) -> Date? { span(text)?.since }

    /// The instants of `datetime`, nil for an open side; nil for other text, and if it ends before it begins. A date is
    /// a whole day in UTC.
    static func interval(_ text: String) -> (since: Date?, until: Date?)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 1 { return span(text).map { (since: $0.since, until: $0.until) } }
        guard parts.count == 2 else { return nil }
        var since: Date?
        var until: Date?
        if !isOpen(parts[0]) {
            guard let first = span(String(parts[0])) else { return nil }
            since = first.since
        }
        if !isOpen(parts[1]) {
            guard let last = span(String(parts[1])) else { return nil }
            until = last.until
        }
        if let since, let until, since > until { return nil }
        return (since, until)
    }

    private static func isOpen(_ text: Substring) -> Bool { text.isEmpty || text == ".." }

    private static func span(_ text: String) -> (since: Date, until: Date)? {
        // A plus sign that was not encoded has become a space.
        let text = text.replacingOccurrences(of: " ", with: "+")
        guard text.utf8.count >= 10, let date = DateReader.rfc3339(text) else { return nil }
        if text.utf8.count > 10 { return (date, date) }
        return (date, Date(milliseconds: date.milliseconds + 86_399_999))
    }
}
