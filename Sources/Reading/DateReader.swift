public import Foundation

/// Reads dates as feeds write them.
///
/// All functions ignore white space at the ends, refuse dates that do not exist (31 February) and years outside 1…9999,
/// keep fractions of seconds, take second 60 as the first of the next minute and 24:00:00 as the next midnight, and
/// read a time without a zone as UTC.
public enum DateReader {
    /// A date of RFC 3339 or W3C-DTF, also with what feeds make of them: `2014-03-21T15:21:43Z`, `2014-03-21 15:21:43`,
    /// `2014-03-21T15:21+0100`, `2014-03-21T15:21:43.5-00:00`, `2014-03-21`, `2014-03`, `2014`.
    public static func rfc3339(_ text: String) -> Date? {
        scanned(text) { $0.rfc3339() }
    }

    /// A date of RFC 822, 2822 or 5322 with its real-world variants: without weekday, seconds, comma or time; months
    /// and weekdays written out; hyphens between day, month and year; two-digit years; the month before the day.
    ///
    /// `Wed, 17 Jan 2018 15:50:00 EST`, `17 January 2018 15:50 +0100`, `Wed 17-Jan-18 15:50:00 GMT`.
    /// Years of two and three digits follow RFC 5322 §4.3. Unknown words for the zone mean UTC, as do military
    /// letters (§4.3 too). IST is India's time, BST Britain's. Year 1 and the first second of 1970 are refused:
    /// programs write them for a date they do not know.
    public static func rfc822(_ text: String) -> Date? {
        meant(scanned(text) { $0.rfc822() })
    }

    /// A date as Twitter's v1.1 API and C's `asctime` write it: `Wed Aug 27 13:08:45 +0000 2008`, also without a zone.
    public static func twitter(_ text: String) -> Date? {
        scanned(text) { $0.twitter() }
    }

    /// A date in any of these forms; year 1 and the first second of 1970 are refused as in `rfc822(_:)`.
    public static func any(_ text: String) -> Date? {
        meant(scanned(text) { $0.any() })
    }

    /// As `any(_:)`, of text in UTF-8.
    public static func any(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        meant(DateScanner(text)?.any())
    }

    private static func scanned(_ text: String, _ read: (DateScanner) -> Date?) -> Date? {
        guard text.utf8.count <= DateScanner.longest else { return nil }
        var text = text
        return text.withUTF8 { bytes in DateScanner(bytes).flatMap(read) }
    }

    /// The date unless it is what stands for none: zero seconds since 1970, or before year 2.
    private static func meant(_ date: Date?) -> Date? {
        guard let seconds = date?.timeIntervalSince1970, seconds != 0, seconds >= -62_104_060_800 else { return nil }
        return date
    }
}
