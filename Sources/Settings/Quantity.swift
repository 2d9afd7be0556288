import Model

/// Durations and sizes as the configuration writes them.
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

    /// What a duration that cannot be read was perhaps meant to be: a bare number is seconds.
    static func durationSuggestion(for text: String) -> String? {
        let tight = text.filter { $0 != " " }.lowercased()
        if duration(tight) != nil { return tight == text ? nil : tight }
        return duration(tight + "s") == nil ? nil : tight + "s"
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

    /// What a size that cannot be read was perhaps meant to be: the same in the right spelling.
    static func bytesSuggestion(for text: String) -> String? {
        var rest = Substring(text.filter { $0 != " " }).utf8
        guard let number = takeNumber(&rest) else { return nil }
        let name = takeWord(&rest).lowercased()
        guard rest.isEmpty, let unit = sizeUnits.first(where: { $0.name.lowercased() == name }) else { return nil }
        let suggestion = "\(number)\(unit.name)"
        return suggestion == text ? nil : suggestion
    }

    /// A duration as messages write it.
    static func text(_ duration: Duration) -> String { duration == .zero ? "0s" : duration.compact }

    /// A size as messages write it, in the largest binary unit that leaves no rest.
    static func text(bytes: Int) -> String {
        let units: [(name: String, size: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes % $0.size == 0 }), bytes != 0 else { return "\(bytes)B" }
        return "\(bytes / unit.size)\(unit.name)"
    }

    /// Takes digits from the front; nil when there are none or too many.
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

    /// Takes ASCII letters from the front.
    private static func takeWord(_ rest: inout Substring.UTF8View) -> String {
        var word = ""
        while let byte = rest.first, (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) {
            word.unicodeScalars.append(Unicode.Scalar(byte))
            rest.removeFirst()
        }
        return word
    }
}
