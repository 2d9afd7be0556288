import Model
import SQLite

/// Judges once what an earlier version has taken on the word of documents (`Schema.version9`).
///
/// CAP senders are bound to all sources that have shown them. An event that a source without authority has written loses
/// what marks it as unchanged for the sources with authority; these poll once without validators and write it again.
/// Withdrawals that matched nothing go, since nobody knows who made them; erasing ones stay.
struct AuthorityUpgrade {
    private let writer: Writer
    private let authorities: [String: Authority]
    /// The stored sources by row: name and identity.
    private var sources: [Int64: (name: String, identity: String)] = [:]
    /// Sources that must write events again.
    private var renewed: Set<Int64> = []

    private var connection: Connection { writer.connection }

    /// - Parameter authorities: Those of all configured sources, by name.
    init(_ writer: Writer, _ authorities: [String: Authority]) throws {
        self.writer = writer
        self.authorities = authorities
        let find = try writer.connection.prepare("SELECT id, name, provider FROM source")
        while try find.step() { sources[find.int64(0)] = (find.string(1), find.string(2)) }
    }

    mutating func run() throws {
        guard try EventStore.value(MetaKey.authorityPending, connection) != nil else { return }
        var written: [(source: Int64, provider: String)] = []
        let find = try connection.prepare(
            """
            SELECT l.source_id, e.provider FROM link l JOIN event e ON e.id = l.event_id
            UNION SELECT h.source_id, e.provider FROM history h JOIN event e ON e.id = h.event_id
            """)
        while try find.step() { written.append((find.int64(0), find.string(1))) }
        for (id, provider) in written {
            guard let source = sources[id], provider != source.identity else { continue }
            let authority = authorities[source.name]
            switch authority?.verdict(on: provider) {
            case .holds: break
            case .byFirstSight: try bind(provider, to: source.identity, domain: authority?.domain)
            case .fails: try doubt(provider, of: id)
            // A source that is no longer configured.
            case nil: if Authority.hosts[provider] == nil { try bind(provider, to: source.identity, domain: nil) }
            }
        }
        for id in renewed.sorted() {
            // Paid reads are not made again.
            for sql in [
                """
                UPDATE source SET fingerprint = 'renewed'
                WHERE id = ? AND NOT EXISTS (SELECT 1 FROM spend WHERE source_id = source.id)
                """,
                "DELETE FROM validator WHERE source_id = ?",
                // A snapshot of the same time counts again.
                "UPDATE coverage SET fingerprint = '' WHERE source_id = ?",
            ] { try run(sql, id) }
        }
        try connection.run(
            """
            DELETE FROM withdrawal WHERE NOT erases AND NOT EXISTS (
              SELECT 1 FROM upstream_id u WHERE u.provider = withdrawal.provider AND (
                u.upstream_id = withdrawal.upstream_id OR withdrawal.takes_family
                  AND u.upstream_id >= withdrawal.upstream_id || ' ' AND u.upstream_id < withdrawal.upstream_id || '!'))
            """)
        try connection.run("DELETE FROM meta WHERE key = ?", MetaKey.authorityPending)
    }

    private func bind(_ sender: String, to identity: String, domain: String?) throws {
        try connection.run(
            "INSERT OR IGNORE INTO sender_binding (sender, identity, domain) VALUES (?, ?, ?)", sender, identity, domain
        )
    }

    /// Has the events of a provider that a source without authority has written written again by those with authority.
    private mutating func doubt(_ provider: String, of source: Int64) throws {
        let rightful = sources.filter { id, other in
            id != source && authorities[other.name]?.verdict(on: provider) == .holds
        }.keys
        var rows: [Int64] = []
        let find = try connection.prepare(
            """
            SELECT DISTINCT event_id FROM upstream_id u WHERE provider = ?1 AND (
              EXISTS (SELECT 1 FROM link WHERE event_id = u.event_id AND source_id = ?2)
              OR EXISTS (SELECT 1 FROM history WHERE event_id = u.event_id AND source_id = ?2))
            """)
        find.bind(provider)
        find.bind(source)
        while try find.step() { rows.append(find.int64(0)) }
        for row in rows {
            var isShared = false
            for other in rightful {
                let renew = try connection.prepare(
                    "UPDATE link SET seen_hash = ? WHERE event_id = ? AND source_id = ? RETURNING 1")
                renew.bind(ContentHash.ofNothing)
                renew.bind(row)
                renew.bind(other)
                guard try renew.step() else { continue }
                renew.reset()
                renewed.insert(other)
                isShared = true
            }
            // What nobody else shows becomes an event of the source's own with its next answer.
            guard isShared else { continue }
            for sql in [
                // A forged date must not make the next version look old, nor a forged Cancel outlive it.
                "UPDATE event SET updated_ms = NULL WHERE id = ?",
                """
                UPDATE event SET withdrawn_reason = 'absent'
                WHERE id = ? AND withdrawn_reason IS NOT NULL AND NOT is_erased
                """,
                """
                DELETE FROM withdrawal WHERE NOT erases AND (provider, upstream_id) IN (
                  SELECT provider, upstream_id FROM upstream_id WHERE event_id = ?)
                """,
            ] { try run(sql, row) }
            for table in ["link", "topic_seen"] {
                try run("DELETE FROM \(table) WHERE event_id = ? AND source_id = ?", row, source)
            }
        }
        let unbury = try connection.prepare(
            """
            DELETE FROM tombstone WHERE provider = ? AND source_id = ?
            RETURNING source_id, 1, \(StoredBytes.ofTombstone)
            """)
        unbury.bind(provider)
        unbury.bind(source)
        try writer.uncount(unbury)
    }

    private func run(_ sql: String, _ values: Int64...) throws {
        let statement = try connection.prepare(sql)
        for value in values { statement.bind(value) }
        try statement.run()
    }
}
