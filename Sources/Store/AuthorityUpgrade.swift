import Model
import Reconciling
import SQLite

/// Judges what an earlier version has taken on the word of documents (`Schema.version9`), once
/// (`Connection.isAuthorityPending`).
///
/// CAP senders are bound to all sources that have shown them. An event that a source without authority has written loses
/// what marks it as unchanged for the sources with authority; these poll once without validators and write it again.
/// Withdrawals that matched nothing go, since nobody knows who made them; erasing ones stay.
struct AuthorityUpgrade: EventWriting {
    let writer: Writer
    let now: Int64
    /// The source that is judged.
    private(set) var sourceID: Int64 = 0
    private let authorities: [String: Authority]
    /// The stored sources by row: name and identity.
    private let sources: [Int64: (name: String, identity: String)]
    /// The sources that show events of each provider.
    private var showing: [String: Set<Int64>] = [:]
    /// Sources that must write events again.
    private var renewed: Set<Int64> = []

    /// - Parameters:
    ///   - authorities: Those of all configured sources, by name.
    ///   - now: Wall time in milliseconds.
    init(_ writer: Writer, _ authorities: [String: Authority], at now: Int64) throws {
        self.writer = writer
        self.now = now
        self.authorities = authorities
        sources = try writer.connection.prepare("SELECT id, name, provider FROM source").dictionary {
            ($0.int64(0), ($0.string(1), $0.string(2)))
        }
    }

    mutating func run() throws {
        for (id, provider) in try pairs(of: "link") { showing[provider, default: []].insert(id) }
        for (provider, sources) in showing {
            for id in sources where maySpeak(id, for: provider) { try bind(provider, to: id) }
        }
        let written = try pairs(of: "link") + pairs(of: "history")
        for (id, provider) in written where !maySpeak(id, for: provider) {
            sourceID = id
            try doubt(provider)
        }
        for id in renewed.sorted() { try writer.renew(id) }
        try connection.run(
            """
            DELETE FROM withdrawal WHERE NOT erases AND NOT EXISTS (
              SELECT 1 FROM upstream_id u WHERE u.provider = withdrawal.provider AND (
                u.upstream_id = withdrawal.upstream_id OR withdrawal.takes_family
                  AND u.upstream_id >= withdrawal.upstream_id || ' ' AND u.upstream_id < withdrawal.upstream_id || '!'))
            """)
        try connection.set(Meta.authorityPending, to: nil)
    }

    /// Rows of sources with the providers of the events that a table says they have shown or changed.
    private func pairs(of table: String) throws -> [(source: Int64, provider: String)] {
        let find = try connection.prepare(
            "SELECT DISTINCT t.source_id, e.provider FROM \(table) t JOIN event e ON e.id = t.event_id")
        return try find.map { ($0.int64(0), $0.string(1)) }
    }

    /// Whether a source may speak for a provider; of CAP senders and former identities those that show its events.
    private func maySpeak(_ id: Int64, for provider: String) -> Bool {
        guard let source = sources[id], provider != source.identity else { return true }
        switch authorities[source.name]?.verdict(on: provider) {
        case .holds: return true
        case .fails: return false
        case .byFirstSight: return showing[provider]?.contains(id) == true
        // A source that is no longer configured.
        case nil: return showing[provider]?.contains(id) == true
        }
    }

    /// Binds a sender to a source that is not known to be its own by other means.
    private func bind(_ sender: String, to id: Int64) throws {
        guard let source = sources[id], sender != source.identity, Authority.hosts[sender] == nil else { return }
        let authority = authorities[source.name]
        guard authority == nil || authority?.verdict(on: sender) == .byFirstSight else { return }
        try connection.run(
            "INSERT OR IGNORE INTO sender_binding (sender, identity, domain) VALUES (?, ?, ?)", sender, source.identity,
            authority?.domain)
    }

    /// Has the events of a provider that the source has written without authority written again by those with
    /// authority. What nobody else shows becomes an event of the source's own.
    private mutating func doubt(_ provider: String) throws {
        let source = sourceID
        let rightful = sources.keys.filter { $0 != source && maySpeak($0, for: provider) }
        let find = try connection.prepare(
            """
            SELECT DISTINCT event_id FROM upstream_id u WHERE provider = ?1 AND (
              EXISTS (SELECT 1 FROM link WHERE event_id = u.event_id AND source_id = ?2)
              OR EXISTS (SELECT 1 FROM history WHERE event_id = u.event_id AND source_id = ?2))
            """, provider, source)
        for row in try find.map({ $0.int64(0) }) {
            var isShared = false
            for other in rightful {
                try connection.run(
                    "UPDATE link SET seen_hash = ? WHERE event_id = ? AND source_id = ?", ContentHash.ofNothing, row,
                    other)
                guard connection.changedRows > 0 else { continue }
                renewed.insert(other)
                isShared = true
            }
            guard isShared else {
                try disown(row)
                continue
            }
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
            ] { try connection.run(sql, row) }
            for table in ["link", "topic_seen"] {
                try connection.run("DELETE FROM \(table) WHERE event_id = ? AND source_id = ?", row, source)
            }
        }
        let unbury = try connection.prepare(
            """
            DELETE FROM tombstone WHERE provider = ? AND source_id = ?
            RETURNING source_id, 1, \(StoredBytes.ofTombstone)
            """, provider, source)
        try writer.uncount(unbury)
    }

    /// Gives an event that only the judged source shows its identity.
    private func disown(_ row: Int64) throws {
        guard try connection.sources(of: row) == [sourceID], let identity = sources[sourceID]?.identity,
            let old = try load(row)
        else { return }
        func own(_ name: String) -> String { Authority.ownID(of: name, for: old.provider) }
        let names = try self.names(of: row).map(own)
        try move(old, to: identity, id: own(old.upstreamID))
        try grow(row, by: addNames(names, of: identity, to: row))
    }
}
