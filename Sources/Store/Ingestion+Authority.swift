import Model
import SQLite

// Claims: who may speak for the provider that an event or a withdrawal names (`Authority`).
extension Ingestion {
    /// The answer with each event and withdrawal that the source may not make in a provider's name under the source's
    /// own identity, which touches no event of another.
    func judged(_ answer: FeedAnswer) throws -> FeedAnswer {
        guard let authority else { return answer }
        var answer = answer
        var verdicts: [String: Bool] = [:]
        // Nearly all events of an answer have one provider.
        var last: (provider: String, holds: Bool) = (authority.identity, true)
        func holds(_ provider: String) throws -> Bool {
            if last.provider == provider { return last.holds }
            let holds = try verdicts[provider] ?? self.holds(provider, under: authority)
            verdicts[provider] = holds
            last = (provider, holds)
            return holds
        }
        for index in answer.events.indices {
            let provider = answer.events[index].provider
            guard try !holds(provider) else { continue }
            func own(_ id: String) -> String { Authority.ownID(of: id, for: provider) }
            answer.events[index].provider = authority.identity
            answer.events[index].id = own(answer.events[index].id)
            claims[answer.events[index].id] = provider
            answer.events[index].aliases = answer.events[index].aliases.map(own)
            result.unproved[provider, default: 0] += 1
        }
        for index in answer.withdrawals.indices {
            let provider = answer.withdrawals[index].provider
            guard try !holds(provider) else { continue }
            func own(_ id: String) -> String { Authority.ownID(of: id, for: provider) }
            answer.withdrawals[index].provider = authority.identity
            answer.withdrawals[index].id = own(answer.withdrawals[index].id)
            answer.withdrawals[index].replacements = answer.withdrawals[index].replacements.map(own)
            result.unproved[provider, default: 0] += 1
        }
        if let coverage = answer.coverage, try !holds(coverage.provider) { answer.coverage = nil }
        try forgetOldClaims()
        for (provider, holds) in verdicts.sorted(by: { $0.key < $1.key }) where authority.isClaim(provider) {
            try note(provider, items: holds ? 0 : result.unproved[provider, default: 0])
        }
        return answer
    }

    private func holds(_ provider: String, under authority: Authority) throws -> Bool {
        switch authority.verdict(on: provider) {
        case .fails: return false
        case .holds:
            if authority.isConfigured(for: provider),
                try SenderBinding.take(provider, for: authority, on: connection)
            {
                result.takenSenders.append(provider)
            }
            return true
        case .byFirstSight: return try SenderBinding.holds(provider, for: authority, on: connection)
        }
    }

    /// The most providers whose unproved claims are kept for a source; others are only counted in the log.
    private static let mostClaims = 64

    /// How long the unproved claims of an answer are kept: one document of an index is read once.
    private static let claimAge: Int64 = 86_400_000

    private func forgetOldClaims() throws {
        let delete = try connection.prepare("DELETE FROM unproved_claim WHERE source_id = ? AND at_ms < ?")
        delete.bind(source.id)
        delete.bind(now - Self.claimAge)
        try delete.run()
    }

    /// Keeps the number of unproved claims in the source's last poll with any; 0: the claim holds now.
    private func note(_ provider: String, items: Int) throws {
        guard items > 0 else {
            let delete = try connection.prepare("DELETE FROM unproved_claim WHERE source_id = ? AND provider = ?")
            delete.bind(source.id)
            delete.bind(provider)
            return try delete.run()
        }
        let upsert = try connection.prepare(
            """
            INSERT INTO unproved_claim (source_id, provider, items, at_ms) SELECT ?1, ?2, ?3, ?5
            WHERE (SELECT count(*) FROM unproved_claim WHERE source_id = ?1) < ?4
              OR EXISTS (SELECT 1 FROM unproved_claim WHERE source_id = ?1 AND provider = ?2)
            ON CONFLICT (source_id, provider) DO UPDATE SET at_ms = excluded.at_ms, items = excluded.items
              + iif(at_ms < (SELECT last_attempt_ms FROM source WHERE id = ?1), 0, items)
            """)
        upsert.bind(source.id)
        upsert.bind(provider)
        upsert.bind(items)
        upsert.bind(Self.mostClaims)
        upsert.bind(now)
        try upsert.run()
    }

