extension Int {
    /// The number with its noun: `1 event`, `2 events`.
    ///
    /// - Parameters:
    ///   - one: The noun for 1.
    ///   - many: The noun for any other number; by default that for 1 with an s.
    public func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
