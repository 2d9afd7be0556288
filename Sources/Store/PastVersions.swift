import Foundation
import Model
import Reading
import SQLite

/// An event as it was from one of its changes on.
struct PastVersion {
    /// The state; `changeSequence`, `revision` and `lastChanged` are those of the change that made it.
    var stored: StoredEvent
    /// The number of the first change after it that is no longer kept; nil: none is missing.
    var gap: Int64?
    /// Whether no older state is missing from the values: false if revisions were dropped before numbers were
    /// introduced.
    var isCertain: Bool

    /// Whether the state is known to be that after a change, which must not be before its own.
    func isExact(after change: Int64) -> Bool { isCertain && gap.map { change < $0 } ?? true }
}

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
    func versions(
        of event: StoredEvent, first: Int64, row: Int64, owner: String? = nil, top: Int64? = nil,
        downTo change: Int64 = .min
    ) throws -> [PastVersion] {
        // Revisions of a merged event have moved by this.
        let shift = top.map { $0 - Int64(event.revision) } ?? 0
        var current = PastVersion(stored: event, isCertain: true)
        var versions: [PastVersion] = []
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
                    if current.gap ?? 0 == 0 { current.isCertain = false }
                    if versions.isEmpty { versions.append(PastVersion(stored: event, isCertain: true)) }
                }
                current.stored.revision = Int(number - shift)
                current.stored.lastChanged = Date(milliseconds: findRevisions.int64(4))
                guard let sequence = findRevisions.optionalInt64(2) else {
                    current.isCertain = false
                    return versions + [begun(current, by: first)]
                }
                current.stored.changeSequence = sequence
                versions.append(current)
                if sequence <= change { return versions }
                current.stored = current.stored.rolledBack(findRevisions.string(5), by: parser)
                current.gap = findRevisions.optionalInt64(3)
                expected = findRevisions.int64(1)
            }
            if current.gap == 0 || expected != 1 + shift && current.gap == nil { current.isCertain = false }
            if versions.isEmpty { versions.append(PastVersion(stored: event, isCertain: true)) }
            current.stored.revision = 1
            current.stored.lastChanged = current.stored.firstSeen
        }
        return versions + firstVersions(current, first)
    }

    /// The version of the event's first change. A withdrawal that was there before the event is a change of its own.
    private func firstVersions(_ version: PastVersion, _ first: Int64) -> [PastVersion] {
        guard version.stored.withdrawal != nil, first > 0 else { return [begun(version, by: first)] }
        var shown = version
        shown.stored.withdrawal = nil
        return [begun(version, by: first + 1), begun(shown, by: first)]
    }

    private func begun(_ version: PastVersion, by change: Int64) -> PastVersion {
        var version = version
        version.stored.changeSequence = change
        return version
    }
}
