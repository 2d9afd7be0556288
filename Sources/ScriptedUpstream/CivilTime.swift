import Foundation

/// Date and time of day in the formats of feeds, computed by the C library.
struct CivilTime {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private var parts = tm()
    private var fraction: Int64 = 0

    /// Splits milliseconds since 1970-01-01T00:00:00.
    init(milliseconds: Int64) {
        fraction = milliseconds % 1000
        var seconds = time_t(milliseconds / 1000)
        if fraction < 0 {
            fraction += 1000
            seconds -= 1
        }
        gmtime_r(&seconds, &parts)
    }

    /// Milliseconds since 1970-01-01T00:00:00 of a date (months from 1) and time of day.
    static func milliseconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int64 {
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        return Int64(timegm(&parts)) * 1000
    }

    /// `2014-03-21T15:21:43`, the given number of digits after the point, then the zone.
    func rfc3339(fractionDigits: Int, zone: String) -> String {
        let date = "\(1900 + Int(parts.tm_year))-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let digits = (String("\(1000 + fraction)".dropFirst()) + "000000").prefix(fractionDigits)
        return "\(date)T\(clock)\(fractionDigits > 0 ? "." : "")\(digits)\(zone)"
    }

    /// `Sun, 06 Nov 1994 08:49:37`, then a blank and the zone.
    func rfc822(zone: String) -> String {
        "\(weekday), \(two(parts.tm_mday)) \(month) \(1900 + Int(parts.tm_year)) \(clock) \(zone)"
    }

    /// `Wed Aug 27 13:08:45 +0000 2008`.
    func twitter(zone: String) -> String {
        "\(weekday) \(month) \(two(parts.tm_mday)) \(clock) \(zone) \(1900 + Int(parts.tm_year))"
    }

    private var weekday: String { Self.weekdays[Int(parts.tm_wday)] }
    private var month: String { Self.months[Int(parts.tm_mon)] }
    private var clock: String { "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" }

    private func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
