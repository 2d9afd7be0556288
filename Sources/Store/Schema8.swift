extension Schema {
    /// Version 8: the home that a source has learned, as JSON (`LearnedHome`), and the row of the last event that counts
    /// for it.
    static let version8 = """
        ALTER TABLE source ADD COLUMN home TEXT;
        ALTER TABLE source ADD COLUMN home_until BIGINT NOT NULL DEFAULT 0;
        """
}
