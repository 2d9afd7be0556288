extension Schema {
    /// The issues of polls by code, what the last poll has refused, and the last refused items of each source.
    ///
    /// `attempt` is the poll that a count belongs to, as `source.attempts` numbers them. `source.answered` is the last
    /// poll that has read something: its counts are those of the last poll, and a poll that only hears "not modified"
    /// leaves them. `source.refused_kept` counts the refused items that the poll has
    /// brought for the list so far. A refused item without an id has the provider '' and, as its id, what was found. `aliases` has the
    /// other names of an item, each between line feeds.
    static let issues = """
        ALTER TABLE source ADD COLUMN answered INTEGER;
        ALTER TABLE source ADD COLUMN refused_kept INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE refusal ADD COLUMN last_items INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE refusal ADD COLUMN attempt INTEGER;
        CREATE TABLE issue (
          source_id INTEGER NOT NULL,
          code TEXT NOT NULL,
          items INTEGER NOT NULL,
          sample TEXT NOT NULL,
          attempt INTEGER NOT NULL,
          PRIMARY KEY (source_id, code)
        ) WITHOUT ROWID;
        CREATE TABLE refused_item (
          id INTEGER PRIMARY KEY,
          source_id INTEGER NOT NULL,
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          aliases TEXT,
          title TEXT NOT NULL,
          reason TEXT NOT NULL,
          at_ms BIGINT NOT NULL,
          UNIQUE (source_id, provider, upstream_id)
        );
        CREATE INDEX refused_item_name ON refused_item (provider, upstream_id);
        CREATE INDEX refused_item_alias ON refused_item (provider) WHERE aliases IS NOT NULL;
        """
}
