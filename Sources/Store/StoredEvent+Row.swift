import Foundation
import Model

extension StoredEvent {
    /// A row as users see it.
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
            })
    }
}
