import Model
import Reconciling
import SQLite

// What a `Reconciliation` asks of the record. It is asked while it decides, so nothing here may look at it.
extension Ingestion: Rows {
    var grown: StoredAmount { writer.grown[source.id] ?? StoredAmount() }

    func row(named name: String, of provider: String) throws -> Int64? {
        statements.findEvent.bind(provider)
        statements.findEvent.bind(name)
        return try statements.findEvent.firstInt64()
    }

    func rows(ofFamily name: String, of provider: String) throws -> [Int64] {
        let find = try connection.prepare(
            """
            SELECT upstream_id, event_id FROM upstream_id
            WHERE provider = ?1 AND upstream_id >= ?2 || ' ' AND upstream_id < ?2 || '!'
            """, provider, name)
        return try find.map { $0.int64(1) }
    }

    func version(of id: Int64) throws -> (name: String, updated: Int64?) {
        let find = try connection.prepare("SELECT upstream_id, updated_ms FROM event WHERE id = ?", id)
        return try Self.present(find.first { ($0.string(0), $0.optionalInt64(1)) })
    }

    /// The row of a name.
    func present(_ id: Int64) throws -> EventRow { try Self.present(load(id)) }

    private static func present<Value>(_ found: Value?) throws -> Value {
        guard let found else { throw StoreError(.corrupt, "An upstream id leads to no event") }
        return found
    }

    func sources(of id: Int64) throws -> [Int64] { try connection.sources(of: id) }

    func links(of id: Int64, by provider: String) throws -> [Absence.Link] {
        let find = try connection.prepare(
            """
            SELECT l.source_id, s.is_enabled, l.is_promised, l.missing_since_ms, c.from_ms
            FROM link l JOIN source s ON s.id = l.source_id
              JOIN coverage c ON c.source_id = l.source_id AND c.provider = ?
            WHERE l.event_id = ?
            """, provider, id)
        return try find.map {
            Absence.Link(
                source: $0.int64(0), isEnabled: $0.int64(1) != 0, isPromised: $0.int64(2) != 0,
                missingSince: $0.optionalInt64(3), coveredFrom: $0.optionalInt64(4))
        }
    }

    func eachPromised(from: Int64, to: Int64, _ body: (Int64, Int64?) -> Void) throws {
        let scan = try connection.prepare(
            """
            SELECT event_id, missing_since_ms FROM link
            WHERE source_id = ? AND time_ms BETWEEN ? AND ? AND is_promised = 1
            """, source.id, from, to)
        while try scan.step() { body(scan.int64(0), scan.optionalInt64(1)) }
    }

    func withdrawal(of name: String, by provider: String) throws -> StoredWithdrawal? {
        try ownedWithdrawal(of: name, by: provider)?.withdrawal
    }

    /// The withdrawal that is kept under a name, and the source that it counts for.
    func ownedWithdrawal(
        of name: String, by provider: String
    ) throws -> (withdrawal: StoredWithdrawal, source: Int64?)? {
        guard hasWithdrawals else { return nil }
        let find = statements.findWithdrawal
        find.bind(provider)
        find.bind(name)
        guard try find.step() else { return nil }
        defer { find.reset() }
        let standing = StandingWithdrawal(
            reason: find.string(0), time: find.int64(1), evidence: find.string(2), erases: find.int64(3) != 0)
        let withdrawal = StoredWithdrawal(
            standing: standing, takesFamily: find.int64(5) != 0,
            replacements: find.string(4).split(separator: "\n").map(String.init))
        return (withdrawal, find.optionalInt64(6))
    }

    func tombstone(of name: String, by provider: String) throws -> Int64? {
        guard hasTombstones else { return nil }
        statements.findTombstone.bind(provider)
        statements.findTombstone.bind(name)
        return try statements.findTombstone.firstInt64()
    }

    /// The facts of the source's last snapshot.
    func lastSnapshot(of provider: String) throws -> LastSnapshot? {
        let find = try connection.prepare(
            """
            SELECT generated_ms, fingerprint, settled_fingerprint, from_ms, to_ms FROM coverage
            WHERE source_id = ? AND provider = ?
            """, source.id, provider)
        return try find.first {
            LastSnapshot(
                generated: $0.int64(0), fingerprint: $0.string(1), settledFingerprint: $0.string(2),
                from: $0.optionalInt64(3), to: $0.optionalInt64(4))
        }
    }
}

extension Connection {
    /// The sources that show an event.
    func sources(of event: Int64) throws -> [Int64] {
        try prepare("SELECT source_id FROM link WHERE event_id = ?", event).map { $0.int64(0) }
    }
}
