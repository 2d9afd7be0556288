public import Foundation

extension Date {
    /// Milliseconds since 1970-01-01T00:00:00Z, rounded: the form in the database. They are clamped to the end of year
    /// 9999 and to the same distance before 1970.
    public var milliseconds: Int64 {
        let limit = 253_402_300_799_999.0
        return Int64(clamping: max(-limit, min(limit, (timeIntervalSince1970 * 1000).rounded())))
    }

    /// Creates an instant from milliseconds since 1970-01-01T00:00:00Z; any number is taken, negative ones lie before.
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The instant in RFC 3339 (UTC), always with milliseconds: `2014-03-21T15:21:43.000Z`. Programs get this form.
    /// From year 0 on it sorts by time.
    ///
    /// It is written by hand because Foundation's formatters load ICU.
    public var timestamp: String {
        String(unsafeUninitializedCapacity: Self.longestTimestamp) { writeTimestamp(to: $0) }
    }

    /// Appends `timestamp` to a text.
    public func appendTimestamp(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longestTimestamp) { digits in
            let end = writeTimestamp(to: digits)
            text.append(contentsOf: UnsafeBufferPointer(rebasing: digits[..<end]))
        }
    }

    /// A minus sign, 17 digits and 7 separators.
    private static let longestTimestamp = 25

    /// Writes `timestamp` to the start of `text`, which has room for the longest one, and returns its end.
    private func writeTimestamp(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (days, rest) = milliseconds.quotientFloored(by: 86_400_000)
        let (year, month, day) = CivilDate.from(daysSince1970: days)
        let seconds = rest / 1000
        var end = 0
        func put(_ number: Int64, digits: Int, then mark: Unicode.Scalar) {
            var left = number
            for place in stride(from: end + digits - 1, through: end, by: -1) {
                text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left % 10)
                left /= 10
            }
            text[end + digits] = UInt8(ascii: mark)
            end += digits + 1
        }
        if year < 0 {
            text[0] = UInt8(ascii: "-")
            end = 1
        }
        put(abs(year), digits: 4, then: "-")
        put(month, digits: 2, then: "-")
        put(day, digits: 2, then: "T")
        put(seconds / 3600, digits: 2, then: ":")
        put(seconds / 60 % 60, digits: 2, then: ":")
        put(seconds % 60, digits: 2, then: ".")
        put(rest % 1000, digits: 3, then: "Z")
        return end
    }

    /// The instant as `timestamp`, without milliseconds that are zero: `2014-03-21T15:21:43Z`. It is the form for
    /// people and for stored texts.
    public var rfc3339: String {
        let text = timestamp
        return text.hasSuffix(".000Z") ? String(text.dropLast(5)) + "Z" : text
    }

    /// The instant as `rfc3339`, rounded down to whole seconds: `2014-03-21T15:21:43Z`.
    public var wholeSeconds: String { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).rfc3339 }

    /// The instant in UTC by a format of `strftime` of at most 63 bytes, rounded down to whole seconds, with English
    /// words: the locale of times is C, since nothing sets it.
    public func utc(_ format: String) -> String {
        var seconds = time_t(clamping: timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Duration {
    /// The duration in seconds, with fractions; negative for a negative duration.
    public var seconds: Double {
        let (whole, atto) = components
        return Double(whole) + Double(atto) * 1e-18
    }

    /// The duration in whole milliseconds, fractions dropped towards zero.
    public var milliseconds: Int64 {
        let (whole, atto) = components
        return whole * 1000 + atto / 1_000_000_000_000_000
    }

    /// The duration as the configuration writes it, cut to its two largest units: `15m`, `1m30s`, `3d4h`. Below a
    /// second it is in milliseconds (`388ms`); negative ones become `0ms`.
    public var compact: String {
        guard self >= .seconds(1) else { return "\(max(0, milliseconds))ms" }
        var rest = components.seconds
        var parts: [String] = []
        for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] as [(String, Int64)]
        where rest >= size && parts.count < 2 {
            parts.append("\(rest / size)\(unit)")
            rest %= size
        }
        return parts.joined()
    }
}

/// Conversions between days and dates of the proleptic Gregorian calendar.
public enum CivilDate {
    /// Days from 1970-01-01 to a date, negative before it (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    /// Month (1…12) and day (1…31) must be valid; they are not checked.
    public static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = y.quotientFloored(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that is the given number of days after 1970-01-01, or before it if negative: month 1…12, day 1…31. Year
    /// 0 precedes year 1.
    public static func from(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientFloored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity, and the remainder, which is never negative.
    func quotientFloored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
