import Foundation
import Model

/// Reads the three date formats of HTTP (RFC 9110 §5.6.7).
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. The
    /// weekday is ignored. Two-digit years from 70 on belong to the last century. Nil for other text.
    static func parse(_ text: String) -> Date? {
        let separators: [UInt8] = [0x20, UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: ":")]
        let bytes = Array(text.utf8.prefix(64))
        let parts = bytes.split { separators.contains($0) }
        guard parts.count == 7 || parts.count == 8 else { return nil }
        // asctime begins with the month and ends with the year; the other two end with GMT.
        let isAsctime = parts.count == 7
        guard isAsctime || isGMT(parts[7]) else { return nil }
        let (dayPart, monthPart, yearPart) = isAsctime ? (parts[2], parts[1], parts[6]) : (parts[1], parts[2], parts[3])
        let clock = isAsctime ? 3 : 4
        guard let day = number(dayPart), let month = monthNumber(monthPart), var year = number(yearPart),
            let hour = number(parts[clock]), let minute = number(parts[clock + 1]),
            let second = number(parts[clock + 2]), hour < 24, minute < 60, second <= 60
        else { return nil }
        if yearPart.count <= 2 { year += year < 70 ? 2000 : 1900 }
        let days = CivilDate.daysSince1970(year: year, month: month, day: day)
        // A day that the month does not have would give another date.
        guard CivilDate.from(daysSince1970: days) == (year, month, day) else { return nil }
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    private static func number(_ part: ArraySlice<UInt8>) -> Int64? {
        guard part.count <= 4 else { return nil }
        var value: Int64 = 0
        for byte in part {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    private static func monthNumber(_ part: ArraySlice<UInt8>) -> Int64? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let name = String(decoding: part, as: UTF8.self).lowercased()
        return names.firstIndex(of: name).map { Int64($0) + 1 }
    }

    private static func isGMT(_ part: ArraySlice<UInt8>) -> Bool {
        let zone = String(decoding: part, as: UTF8.self)
        return zone == "GMT" || zone == "UTC"
    }
}
