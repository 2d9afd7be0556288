extension Schema {
    /// What pruning, erasure and paging look up, without a walk over all rows.
    ///
    /// `history.merged_id` is the public id of the event that a merge took in, NULL for a revision that tells of no
    /// merge. It stays where `merged` is missing: in a merge before schema 7, and where the state has been erased.
    static let correctness = """
        CREATE INDEX validator_age ON validator (source_id, stored_ms);
        ALTER TABLE history ADD COLUMN merged_id TEXT;
        UPDATE history SET merged_id = json_extract(previous, '$.merged_public_id')
          WHERE previous LIKE '{"merged_public_id"%';
        CREATE INDEX history_merged_id ON history (merged_id) WHERE merged_id IS NOT NULL;
        """
}
