extension Schema {
    /// Version 9: which sources showed a CAP sender first, by identity, and the unproved claims of each source's last
    /// day (`Authority`). What earlier versions took on the word of documents is judged at the next start
    /// (`AuthorityUpgrade`).
    static let version9 = """
        CREATE TABLE sender_binding (
          sender TEXT NOT NULL,
          identity TEXT NOT NULL,
          domain TEXT,
          PRIMARY KEY (sender, identity)
        ) WITHOUT ROWID;
        CREATE INDEX sender_binding_identity ON sender_binding (identity);
        CREATE TABLE unproved_claim (
          source_id INTEGER NOT NULL,
          provider TEXT NOT NULL,
          items INTEGER NOT NULL,
          at_ms BIGINT NOT NULL,
          PRIMARY KEY (source_id, provider)
        ) WITHOUT ROWID;
        INSERT OR REPLACE INTO meta (key, value) SELECT 'authority_pending', '1' WHERE EXISTS (SELECT 1 FROM event);
        """
}
