extension Schema {
    /// Version 13: what the steps have observed whose changes are kept, and how far followers are. A step has the number
    /// of its last change; only polls have a source and a window.
    static let version13 = """
        CREATE TABLE step (
          seq INTEGER PRIMARY KEY, source_id INTEGER, provider TEXT, from_ms BIGINT, to_ms BIGINT, generated_ms BIGINT,
          is_complete INTEGER NOT NULL, at_ms BIGINT NOT NULL);
        CREATE TABLE follower (
          name TEXT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, cursor BIGINT NOT NULL, reading BIGINT,
          erased BIGINT NOT NULL) WITHOUT ROWID;
        """
}
