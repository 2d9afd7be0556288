import Model
import SQLite

// What is kept of refused items, for `visiventd refused`: the last hundred of a source, which count for no budget.
extension Ingestion {
    /// The most refused items that are kept of a source, and that are taken from a poll.
    static let mostRefused = 100

    /// Whether refused items are kept, of any source.
    func hasRefusedItems() throws -> Bool {
        try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM refused_item)") == 1
    }

    /// Refuses a new event.
    func refuse(_ event: Event, because reason: String) {
        refuse(reason)
        if refusedItems.count < Self.mostRefused { refusedItems.append((event, reason)) }
    }

    /// Keeps the refused items of the answer, and forgets those of the source that are stored now. An item that comes
    /// again for the same reason changes nothing.
    func keepRefused(_ issues: [FeedIssue]) throws {
        if hasRefused { try forgetStored() }
        guard !refusedItems.isEmpty || issues.contains(where: \.costsItem) else { return }
        let find = try connection.prepare("SELECT refused_kept FROM source WHERE id = ?")
        find.bind(source.id)
        let room = try Self.mostRefused - Int(find.firstInt64() ?? 0)
        guard room > 0 else { return }
        let upsert = try connection.prepare(
            """
            INSERT INTO refused_item (source_id, provider, upstream_id, aliases, title, reason, at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (source_id, provider, upstream_id) DO UPDATE
            SET aliases = excluded.aliases, title = excluded.title, reason = excluded.reason, at_ms = excluded.at_ms
            WHERE reason <> excluded.reason
            """)
        let time = try writer.stamp(now, isClockTrusted: isClockTrusted)
        var (taken, isChanged) = (0, false)
        func keep(_ id: String, of provider: String, aliases: String?, title: String, because reason: String) throws {
            upsert.bind(source.id)
            upsert.bind(Self.cut(provider))
            upsert.bind(Self.cut(id))
            upsert.bind(aliases)
            upsert.bind(String(title.unicodeScalars.prefix(200)))
            upsert.bind(reason)
            upsert.bind(time)
            try upsert.run()
            if connection.changedRows > 0 { isChanged = true }
            taken += 1
        }
        for (event, reason) in refusedItems where taken < room {
            // Words that their provider has deleted stay out.
            if checksWithdrawals, try standingWithdrawal(of: event, version: Int64.max) != nil { continue }
            try keep(
                event.id, of: event.provider, aliases: Self.listed(event.aliases), title: event.title, because: reason)
        }
        for issue in issues.lazy.filter(\.costsItem).prefix(room - taken) {
            let id = issue.found.isEmpty ? issue.position : issue.found
            try keep(id, of: "", aliases: nil, title: issue.sample, because: issue.reason)
        }
        let count = try connection.prepare("UPDATE source SET refused_kept = refused_kept + ? WHERE id = ?")
        count.bind(taken)
        count.bind(source.id)
        try count.run()
        guard isChanged else { return }
        hasRefused = true
        let prune = try connection.prepare(
            """
            DELETE FROM refused_item WHERE source_id = ?1 AND id NOT IN (
              SELECT id FROM refused_item WHERE source_id = ?1 ORDER BY at_ms DESC, id LIMIT ?2)
            """)
        prune.bind(source.id)
        prune.bind(Self.mostRefused)
        try prune.run()
    }

    /// The first 1024 bytes of a name, in whole scalars.
    private static func cut(_ name: String) -> String {
        guard let end = name.utf8.index(name.startIndex, offsetBy: 1024, limitedBy: name.endIndex) else { return name }
        return String(name.unicodeScalars[..<end])
    }

    /// The aliases between line feeds, at most 2 KiB; a message has fewer. Nil: there are none.
    private static func listed(_ aliases: [String]) -> String? {
        var list = "\n"
        for alias in aliases where list.utf8.count + alias.utf8.count < 2048 { list += alias + "\n" }
        return list == "\n" ? nil : list
    }

    /// Forgets refused items of the source that have become events, for instance with another filter. A name that may
    /// be cut, into 1021 to 1024 bytes, stands for those that begin with it.
    private func forgetStored() throws {
        let delete = try connection.prepare(
            """
            DELETE FROM refused_item WHERE source_id = ?1 AND EXISTS (
              SELECT 1 FROM upstream_id u JOIN link l ON l.event_id = u.event_id AND l.source_id = ?1
              WHERE u.provider = refused_item.provider AND u.upstream_id BETWEEN refused_item.upstream_id
                AND refused_item.upstream_id
                  || iif(length(CAST(refused_item.upstream_id AS BLOB)) > 1020, char(1114111), ''))
            """)
        delete.bind(source.id)
        try delete.run()
    }

    /// ?1: the provider; ?2: the id, cut.
    static let eraseUnderID = "DELETE FROM refused_item WHERE provider = ?1 AND upstream_id = ?2"
    /// ?1: the provider; ?2: the id.
    static let eraseUnderAlias = """
        DELETE FROM refused_item
        WHERE provider = ?1 AND aliases IS NOT NULL AND instr(aliases, char(10) || ?2 || char(10))
        """

    /// Removes a deleted text from the refused items. What sources of this kind have shown without an id may quote it,
    /// and so may samples of their issues, also of this answer.
    func eraseRefused(_ withdrawal: Withdrawal) throws {
        if hasRefused {
            let provider = Self.cut(withdrawal.provider)
            try connection.run(Self.eraseUnderID, provider, Self.cut(withdrawal.id))
            try connection.run(Self.eraseUnderAlias, provider, withdrawal.id)
        }
        guard !hasErased else { return }
        hasErased = true
        result.issues = result.issues.mapValues { IssueCount(items: $0.items, sample: "") }
        let ofKind = "source_id IN (SELECT id FROM source WHERE kind = (SELECT kind FROM source WHERE id = ?))"
        for sql in [
            "DELETE FROM refused_item WHERE provider = '' AND \(ofKind)",
            "UPDATE issue SET sample = '' WHERE sample <> '' AND \(ofKind)",
        ] { try connection.run(sql, row: source.id) }
    }
}
