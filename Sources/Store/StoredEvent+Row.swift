import Foundation
import Model
import Reconciling
import SQLite

extension StoredEvent {
    /// The bytes of its texts, of which its size in memory and in all outer forms is a small multiple.
    package var textBytes: Int {
        let texts = [
            event.summary, event.link, event.place, event.geometry, event.author?.name, event.author?.link,
            withdrawal?.evidence,
        ]
        let names = event.aliases.reduce(512) { $0 + $1.utf8.count }
        return texts.reduce(names + event.title.utf8.count + event.details.utf8.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The most aliases that are read of an event, as many as a document may give. Documents and merges may have given
    /// more, one after another.
    static let mostAliases = 50

    /// The columns for `init(row:)`; `e` is the table `event`.
    ///
    /// An event has few links, which are neighbours, so its source names cost two look-ups by primary key. They are
    /// sorted in Swift, since SQLite would build a B-tree for each event. Its names are neighbours in an index, in
    /// their order.
    static let columns = """
        e.id, \(ownColumns), \
        (SELECT group_concat(s.name) FROM link k JOIN source s ON s.id = k.source_id WHERE k.event_id = e.id), \
        (SELECT group_concat(name, char(10)) FROM (SELECT u.upstream_id AS name FROM upstream_id u \
        WHERE u.event_id = e.id AND u.provider = e.provider AND u.upstream_id <> e.upstream_id \
        ORDER BY u.upstream_id LIMIT \(mostAliases)))
        """

    /// The position behind the last of `columns`.
    static let end = EventRow.end + 2

    private static let ownColumns = EventRow.columns.split(separator: ", ").map { "e." + $0 }.joined(separator: ", ")

    init(row: Statement) {
        self.init(EventRow(row: row))
        // Source names contain no comma.
        sources = Self.texts(row.bytes(EventRow.end), between: ",").sorted()
        // Names contain no control characters.
        event.aliases = Self.texts(row.bytes(EventRow.end + 1), between: "\n")
    }

    private static func texts(_ bytes: UnsafeBufferPointer<UInt8>, between separator: Unicode.Scalar) -> [String] {
        bytes.split(separator: UInt8(ascii: separator)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Converts a row, without its sources and aliases.
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
