import Model
import Reconciling
import SQLite

// Claims: who may speak for the provider that an event or a withdrawal names (`Claims`).
extension Ingestion {
    /// The answer as its claims hold.
    func judged(_ answer: FeedAnswer) throws -> FeedAnswer {
        guard let authority = step.authority else { return answer }
        var claims = Claims(of: authority)
        let judged = try claims.judge(answer) { try holds($0, by: authority) }
        reconciliation.claims = claims
        reconciliation.result.unproved = claims.unproved
        try connection.run(
            "DELETE FROM unproved_claim WHERE source_id = ? AND at_ms < ?", source.id, now - Self.claimAge)
        for provider in claims.providers { try note(provider, items: claims.unproved[provider, default: 0]) }
        return judged
    }

    /// Whether the source may speak for a provider; keeps whom a sender is bound to.
    private func holds(_ provider: String, by authority: Authority) throws -> Bool {
        let verdict = try Claims.verdict(
            on: provider, of: authority,
            holders: { try holders(of: provider, "SELECT identity, domain FROM sender_binding WHERE sender = ?1") },
            // Events of a source that is no longer configured, or has another identity now.
            showing: {
                try holders(
                    of: provider,
                    """
                    INSERT OR IGNORE INTO sender_binding (sender, identity)
                    SELECT DISTINCT ?1, s.provider FROM upstream_id u JOIN link l ON l.event_id = u.event_id
                      JOIN source s ON s.id = l.source_id
                    WHERE u.provider = ?1
                    RETURNING identity, domain
                    """)
            },
            bound: {
                try connection.firstInt64(
                    "SELECT count(*) FROM sender_binding WHERE identity = ?", authority.identity) ?? 0
            })
        switch verdict {
        case .holds: break
        case .fails: return false
        case .binds:
            try connection.run(
                "INSERT INTO sender_binding (sender, identity, domain) VALUES (?, ?, ?)", provider,
                authority.identity, authority.domain)
        case .takes:
            try connection.run(
                "DELETE FROM sender_binding WHERE sender = ? AND identity <> ?", provider, authority.identity)
            if connection.changedRows > 0 { reconciliation.result.takenSenders.append(provider) }
        }
        return true
    }

    /// - Parameter sql: Selects the identities and domains, or stores and returns them; ?1 is the sender.
    private func holders(of sender: String, _ sql: String) throws -> [Claims.Holder] {
        let find = try connection.prepare(sql, sender)
        return try find.map { Claims.Holder(identity: $0.string(0), domain: $0.text(1)) }
    }

    /// The most providers whose unproved claims are kept for a source; others are only counted in the log.
    private static let mostClaims = 64

    /// How long the unproved claims of an answer are kept: one document of an index is read once.
    private static let claimAge: Int64 = 86_400_000

    /// Keeps the number of unproved claims in the source's last poll with any; 0: the claim holds now.
    private func note(_ provider: String, items: Int) throws {
        guard items > 0 else {
            return try connection.run(
                "DELETE FROM unproved_claim WHERE source_id = ? AND provider = ?", source.id, provider)
        }
        try connection.run(
            """
            INSERT INTO unproved_claim (source_id, provider, items, at_ms) SELECT ?1, ?2, ?3, ?5
            WHERE (SELECT count(*) FROM unproved_claim WHERE source_id = ?1) < ?4
              OR EXISTS (SELECT 1 FROM unproved_claim WHERE source_id = ?1 AND provider = ?2)
            ON CONFLICT (source_id, provider) DO UPDATE SET at_ms = excluded.at_ms, items = excluded.items
              + iif(at_ms < (SELECT last_attempt_ms FROM source WHERE id = ?1), 0, items)
            """, source.id, provider, items, Self.mostClaims, now)
    }
}