    // MARK: - Two identities of one item

    /// The row of the event under the identity that is not in force, moved to the one that is: a claim has begun or
    /// ceased to hold. Nil if there is none, or another source shows it, too.
    func adopted(_ event: Event) throws -> Int64? {
        guard let authority else { return nil }
        let (provider, id): (String, String)
        if event.provider == authority.identity {
            guard let claimed = claims[event.id] else { return nil }
            (provider, id) = (claimed, String(event.id.utf8.dropFirst(claimed.utf8.count + 1)) ?? "")
        } else if authority.isClaim(event.provider) {
            (provider, id) = (authority.identity, Authority.ownID(of: event.id, for: event.provider))
        } else {
            return nil
        }
        guard let row = try self.row(named: id, of: provider), let old = try load(row) else { return nil }
        let links = try connection.prepare(
            "SELECT count(*), count(*) FILTER (WHERE source_id = ?) FROM link WHERE event_id = ?")
        links.bind(source.id)
        links.bind(row)
        guard try links.step() else { return nil }
        let (all, own) = (links.int64(0), links.int64(1))
        links.reset()
        guard own == 1, all == 1 else {
            // A source that may not speak for an event does not lengthen its life.
            if own == 1, provider != authority.identity { try unlink(row) }
            return nil
        }
        try move(old, to: event.provider, id: event.id)
        return row
    }

    /// Removes the source's link to an event.
    private func unlink(_ row: Int64) throws {
        for table in ["link", "topic_seen"] {
            let delete = try connection.prepare("DELETE FROM \(table) WHERE event_id = ? AND source_id = ?")
            delete.bind(row)
            delete.bind(source.id)
            try delete.run()
        }
    }
}

/// Which sources showed a CAP sender first, by their identities, so that a renamed source keeps its senders.
enum SenderBinding {
    /// The most senders that are bound to an identity; an index of the whole world has some hundreds.
    private static let mostSenders = 2_000

    /// Whether the source may speak for a sender: it or a source on its registrable domain showed it first. A sender
    /// that nobody has shown is bound to it.
    static func holds(_ sender: String, for authority: Authority, on connection: Connection) throws -> Bool {
        var isBound = false
        let find = try connection.prepare("SELECT identity, domain FROM sender_binding WHERE sender = ?")
        func isOwn() throws -> Bool {
            find.bind(sender)
            defer { find.reset() }
            while try find.step() {
                isBound = true
                if find.string(0) == authority.identity { return true }
                if let domain = find.text(1), domain == authority.domain { return true }
            }
            return false
        }
        if try isOwn() { return true }
        guard !isBound else { return false }
        // Events of a source that is no longer configured, or has another identity now.
        let inherit = try connection.prepare(
            """
            INSERT OR IGNORE INTO sender_binding (sender, identity)
            SELECT DISTINCT ?1, s.provider FROM upstream_id u JOIN link l ON l.event_id = u.event_id
              JOIN source s ON s.id = l.source_id
            WHERE u.provider = ?1
            """)
        inherit.bind(sender)
        try inherit.run()
        if try isOwn() { return true }
        guard !isBound else { return false }
        return try bind(sender, to: authority, on: connection)
    }

    /// Takes a sender from the sources that showed it first, since the operator has configured another for it.
    /// - Returns: Whether there were any.
    static func take(_ sender: String, for authority: Authority, on connection: Connection) throws -> Bool {
        let delete = try connection.prepare("DELETE FROM sender_binding WHERE sender = ? AND identity <> ?")
        delete.bind(sender)
        delete.bind(authority.identity)
        try delete.run()
        return connection.changedRows > 0
    }

    private static func bind(_ sender: String, to authority: Authority, on connection: Connection) throws -> Bool {
        let insert = try connection.prepare(
            """
            INSERT INTO sender_binding (sender, identity, domain) SELECT ?1, ?2, ?3
            WHERE (SELECT count(*) FROM sender_binding WHERE identity = ?2) < ?4
            """)
        insert.bind(sender)
        insert.bind(authority.identity)
        insert.bind(authority.domain)
        insert.bind(mostSenders)
        try insert.run()
        return connection.changedRows > 0
    }
}
