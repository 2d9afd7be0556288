import Foundation

/// The bytes of a short text with a date, and the grammar of dates over them.
struct DateScanner {
    private let bytes: [UInt8]
    private var index = 0

    /// Nil for an empty text, and one too long to be a date.
    init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        let start = text.utf8.drop { $0.isXMLSpace }
        var bytes = Array(start)
        while let last = bytes.last, last.isXMLSpace { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }

    // MARK: Forms

    /// RFC 3339 §5.6, W3C-DTF.
    func rfc3339() -> Date? {
        var scanner = self
        return scanner.readRFC3339()
    }

    /// RFC 5322 §3.3 and §4.3.
    func rfc822() -> Date? {
        var scanner = self
        return scanner.readRFC822()
    }

    /// `Wed Aug 27 13:08:45 +0000 2008`.
    func twitter() -> Date? {
        var scanner = self
        return scanner.readTwitter()
    }

    private mutating func readRFC3339() -> Date? {
        guard let year = readNumber(digits: 4...4) else { return nil }
        guard skip("-") else { return isAtEnd ? date(year, 1, 1, Time()) : nil }
        guard let month = readNumber(digits: 2...2) else { return nil }
        guard skip("-") else { return isAtEnd ? date(year, month, 1, Time()) : nil }
        guard let day = readNumber(digits: 2...2) else { return nil }
        if isAtEnd { return date(year, month, day, Time()) }
        guard skip("T") || skip("t") || skipSpace(), let time = readTime(), let offset = readZone(), isAtEnd else {
            return nil
        }
        return date(year, month, day, time, offset: offset)
    }

    private mutating func readRFC822() -> Date? {
        let first = word()
        var named = first.flatMap(Self.month)
        if let first, named == nil {
            guard Self.isWeekday(first) else { return nil }
            skipSeparators()
            named = word().flatMap(Self.month)
        }
        // `Jan 17, 2018` has the day behind the month.
        skipSeparators()
        guard let day = readNumber(digits: 1...2) else { return nil }
        skipSeparators()
        guard let month = named ?? word().flatMap(Self.month) else { return nil }
        skipSeparators()
        let yearStart = index
        guard var year = readNumber(digits: 2...4) else { return nil }
        switch index - yearStart {
        case 2: year += year < 50 ? 2000 : 1900
        case 3: year += 1900
        default: break
        }
        if isAtEnd { return date(year, month, day, Time()) }
        let hasComma = skip(",")
        let hasSpace = skipSpace()
        guard hasComma || hasSpace || skip("T") else { return nil }
        guard let time = readTime(), let offset = readZone() else { return nil }
        skipComment()
        return isAtEnd ? date(year, month, day, time, offset: offset) : nil
    }

    private mutating func readTwitter() -> Date? {
        guard let weekday = word(), Self.isWeekday(weekday), skipSpace(),
            let month = word().flatMap(Self.month), skipSpace(),
            let day = readNumber(digits: 1...2), skipSpace(), let time = readTime(), skipSpace()
        else { return nil }
        var offset = 0
        if let byte = peek, !byte.isASCIIDigit {
            guard let found = readZone(), skipSpace() else { return nil }
            offset = found
        }
        guard let year = readNumber(digits: 4...4), isAtEnd else { return nil }
        return date(year, month, day, time, offset: offset)
    }

    // MARK: Time and zone

    private struct Time {
        var hour = 0
        var minute = 0
        var second = 0
        var fraction = 0.0
    }

    /// `15:50`, `15:50:00`, `15:50:00.25`, `3:50 PM`.
    private mutating func readTime() -> Time? {
        guard let hour = readNumber(digits: 1...2), skip(":"), let minute = readNumber(digits: 2...2) else {
            return nil
        }
        var time = Time(hour: hour, minute: minute)
        if skip(":") {
            guard let second = readNumber(digits: 2...2) else { return nil }
            time.second = second
            if skip(".") || skip(",") {
                let start = index
                var unit = 0.1
                while let byte = peek, byte.isASCIIDigit {
                    time.fraction += Double(byte - 0x30) * unit
                    unit /= 10
                    index += 1
                }
                guard index > start else { return nil }
            }
        }
        let before = index
        _ = skipSpace()
        if let half = word(), half == "am" || half == "pm" {
            guard (1...12).contains(time.hour) else { return nil }
            time.hour = time.hour % 12 + (half == "pm" ? 12 : 0)
        } else {
            index = before
        }
        return time
    }

