import Foundation
import Model
import Reading
import SQLite

/// Reads the earlier versions of events; for one read of the database.
final class PastVersions {
    private let parser = JSONParser()
    private let findRevisions: Statement

    init(_ connection: Connection) throws {
        findRevisions = try connection.prepare(
            """
            SELECT revision, revision - coalesce(json_extract(merged, '$.revision'), 1), seq, gap_seq, at_ms, previous
            FROM history WHERE event_id = ?1 AND owner IS ?2 AND revision <= ?3 ORDER BY revision DESC
            """)
    }

    /// The event's versions, newest first, down to the first that is as old as `change`.
    /// - Parameters:
    ///   - event: The newest state.
    ///   - first: The number of its first change; 0: not known.
    ///   - row: The row that has its revisions.
    ///   - owner: The event's public id if it was merged into that row; nil for the row's own event.
    ///   - top: The number of its latest revision in that row; nil: that of the event.
    ///   - end: When it was merged; nil: it was not.
    func versions(
        of event: StoredEvent, first: Int64, row: Int64, owner: String? = nil, top: Int64? = nil,
        until end: Date? = nil, downTo change: Int64 = .min
    ) throws -> [EventVersion] {
        // Revisions of a merged event have moved by this.
        let shift = top.map { $0 - Int64(event.revision) } ?? 0
        var current = EventVersion(stored: event, to: end)
        var versions: [EventVersion] = []
        func add(_ version: EventVersion) {
            versions.append(version)
            current.to = version.from
        }
        if event.revision > 1 {
            findRevisions.bind(row)
            findRevisions.bind(owner)
            findRevisions.bind(Int64(event.revision) + shift)
            defer { findRevisions.reset() }
            var expected = Int64(event.revision) + shift
            while try findRevisions.step() {
                let number = findRevisions.int64(0)
                if number != expected {
                    // Without a number the gap comes from a program that did not keep the old values.
                    if current.gap ?? 0 == 0 { current.isExact = false }
                    if versions.isEmpty { add(EventVersion(stored: event, to: end)) }
                }
                current.stored.revision = Int(number - shift)
                current.stored.lastChanged = Date(milliseconds: findRevisions.int64(4))
                guard let sequence = findRevisions.optionalInt64(2) else {
                    current.isExact = false
                    return versions + [begun(current, by: first)]
                }
                current.stored.changeSequence = sequence
                add(current)
                if sequence <= change { return versions }
                current.stored = current.stored.rolledBack(findRevisions.string(5), by: parser)
                current.gap = findRevisions.optionalInt64(3)
                expected = findRevisions.int64(1)
            }
            if current.gap == 0 || expected != 1 + shift && current.gap == nil { current.isExact = false }
            if versions.isEmpty { add(EventVersion(stored: event, to: end)) }
            current.stored.revision = 1
            current.stored.lastChanged = current.stored.firstSeen
        }
        return versions + firstVersions(current, first)
    }

    /// The version of the event's first change. A withdrawal that was there before the event is a change of its own.
    private func firstVersions(_ version: EventVersion, _ first: Int64) -> [EventVersion] {
        guard version.stored.withdrawal != nil, first > 0 else { return [begun(version, by: first)] }
        var shown = version
        shown.to = version.from
        shown.stored.withdrawal = nil
        return [begun(version, by: first + 1), begun(shown, by: first)]
    }

    private func begun(_ version: EventVersion, by change: Int64) -> EventVersion {
        var version = version
        version.stored.changeSequence = change
        return version
    }
}
