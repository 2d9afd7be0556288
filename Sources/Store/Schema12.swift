extension Schema {
    /// Version 12: an index of events with a shape, parts of sources that bring nothing, totals of polls.
    static let version12 = shapes + shortfalls + pollTotals

    /// The events with a shape by their category, for the extents of collections. Most events have none.
    private static let shapes = """
        CREATE INDEX event_shape ON event (category) WHERE geometry IS NOT NULL;
        """

    /// The parts of each source that bring nothing although its polls succeed: a JSON list of `Shortfall`; NULL: none.
    private static let shortfalls = """
        ALTER TABLE source ADD COLUMN shortfalls TEXT;
        """

    /// What the polls of a source have come to since it was added or reset, beside `attempts`: those that failed, their
    /// time together (of an open stream none), and the bytes received on the wire.
    private static let pollTotals = """
        ALTER TABLE source ADD COLUMN failed_polls INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE source ADD COLUMN poll_ms BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE source ADD COLUMN received_bytes INTEGER NOT NULL DEFAULT 0;
        """
}