    /// Seconds east of UTC; nil when what stands there is no zone. At the end of the text it is UTC.
    private mutating func readZone() -> Int? {
        let before = index
        _ = skipSpace()
        guard let byte = peek, byte != UInt8(ascii: "(") else { return 0 }
        if byte.isASCIIDigit {
            // Not a zone but Twitter's year.
            index = before
            return 0
        }
        var known = 0
        if byte.isASCIILetter {
            guard let name = word(), name.utf8.count <= 5 else { return nil }
            known = (Self.zones[name] ?? 0) * 60
            // `GMT+0100`
            guard known == 0, peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") else { return known }
        }
        let isWest = peek == UInt8(ascii: "-")
        guard isWest || peek == UInt8(ascii: "+") else { return nil }
        index += 1
        let start = index
        guard let value = readNumber(digits: 1...4) else { return nil }
        var (hours, minutes) = index - start > 2 ? (value / 100, value % 100) : (value, 0)
        if index - start <= 2, skip(":") {
            guard let given = readNumber(digits: 2...2) else { return nil }
            minutes = given
        }
        guard hours < 24, minutes < 60 else { return nil }
        hours = hours * 3600 + minutes * 60
        return isWest ? -hours : hours
    }

    /// Minutes east of UTC: RFC 822 §5.1, then zones of news and geological services by their most usual meaning.
    private static let zones: [String: Int] = [
        "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420,
        "mdt": -360, "pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "nst": -210, "ndt": -150,
        "wet": 0, "west": 60, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180, "ist": 330,
        "jst": 540, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
    ]

    // MARK: Calendar

    private func date(_ year: Int, _ month: Int, _ day: Int, _ time: Time, offset: Int = 0) -> Date? {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            (0...24).contains(time.hour), (0...59).contains(time.minute), (0...60).contains(time.second),
            time.hour < 24 || (time.minute == 0 && time.second == 0 && time.fraction == 0)
        else { return nil }
        let days = Self.daysSince1970(year, month, day)
        let seconds = days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second - offset
        return Date(timeIntervalSince1970: Double(seconds) + time.fraction)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"; the year is positive.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    // MARK: Words

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let fullMonths = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// 1…12 for an English month or its first letters, three at least.
    private static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3, let found = months.firstIndex(of: String(word.prefix(3))),
            fullMonths[found].hasPrefix(word)
        else { return nil }
        return found + 1
    }

    private static func isWeekday(_ word: String) -> Bool {
        word.utf8.count >= 2 && weekdays.contains { $0.hasPrefix(word) }
    }

    // MARK: Bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var isAtEnd: Bool { index == bytes.count }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = index
        while let byte = peek, byte.isXMLSpace { index += 1 }
        return index > start
    }

    /// What stands between weekday, day, month and year: space, comma, hyphen, the full stop of an abbreviation.
    private mutating func skipSeparators() {
        while let byte = peek, byte.isXMLSpace || " ,-.".utf8.contains(byte) { index += 1 }
    }

    /// A comment in brackets at the end (RFC 5322 §3.2.2): `(EST)`.
    private mutating func skipComment() {
        skipSpace()
        if peek == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") { index = bytes.count }
    }

    /// The ASCII letters at this place, in lower case; nil when there are none.
    private mutating func word() -> String? {
        let start = index
        while let byte = peek, byte.isASCIILetter { index += 1 }
        guard index > start else { return nil }
        return String(decoding: bytes[start..<index].map { $0 | 0x20 }, as: UTF8.self)
    }

    /// A number of so many digits; nil, with nothing read, when there are fewer or more.
    private mutating func readNumber(digits: ClosedRange<Int>) -> Int? {
        var end = index
        var value = 0
        while end < bytes.count, bytes[end].isASCIIDigit, end - index <= digits.upperBound {
            value = value * 10 + Int(bytes[end] - 0x30)
            end += 1
        }
        guard digits.contains(end - index) else { return nil }
        index = end
        return value
    }
}
