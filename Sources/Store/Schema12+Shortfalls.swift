extension Schema {
    /// The parts of each source that bring nothing although its polls succeed: a JSON list of `Shortfall`; NULL: none.
    static let shortfalls = """
        ALTER TABLE source ADD COLUMN shortfalls TEXT;
        """
}
