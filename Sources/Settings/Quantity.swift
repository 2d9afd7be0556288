import Model

/// Durations, sizes and numbers in the configuration's spelling.
enum Quantity {
    private static let durationUnits: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    private static let sizeUnits: [(name: String, bytes: Int64)] = [
        ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ]

    /// Reads `90s`, `15m`, `72h`, `7d`, `500ms` or a combination from large to small such as `1h30m`.
    static func duration(_ text: String) -> Duration? {
        var rest = Substring(text).utf8
        var total: Int64 = 0
        var smallest = Int64.max
        repeat {
            guard let number = takeNumber(&rest) else { return nil }
            let name = takeWord(&rest)
            guard let unit = durationUnits.first(where: { $0.name == name }), unit.milliseconds < smallest else {
                return nil
            }
            smallest = unit.milliseconds
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit.milliseconds)
            let (sum, isSumTooLarge) = total.addingReportingOverflow(product)
            guard !isTooLarge, !isSumTooLarge else { return nil }
            total = sum
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    /// The probable meaning of an unreadable duration; a bare number is in seconds.
    static func durationSuggestion(for text: String) -> String? {
        let tight = text.filter { $0 != " " }.lowercased()
        if duration(tight) != nil { return tight == text ? nil : tight }
        if tight.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return tight + "s" }
        return LooseDuration(tight)?.text
    }

    /// Reads `64MiB`, `500kB`, `1GB`, `100B`.
    static func bytes(_ text: String) -> Int? {
        var rest = Substring(text).utf8
        guard let number = takeNumber(&rest) else { return nil }
        let name = takeWord(&rest)
        guard rest.isEmpty, let unit = sizeUnits.first(where: { $0.name == name }) else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit.bytes)
        return isTooLarge ? nil : Int(exactly: product)
    }

    /// The probable meaning of an unreadable size; `k`, `m` and `g` are KiB, MiB and GiB.
    static func bytesSuggestion(for text: String) -> String? {
        var rest = Substring(text.filter { $0 != " " }).utf8
        guard let number = takeNumber(&rest) else { return nil }
        let name = takeWord(&rest).lowercased()
        let full = ["k", "m", "g"].contains(name) ? name + "ib" : name
        guard rest.isEmpty, let unit = sizeUnits.first(where: { $0.name.lowercased() == full }) else { return nil }
        let suggestion = "\(number)\(unit.name)"
        return suggestion == text ? nil : suggestion
    }

    /// Reads a whole number. A leading 0 is refused, since YAML 1.1 reads such a number as octal.
    static func integer(_ text: String) -> Int? {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        return digits.count > 1 && digits.first == "0" ? nil : Int(text)
    }

    /// The probable meaning of an unreadable whole number; leading zeros, group separators and `.0` are dropped.
    static func integerSuggestion(for text: String) -> Int? {
        var groups = text.split(omittingEmptySubsequences: false) { "_,' ".contains($0) }
        if groups.count == 1, text.hasSuffix(".0") { groups = [text.dropLast(2)] }
        guard groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
        return Int(groups.joined(separator: ""))
    }

    /// Reads a decimal number; hexadecimal, `inf` and `nan` are refused.
    static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) } ? Double(text) : nil
    }

    /// The text with a point in place of a comma, and without blanks, `+`, `>`, `=` and `M`.
    static func numberSuggestion(for text: String) -> String {
        String(text.filter { !" +>=Mm".contains($0) }.map { $0 == "," ? "." : $0 })
    }

    /// A duration for messages.
    static func text(_ duration: Duration) -> String { duration == .zero ? "0s" : duration.compact }

    /// A duration with all its units, as `duration` reads it.
    static func written(_ duration: Duration) -> String {
        var rest = duration.milliseconds
        var text = ""
        for unit in durationUnits where rest >= unit.milliseconds {
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }

    /// A size for messages, in the largest binary unit that divides it.
    static func text(bytes: Int) -> String {
        let units: [(name: String, size: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes % $0.size == 0 }), bytes != 0 else { return "\(bytes)B" }
        return "\(bytes / unit.size)\(unit.name)"
    }

    /// Removes the leading digits and returns their value; nil when there are none or they overflow.
    private static func takeNumber(_ rest: inout Substring.UTF8View) -> Int64? {
        var number: Int64?
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            let (tenfold, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isSumTooLarge) = tenfold.addingReportingOverflow(Int64(byte - 0x30))
            guard !isTooLarge, !isSumTooLarge else { return nil }
            number = sum
            rest.removeFirst()
        }
        return number
    }

    /// Removes the leading ASCII letters and returns them.
    private static func takeWord(_ rest: inout Substring.UTF8View) -> String {
        var word = ""
        while let byte = rest.first, (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) {
            word.unicodeScalars.append(Unicode.Scalar(byte))
            rest.removeFirst()
        }
        return word
    }
}
