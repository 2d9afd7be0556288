public import Foundation

/// A date that was read.
public struct DateReading: Sendable, Hashable {
    /// The date.
    public let date: Date
    /// The name of its zone, if that is not known or has several meanings; it was read as UTC.
    public let unknownZone: String?
}

/// Reads dates in the forms that feeds use.
///
/// All functions ignore white space at both ends and give nil for other text, also for more than 200 bytes. They refuse
/// impossible dates (31 February) and years outside 1…9999, and keep fractions of seconds. Second 60 is the first of
/// the next minute, 24:00:00 the next midnight. A time without a zone is UTC, a date without a time is midnight, a
/// month or year its first day.
public enum DateReader {
    /// Reads a date of RFC 3339 or W3C-DTF, including common deviations: `2014-03-21T15:21:43Z`, `2014-03-21 15:21:43`,
    /// `2014-03-21T15:21+0100`, `2014-03-21T15:21:43.5-00:00`, `2014-03-21`, `2014-03`, `2014`. Nil for any other text.
    public static func rfc3339(_ text: String) -> Date? {
        scanned(text) { $0.rfc3339() }?.date
    }

    /// Reads a date of RFC 822, 2822 or 5322; nil for any other text.
    ///
    /// Accepted are `Wed, 17 Jan 2018 15:50:00 EST`, `17 January 2018 15:50 +0100`, `Wed 17-Jan-18 15:50:00 GMT` and
    /// other variants: without weekday, seconds, comma or time; months and weekdays in full, and in thirty languages
    /// (`gio, 29 dic 2022`); hyphens between day, month and year; the month before the day; `16th`, `at 01:11 p.m.`,
    /// `- 3:09pm`. Years of two and three digits follow RFC 5322 §4.3. A zone may be a name of IANA's database
    /// (`America/Los_Angeles`). Unknown zone names of up to five letters and military letters mean UTC (also §4.3); IST is
    /// India's time, BST Britain's. Year 1 and second 0 of 1970 are refused, since programs write them for unknown dates.
    public static func rfc822(_ text: String) -> Date? {
        meant(scanned(text) { $0.rfc822() })?.date
    }

    /// Reads a date of Twitter's API v1.1 or C's `asctime`: `Wed Aug 27 13:08:45 +0000 2008`, also without a zone. Nil
    /// for any other text.
    public static func twitter(_ text: String) -> Date? {
        scanned(text) { $0.twitter() }?.date
    }

    /// Reads a date in any of these forms, tried in the order `rfc3339(_:)`, `rfc822(_:)`, `twitter(_:)`; refuses year
    /// 1 and second 0 of 1970, as `rfc822(_:)` does. Nil for any other text.
    public static func any(_ text: String) -> Date? { reading(text)?.date }

    /// As `any(_:)`, with the name of a zone that was not known.
    public static func reading(_ text: String) -> DateReading? {
        meant(scanned(text) { $0.any() })
    }

    /// As `reading(_:)`, for UTF-8 text, which is not copied.
    public static func reading(_ text: UnsafeBufferPointer<UInt8>) -> DateReading? {
        meant(DateScanner(text)?.any())
    }

    private static func scanned(_ text: String, _ read: (DateScanner) -> DateReading?) -> DateReading? {
        guard text.utf8.count <= DateScanner.longest else { return nil }
        var text = text
        return text.withUTF8 { bytes in DateScanner(bytes).flatMap(read) }
    }

    /// The date, unless it is a placeholder: second 0 of 1970, or before year 2.
    private static func meant(_ reading: DateReading?) -> DateReading? {
        guard let seconds = reading?.date.timeIntervalSince1970, seconds != 0, seconds >= -62_104_060_800 else {
            return nil
        }
        return reading
    }
}
