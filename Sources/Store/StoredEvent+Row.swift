import Foundation
import Model
import SQLite

extension StoredEvent {
    /// The bytes of its texts, of which its size in memory and in all outer forms is a small multiple.
    package var textBytes: Int {
        let texts = [
            event.summary, event.link, event.place, event.geometry, event.author?.name, event.author?.link,
            withdrawal?.evidence,
        ]
        return texts.reduce(512 + event.title.utf8.count + event.details.utf8.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The columns for `init(row:)`; `e` is the table `event`.
    ///
    /// An event has few links, which are neighbours, so its source names cost two look-ups by primary key. They are
    /// sorted in Swift, since SQLite would build a B-tree for each event.
    static let columns = """
        e.id, \(ownColumns), \
        (SELECT group_concat(s.name) FROM link k JOIN source s ON s.id = k.source_id WHERE k.event_id = e.id)
        """

    private static let ownColumns = EventRow.columns.split(separator: ", ").map { "e." + $0 }.joined(separator: ", ")

    init(row: Statement) {
        self.init(EventRow(row: row))
        // Source names contain no comma.
        sources = row.bytes(46).split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Converts a row, without its sources.
    init(_ row: EventRow) {
        self.init(
            publicID: row.publicID,
            event: Event(
                provider: row.provider, id: row.upstreamID, time: Date(milliseconds: row.time),
                updated: row.updated.map { Date(milliseconds: $0) },
                expires: row.expires.map { Date(milliseconds: $0) }, category: Model.Category(rawValue: row.category),
                title: row.title, summary: row.summary, link: row.link, author: row.author, weight: row.weight,
                magnitude: row.magnitude, depth: row.depth, status: row.status, place: row.place,
                language: row.language, location: row.location, geometry: row.geometry, details: row.details),
            hasFeedTime: row.hasFeedTime, firstSeen: Date(milliseconds: row.firstSeen),
            isFirstSeenProvisional: row.isFirstSeenProvisional, lastChanged: Date(milliseconds: row.lastChanged),
            revision: Int(row.revision), changeSequence: row.changeSequence,
            withdrawal: row.withdrawnReason.map {
                Withdrawal(
                    reason: $0, at: Date(milliseconds: row.withdrawnAt ?? row.lastChanged),
                    evidence: row.withdrawnEvidence ?? "")
            },
            isErased: row.isErased)
    }
}
