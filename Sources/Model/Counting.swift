extension Int64 {
    /// This number of bytes, 0 or more (not checked), in whole binary units: `812 KiB` below 10 MiB, `242 MiB` below
    /// 10 GiB, else `74 GiB`.
    ///
    /// - Parameter isRoundedUp: Whether to round up, as for space that is needed; by default it rounds down.
    public func asSize(isRoundedUp: Bool = false) -> String {
        let (unit, size): (String, Int64) =
            self < 10 << 20 ? ("KiB", 1 << 10) : self < 10 << 30 ? ("MiB", 1 << 20) : ("GiB", 1 << 30)
        let added = isRoundedUp ? size - 1 : 0
        return "\((self + added) / size) \(unit)"
    }
}

extension [String: Int] {
    /// The counts by reason, sorted by name: `expired 20, keywords 5`; empty without reasons.
    public var reasons: String { sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
}

extension Int {
    /// The number with its noun: `1 event`, `2 events`.
    ///
    /// - Parameters:
    ///   - one: The noun for 1.
    ///   - many: The noun for every other number; default: `one` with an s.
    public func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
