/// Reads one time at a position in a document.
struct StampCursor {
    let bytes: [UInt8]
    var at: Int

    /// Reads a member such as `time":1395415303000`, starting after its first quotation mark.
    mutating func milliseconds() -> TimeStamp? {
        guard let key = ["time\"", "updated\"", "generated\""].first(where: { bytes[at...].starts(with: $0.utf8) })
        else { return nil }
        at += key.utf8.count
        skipSpace()
        guard take(":") else { return nil }
        skipSpace()
        let start = at
        guard let value = number(10...15) else { return nil }
        return TimeStamp(
            range: start..<at, instant: Int64(value), form: .milliseconds, datesAnItem: key == "time\"")
    }

    /// Reads a text that is wholly a time, starting after the tag or quotation mark.
    mutating func text(_ forms: Set<TimeStamp.Form>) -> TimeStamp? {
        skipSpace()
        let start = at
        for form in [TimeStamp.Form.rfc3339, .rfc822, .twitter] where forms.contains(form) {
            at = start
            let read =
                switch form {
                case .rfc3339: rfc3339()
                case .rfc822: rfc822()
                case .twitter: twitter()
                case .milliseconds: nil as TimeStamp?
                }
            guard var found = read else { continue }
            found.range = start..<at
            skipSpace()
            if at == bytes.count || take("<") || take("\"") || take("]") { return found }
        }
        return nil
    }

    // MARK: - Forms

    private mutating func rfc3339() -> TimeStamp? {
        guard let year = number(4...4), take("-"), let month = number(2...2), take("-"), let day = number(2...2),
            take("T") || take("t") || take(" "), let clock = readClock(), clock.hasSeconds
        else { return nil }
        var digits = 0
        var fraction = 0
        if take(".") {
            let start = at
            guard let value = number(1...9) else { return nil }
            digits = at - start
            fraction = value
        }
        guard let zone = readZone() else { return nil }
        for _ in 0..<max(0, digits - 3) { fraction /= 10 }
        for _ in 0..<max(0, 3 - digits) { fraction *= 10 }
        var read = stamp(.rfc3339, year, month, day, clock.seconds, zone)
        read?.instant += Int64(fraction)
        read?.fractionDigits = digits
        return read
    }

    private mutating func rfc822() -> TimeStamp? {
        if name(of: CivilTime.weekdays) != nil {
            _ = take(",")
            skipSpace()
        }
        guard let day = number(1...2), space(), let month = name(of: CivilTime.months), space(),
            let year = number(4...4), space(), let clock = readClock(), space(), let zone = readZone()
        else { return nil }
        return stamp(.rfc822, year, month + 1, day, clock.seconds, zone)
    }

    private mutating func twitter() -> TimeStamp? {
        guard name(of: CivilTime.weekdays) != nil, space(), let month = name(of: CivilTime.months), space(),
            let day = number(1...2), space(), let clock = readClock(), space(), let zone = readZone(), space(),
            let year = number(4...4)
        else { return nil }
        return stamp(.twitter, year, month + 1, day, clock.seconds, zone)
    }

    private func stamp(
        _ form: TimeStamp.Form, _ year: Int, _ month: Int, _ day: Int, _ seconds: Int,
        _ zone: (text: String, seconds: Int)
    ) -> TimeStamp? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let local = CivilTime.milliseconds(year: year, month: month, day: day, hour: 0, minute: 0, second: seconds)
        return TimeStamp(range: 0..<0, instant: local - Int64(zone.seconds) * 1000, form: form, zone: zone)
    }

    // MARK: - Parts

    private mutating func readClock() -> (seconds: Int, hasSeconds: Bool)? {
        guard let hour = number(1...2), hour < 24, take(":"), let minute = number(2...2), minute < 60 else {
            return nil
        }
        guard take(":") else { return (hour * 3600 + minute * 60, false) }
        guard let second = number(2...2), second <= 60 else { return nil }
        return (hour * 3600 + minute * 60 + second, true)
    }

    /// `Z`, `+01:00`, `-0500`, or one of the names of RFC 822 §5.
    private mutating func readZone() -> (text: String, seconds: Int)? {
        let start = at
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        if sign != 0 {
            // `-05:00` or four digits without a colon.
            let hasColon = at + 2 < bytes.count && bytes[at + 2] == UInt8(ascii: ":")
            let hours: Int
            let minutes: Int
            if hasColon {
                guard let first = number(2...2), take(":"), let second = number(2...2) else { return nil }
                (hours, minutes) = (first, second)
            } else {
                guard let both = number(4...4) else { return nil }
                (hours, minutes) = both.quotientAndRemainder(dividingBy: 100)
            }
            return (String(decoding: bytes[start..<at], as: UTF8.self), sign * (hours * 3600 + minutes * 60))
        }
        let letters = bytes[at...].prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let text = String(decoding: letters, as: UTF8.self)
        let names = [
            "Z": 0, "GMT": 0, "UT": 0, "UTC": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
            "PST": -8, "PDT": -7,
        ]
        guard let hours = names[text] else { return nil }
        at += letters.count
        return (text, hours * 3600)
    }

    private mutating func name(of names: [String]) -> Int? {
        guard let index = names.firstIndex(where: { bytes[at...].starts(with: $0.utf8) }) else { return nil }
        at += 3
        return index
    }

    private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        let run = bytes[at...].prefix(digits.upperBound + 1).prefix { (0x30...0x39).contains($0) }
        guard digits.contains(run.count) else { return nil }
        at += run.count
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, UInt32(bytes[at]) == character.value else { return false }
        at += 1
        return true
    }

    private mutating func space() -> Bool {
        let start = at
        skipSpace()
        return at > start
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }
}
