import Foundation
import Model

/// The grammar of dates over the bytes of a short text. It is valid as long as the bytes.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// The most bytes of a date.
    static let longest = 200

    /// Creates a scanner; nil for an empty text and for one of more than `longest` bytes, not counting white space at
    /// its ends.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var range = text.indices
        while let first = range.first, text[first].isXMLSpace { range = range.dropFirst() }
        while let last = range.last, text[last].isXMLSpace { range = range.dropLast() }
        guard !range.isEmpty, range.count <= Self.longest else { return nil }
        bytes = UnsafeBufferPointer(rebasing: text[range])
    }

    // MARK: Forms

    /// RFC 3339 §5.6, W3C-DTF.
    func rfc3339() -> DateReading? {
        var scanner = self
        return scanner.readRFC3339()
    }

    /// RFC 5322 §3.3 and §4.3.
    func rfc822() -> DateReading? {
        var scanner = self
        return scanner.readRFC822()
    }

    /// `Wed Aug 27 13:08:45 +0000 2008`.
    func twitter() -> DateReading? {
        var scanner = self
        return scanner.readTwitter()
    }

    func any() -> DateReading? { rfc3339() ?? rfc822() ?? twitter() }

    private mutating func readRFC3339() -> DateReading? {
        guard let year = readNumber(digits: 4...4) else { return nil }
        if skip("/") { return readSlashed(year) }
        guard skip("-") else { return isAtEnd ? date(year, 1, 1, Time()) : nil }
        guard let month = readNumber(digits: 2...2) else { return nil }
        guard skip("-") else { return isAtEnd ? date(year, month, 1, Time()) : nil }
        guard let day = readNumber(digits: 2...2) else { return nil }
        if isAtEnd { return date(year, month, day, Time()) }
        guard skip("T") || skip("t") || skipSpace(), let time = readTime(), let zone = readZone() else { return nil }
        // `-05:00Z`
        if case .offset = zone, !isAtEnd { _ = skip("Z") }
        return isAtEnd ? date(year, month, day, time, zone) : nil
    }

    /// `2016/6/29 15:07:41`, from the month on.
    private mutating func readSlashed(_ year: Int) -> DateReading? {
        guard let month = readNumber(digits: 1...2), skip("/"), let day = readNumber(digits: 1...2) else { return nil }
        if isAtEnd { return date(year, month, day, Time()) }
        guard skipSpace(), let time = readTime(), let zone = readZone(), isAtEnd else { return nil }
        return date(year, month, day, time, zone)
    }

    private mutating func readRFC822() -> DateReading? {
        let first = readName()
        var named = first.flatMap { monthNumber(of: $0) }
        if let first, named == nil {
            guard isWeekday(first) else { return nil }
            skipSeparators()
            named = readMonth()
        }
        // `Jan 17, 2018` has the day after the month.
        skipSeparators()
        guard let day = readNumber(digits: 1...2) else { return nil }
        skipOrdinal()
        // `mar`, a Tuesday in Spanish, may stand before the month.
        guard let month = readMonth() ?? named else { return nil }
        skipSeparators()
        skipWord("de")
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
        // `2017 - 3:09pm`, `2023 at 01:11 PM`
        if hasSpace, skip("-") { skipSpace() } else { skipWord("at") }
        guard let time = readTime(), let zone = readZone() else { return nil }
        skipComment()
        return isAtEnd ? date(year, month, day, time, zone) : nil
    }

    private mutating func readTwitter() -> DateReading? {
        guard let weekday = readWord(), isWeekday(weekday), skipSpace(), let month = readMonth(), skipSpace(),
            let day = readNumber(digits: 1...2), skipSpace(), let time = readTime(), skipSpace()
        else { return nil }
        var zone = Zone.offset(0)
        if let byte = peek, !byte.isASCIIDigit {
            guard let found = readZone(), skipSpace() else { return nil }
            zone = found
        }
        guard let year = readNumber(digits: 4...4), isAtEnd else { return nil }
        return date(year, month, day, time, zone)
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
        if let isAfternoon = readHalf() {
            guard (1...12).contains(time.hour) else { return nil }
            time.hour = time.hour % 12 + (isAfternoon ? 12 : 0)
        }
        return time
    }

    /// Whether `PM`, `p.m.` or the like follows; nil, with nothing read, for anything but a half of the day.
    private mutating func readHalf() -> Bool? {
        let before = index
        skipSpace()
        let letter = peek.map { $0 | 0x20 }
        if letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") {
            index += 1
            let isDotted = skip(".")
            if skip("m") || skip("M"), peek?.isASCIILetter != true {
                if isDotted { _ = skip(".") }
                return letter == UInt8(ascii: "p")
            }
        }
        index = before
        return nil
    }

    /// What a date says of its zone.
    private enum Zone {
        /// Seconds east of UTC.
        case offset(Int)
        case rules(TimeZoneRules)
        /// A name that is not known, or has several meanings.
        case unknown(Range<Int>)
    }

    /// Reads the zone: UTC at the end of the text, nil for anything but a zone.
    private mutating func readZone() -> Zone? {
        let before = index
        _ = skipSpace()
        guard let byte = peek, byte != UInt8(ascii: "(") else { return .offset(0) }
        if byte.isASCIIDigit {
            // Twitter's year, not a zone.
            index = before
            return .offset(0)
        }
        if byte.isASCIILetter {
            guard let name = readWord() else { return nil }
            if peek == UInt8(ascii: "/") || peek == UInt8(ascii: "_") { return readArea(from: name.lowerBound) }
            guard name.count <= 5 else { return nil }
            let minutes = Self.zones.first { isWord(name, $0.name) }?.minutes
            // A signed offset follows, as in `GMT+0100`.
            guard minutes ?? 0 == 0, peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") else {
                return minutes.map { .offset($0 * 60) } ?? .unknown(name)
            }
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
        return .offset(isWest ? -hours : hours)
    }

    /// `America/Los_Angeles`, after its first word; nil for a name without the characters of a zone.
    private mutating func readArea(from start: Int) -> Zone? {
        while let byte = peek, byte.isASCIIAlphanumeric || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte) { index += 1 }
        let name = start..<index
        return TimeZoneRules.named(text(of: name)).map { .rules($0) } ?? .unknown(name)
    }

    /// Minutes east of UTC: the zones of RFC 822 §5.1, then those of news and geological services. Of CST, IST, BST and
    /// NST the meaning is the most common one of news (RFC 822, India, Britain, Newfoundland); all others have one in
    /// IANA's database since 2000. Names with several there (AMT, ECT, GST, SST, WST) are left out.
    private static let zones: [(name: StaticString, minutes: Int)] = [
        ("gmt", 0), ("est", -300), ("edt", -240), ("utc", 0), ("z", 0), ("ut", 0), ("pst", -480), ("pdt", -420),
        ("cst", -360), ("cdt", -300), ("mst", -420), ("mdt", -360), ("akst", -540), ("akdt", -480), ("hst", -600),
        ("hdt", -540), ("ast", -240), ("adt", -180), ("nst", -210), ("ndt", -150), ("wet", 0), ("west", 60),
        ("bst", 60), ("cet", 60), ("cest", 120), ("met", 60), ("mest", 120), ("eet", 120), ("eest", 180), ("idt", 180),
        ("msk", 180), ("msd", 240), ("trt", 180), ("samt", 240), ("yekt", 300), ("omst", 360), ("novt", 420),
        ("krat", 420), ("irkt", 480), ("yakt", 540), ("vlat", 600), ("magt", 660), ("sakt", 660), ("pett", 720),
        ("azt", 240), ("get", 240), ("irst", 210), ("aft", 270), ("pkt", 300), ("uzt", 300), ("ist", 330),
        ("npt", 345), ("wib", 420), ("ict", 420), ("wita", 480), ("hkt", 480), ("sgt", 480), ("myt", 480),
        ("pht", 480), ("awst", 480), ("wit", 540), ("jst", 540), ("kst", 540), ("acst", 570), ("acdt", 630),
        ("aest", 600), ("aedt", 660), ("chst", 600), ("pgt", 600), ("nct", 660), ("vut", 660), ("sbt", 660),
        ("fjt", 720), ("nzst", 720), ("nzdt", 780), ("tot", 780), ("wat", 60), ("cat", 120), ("sast", 120),
        ("eat", 180), ("ret", 240), ("mut", 240), ("sct", 240), ("brt", -180), ("brst", -120), ("art", -180),
        ("uyt", -180), ("gft", -180), ("srt", -180), ("clt", -240), ("clst", -180), ("bot", -240), ("vet", -240),
        ("gyt", -240), ("cot", -300), ("pet", -300), ("cvt", -60), ("azot", -60), ("azost", 0),
    ]

    // MARK: Calendar

    private func date(_ year: Int, _ month: Int, _ day: Int, _ time: Time, _ zone: Zone = .offset(0)) -> DateReading? {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            (0...24).contains(time.hour), (0...59).contains(time.minute), (0...60).contains(time.second),
            time.hour < 24 || (time.minute == 0 && time.second == 0 && time.fraction == 0)
        else { return nil }
        let days = CivilDate.daysSince1970(year: Int64(year), month: Int64(month), day: Int64(day))
        let local = days * 86_400 + Int64(time.hour * 3600 + time.minute * 60 + time.second)
        let (offset, unknown): (Int, String?) =
            switch zone {
            case .offset(let offset): (offset, nil)
            case .rules(let rules): (rules.offset(atLocal: local), nil)
            case .unknown(let name): (0, text(of: name))
            }
        let date = Date(timeIntervalSince1970: Double(local - Int64(offset)) + time.fraction)
        return DateReading(date: date, unknownZone: unknown)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // MARK: Words

    private static let months: [StaticString] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays: [StaticString] = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// Reads an English month name, or its first three letters or more, or another language's, as 1…12.
    private mutating func readMonth() -> Int? { readName().flatMap { monthNumber(of: $0) } }

    private func monthNumber(of word: Range<Int>) -> Int? {
        guard word.count >= 3 else { return nil }
        return Self.months.firstIndex { begins($0, with: word) }.map { $0 + 1 }
            ?? DateWords.months[text(of: word).lowercased()]
    }

    private func isWeekday(_ word: Range<Int>) -> Bool {
        word.count >= 2
            && (Self.weekdays.contains { begins($0, with: word) }
                || DateWords.weekdays.contains(text(of: word).lowercased()))
    }

    private func text(of range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Skips what makes a day a number in order, and what stands before a month: `16th`, `16º`, `16 de`, `16.`
    private mutating func skipOrdinal() {
        let before = index
        if let word = readWord(), !["st", "nd", "rd", "th"].contains(where: { isWord(word, $0) }) { index = before }
        // º and ª
        if peek == 0xC2, index + 1 < bytes.count, bytes[index + 1] == 0xBA || bytes[index + 1] == 0xAA { index += 2 }
        skipSeparators()
        skipWord("de")
    }

    /// Skips a word and the white space behind it, if it is the next one.
    private mutating func skipWord(_ name: StaticString) {
        let before = index
        guard let word = readWord(), isWord(word, name), skipSpace() else {
            index = before
            return
        }
    }

    /// Whether a word of the text equals `name`, which is in lower case.
    private func isWord(_ word: Range<Int>, _ name: StaticString) -> Bool {
        word.count == name.utf8CodeUnitCount && begins(name, with: word)
    }

    private func begins(_ name: StaticString, with word: Range<Int>) -> Bool {
        guard word.count <= name.utf8CodeUnitCount else { return false }
        for offset in 0..<word.count where bytes[word.lowerBound + offset] | 0x20 != name.utf8Start[offset] {
            return false
        }
        return true
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

    /// Skips the separators of weekday, day, month and year: space, comma, hyphen, full stop.
    private mutating func skipSeparators() {
        while let byte = peek, byte.isXMLSpace || byte == 0x2C || byte == 0x2D || byte == 0x2E { index += 1 }
    }

    /// Skips a comment in brackets at the end (RFC 5322 §3.2.2): `(EST)`.
    private mutating func skipComment() {
        skipSpace()
        if peek == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") { index = bytes.count }
    }

    /// Reads a run of letters, which takes all characters beyond ASCII for letters; nil when there is none.
    private mutating func readName() -> Range<Int>? {
        let start = index
        while let byte = peek, byte.isASCIILetter || byte >= 0x80 { index += 1 }
        return index > start ? start..<index : nil
    }

    /// Reads a run of ASCII letters; nil when there is none.
    private mutating func readWord() -> Range<Int>? {
        let start = index
        while let byte = peek, byte.isASCIILetter { index += 1 }
        return index > start ? start..<index : nil
    }

    /// Reads a number with that many digits; nil, with nothing read, for fewer or more.
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
