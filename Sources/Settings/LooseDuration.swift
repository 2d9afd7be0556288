/// A duration in a spelling from elsewhere, such as `5 min`, `1.5h`, `2w`, `PT5M`, `1h30` or `hourly`, for suggestions.
struct LooseDuration {
    /// The duration in the configuration's spelling.
    let text: String

    private static let units: [(names: [String], name: String, milliseconds: Double)] = [
        (["y", "year", "years"], "", 365 * 86_400_000), (["w", "week", "weeks"], "", 7 * 86_400_000),
        (["d", "day", "days"], "d", 86_400_000), (["h", "hr", "hrs", "hour", "hours"], "h", 3_600_000),
        (["m", "min", "mins", "minute", "minutes"], "m", 60_000),
        (["s", "sec", "secs", "second", "seconds"], "s", 1_000), (["ms", "msec", "msecs"], "ms", 1),
    ]

    /// Reads lower-case text without blanks; nil unless it is a duration of at least 1 ms and less than 100 years.
    init?(_ written: String) {
        let words = ["hourly": "1h", "daily": "1d", "weekly": "1w"]
        var rest = Substring(words[written] ?? (written.hasPrefix("pt") ? String(written.dropFirst(2)) : written))
        var total = 0.0
        var smallest: Int?
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let name = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(name.count)
            // A last number without a unit counts in the next smaller unit: 1h30 is 1h30m.
            let isLast = name.isEmpty && rest.isEmpty
            let unit =
                isLast ? smallest.map { $0 + 1 } : Self.units.firstIndex { $0.names.contains(String(name)) }
            guard let value = Double(number), let unit, Self.units.indices.contains(unit) else { return nil }
            total += value * Self.units[unit].milliseconds
            smallest = unit
        }
        guard total >= 1, total < 100 * 365 * 86_400_000 else { return nil }
        var left = Int64(clamping: total.rounded())
        var text = ""
        for unit in Self.units where !unit.name.isEmpty {
            let size = Int64(clamping: unit.milliseconds)
            if left >= size { text += "\(left / size)\(unit.name)" }
            left %= size
        }
        self.text = text
    }
}
