import Reconciling

/// The bytes that rows count in their sources' budgets: those of their texts, and what keys and indexes need on
/// average, in Swift and in SQL.
enum StoredBytes {
    /// An event without its texts: its row and its entries in indexes, links, change log and queue.
    static let event = 400
    /// A row of a small table without its texts.
    private static let row = 40

    /// A name of an event, which is in the table and in an index.
    static func name(_ name: String, of provider: String) -> Int { row + 2 * (provider.utf8.count + name.utf8.count) }

    /// A revision with its old values and the last state of a merged event.
    static func revision(_ previous: String, merged: String?) -> Int {
        row + previous.utf8.count + (merged?.utf8.count ?? 0)
    }

    /// A withdrawal that is kept for events not seen yet.
    static func of(_ withdrawal: StoredWithdrawal, named id: String, by provider: String) -> Int {
        let replacements = withdrawal.replacements.reduce(0) { $0 + $1.utf8.count + 1 }
        return row + provider.utf8.count + id.utf8.count + withdrawal.standing.evidence.utf8.count
            + max(0, replacements - 1)
    }
}

// MARK: - SQL

extension StoredBytes {
    /// The same of a row of `event`.
    static let ofEvent = "\(event) + \(texts(EventRow.countedColumns))"
    /// The same of a row of `upstream_id`.
    static let ofName = "\(row) + 2 * (\(texts(["provider", "upstream_id"])))"
    /// The same of a row of `history`.
    static let ofRevision = "\(row) + \(texts(["previous", "merged"]))"
    /// The same of a row of `withdrawal`.
    static let ofWithdrawal = "\(row) + \(texts(["provider", "upstream_id", "evidence", "replacements"]))"
    /// The same of a row of `tombstone`.
    static let ofTombstone = "\(row) + \(texts(["provider", "upstream_id"]))"

    private static func texts(_ columns: [String]) -> String {
        columns.map { "coalesce(length(CAST(\($0) AS BLOB)), 0)" }.joined(separator: " + ")
    }
}

extension EventRow {
    /// The bytes that the row counts in its source's budget.
    var storedBytes: Int {
        let texts = [
            provider, upstreamID, category, status, location?.matchedText, withdrawnEvidence, language, author?.name,
            author?.link, author?.picture, title, place, link, summary, geometry, details,
        ]
        return texts.reduce(StoredBytes.event) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The columns of these texts. Version 10 of the schema selects them, so no later column can be among them; the name
    /// of a place is in the average.
    fileprivate static let countedColumns = [
        "provider", "upstream_id", "category", "status", "location_matched_text", "withdrawn_evidence", "language",
        "author_name", "author_link", "author_picture", "title", "place", "link", "summary", "geometry", "details",
    ]
}
