extension Schema {
    /// Version 14: what is no news, what targets were told, and the messages to them.
    static let version14 = beginnings + told + deliveryView

    /// `source_begun` has the last change that came with the first success of each source since it was added or reset:
    /// what comes up to it is no news. `silent_change` has the changes that are none for another reason, as `Passed`.
    private static let beginnings = """
        CREATE TABLE source_begun (source_id INTEGER PRIMARY KEY, seq BIGINT NOT NULL);
        INSERT INTO source_begun SELECT id, 0 FROM source WHERE last_success_ms IS NOT NULL;
        CREATE TRIGGER source_begins AFTER UPDATE OF last_success_ms ON source
          WHEN old.last_success_ms IS NULL AND new.last_success_ms IS NOT NULL
          BEGIN
            INSERT OR REPLACE INTO source_begun
              SELECT new.id, coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'change';
          END;
        CREATE TRIGGER source_forgets AFTER UPDATE OF last_success_ms ON source WHEN new.last_success_ms IS NULL
          BEGIN
            DELETE FROM source_begun WHERE source_id = new.id;
          END;
        CREATE TRIGGER source_goes AFTER DELETE ON source
          BEGIN
            DELETE FROM source_begun WHERE source_id = old.id;
          END;
        CREATE TABLE silent_change (seq INTEGER PRIMARY KEY, reason TEXT NOT NULL);
        """

    /// What each target was told of each event, what waits for it, and the messages (`ToldBook`).
    ///
    /// `watching` has the changes after which a watch speaks to a target; in `told_target`, `name` is that of the
    /// configuration, which recipients of mail share. In `told`, `now`, `told` and `sent` are numbers of the event
    /// (`Said`): at the last change, in the last message that was answered, and in one that is not yet. `kind` is the
    /// message that waits, NULL: none; `reason`, `since_ms` and `due_ms` stay for one that comes back. `passed` is why the
    /// event is not told. `delivery` is the message under way, `digest` the one that told the event among others. `words`
    /// is what is said of the program itself. In `delivery`, `reached` counts the attempts that may have reached the
    /// target, and `letter` are its bytes until it ends.
    static let told = """
        CREATE TABLE watching (
          watch TEXT NOT NULL, target TEXT NOT NULL, fingerprint TEXT NOT NULL, since_seq BIGINT NOT NULL,
          since_ms BIGINT NOT NULL, PRIMARY KEY (watch, target)) WITHOUT ROWID;
        CREATE TABLE told_target (
          target TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
          is_gone INTEGER NOT NULL DEFAULT 0, retry_ms BIGINT, failing_since_ms BIGINT, failure TEXT) WITHOUT ROWID;
        CREATE TABLE told (
          target TEXT NOT NULL, public_id TEXT NOT NULL, watch TEXT NOT NULL, passed TEXT, now TEXT NOT NULL, told TEXT,
          is_ended INTEGER NOT NULL DEFAULT 0, sent TEXT, sent_kind TEXT, kind TEXT, reason TEXT, since_ms BIGINT,
          due_ms BIGINT, rank REAL, seq BIGINT NOT NULL, at_ms BIGINT NOT NULL, messages INTEGER NOT NULL DEFAULT 0,
          last_ms BIGINT, first_id TEXT, delivery TEXT, digest TEXT, words TEXT,
          PRIMARY KEY (target, public_id)) WITHOUT ROWID;
        CREATE INDEX told_event ON told (public_id);
        CREATE INDEX told_waiting ON told (target, kind, due_ms) WHERE kind IS NOT NULL;
        CREATE INDEX told_delivery ON told (target, delivery) WHERE delivery IS NOT NULL;
        CREATE INDEX told_words ON told (target) WHERE words IS NOT NULL;
        CREATE INDEX told_age ON told (at_ms);
        CREATE TABLE delivery (
          target TEXT NOT NULL, id TEXT NOT NULL, watch TEXT NOT NULL, public_id TEXT, kind TEXT NOT NULL,
          reason TEXT NOT NULL, rank REAL, change_seq BIGINT NOT NULL, wanted_ms BIGINT NOT NULL, due_ms BIGINT NOT NULL,
          attempts INTEGER NOT NULL DEFAULT 1, reached INTEGER NOT NULL DEFAULT 1, first_attempt_ms BIGINT NOT NULL,
          last_attempt_ms BIGINT NOT NULL, ended_ms BIGINT, outcome TEXT, code TEXT, words TEXT, letter BLOB,
          PRIMARY KEY (target, id));
        CREATE INDEX delivery_open ON delivery (target, due_ms) WHERE ended_ms IS NULL;
        CREATE INDEX delivery_event ON delivery (target, public_id);
        CREATE INDEX delivery_pace ON delivery (target, last_attempt_ms);
        CREATE INDEX delivery_age ON delivery (last_attempt_ms);
        """

    private static let deliveryView = """
        CREATE VIEW deliveries_v1 AS
          SELECT id, watch, target, public_id, kind, reason, change_seq, wanted_ms, attempts, first_attempt_ms, ended_ms,
            coalesce(outcome, 'sending') AS outcome, code, last_attempt_ms AS at_ms
          FROM delivery
          UNION ALL
          SELECT t.digest, t.watch, t.target, t.public_id, 'announced', d.reason, d.change_seq, d.wanted_ms, 0, NULL,
            d.ended_ms, 'digested', NULL, d.last_attempt_ms
          FROM told t JOIN delivery d ON d.target = t.target AND d.id = t.digest
          UNION ALL
          SELECT NULL, watch, target, public_id, kind, reason, seq, since_ms, 0, NULL, NULL, 'waiting', NULL, since_ms
          FROM told WHERE kind IS NOT NULL
          UNION ALL
          SELECT NULL, watch, target, public_id, 'announced', passed, seq, since_ms, 0, NULL, coalesce(last_ms, at_ms),
            iif(passed = 'expired', passed, 'passed_over'), NULL, coalesce(last_ms, at_ms)
          FROM told WHERE passed <> 'rejected' AND told IS NULL;
        """
}
