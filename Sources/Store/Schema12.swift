extension Schema {
    /// Version 12: an index of events with a shape, parts of sources that bring nothing, totals of polls.
    static let version12 = shapes + shortfalls + pollTotals
}
