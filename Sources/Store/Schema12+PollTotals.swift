extension Schema {
    /// What the polls of a source have come to since it was added or reset, beside `attempts`: those that failed, their
    /// time together (of an open stream none), and the bytes received on the wire.
    static let pollTotals = """
        ALTER TABLE source ADD COLUMN failed_polls INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE source ADD COLUMN poll_ms BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE source ADD COLUMN received_bytes INTEGER NOT NULL DEFAULT 0;
        """
}
