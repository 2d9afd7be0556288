import Engine
import Foundation
import Model
import Store

// The whole database, compared with the ledger: promises 1, 2 and 9.
extension Oracle {
    /// A row of `event` with its names.
    struct Row {
        var publicID: String
        var provider: String
        var names: Set<String>
        var title: String
        var time: Date?
        var updated: Date?
        var firstSeen: Date
        var isProvisional: Bool
        var withdrawn: String?
        var isErased: Bool

        /// - Parameter columns: The columns of `rowSQL`.
        fileprivate init(_ columns: [String], names: Set<String>) {
            func date(_ text: String) -> Date? { Int64(text).map { Date(milliseconds: $0) } }
            publicID = columns[0]
            provider = columns[1]
            self.names = names
            title = columns[2]
            time = date(columns[3])
            updated = date(columns[4])
            firstSeen = date(columns[5]) ?? .distantPast
            isProvisional = columns[6] == "1"
            withdrawn = columns[7] == "NULL" ? nil : columns[7]
            isErased = columns[8] == "1"
        }
    }

    /// How a life has ended, which decides what the next one must find.
    enum Ending {
        /// By an orderly stop: all commits are on the disk.
        case closed
        /// By a kill: all commits survive unless the power fails later.
        case killed
        /// By a loss of power, which may take commits that were not synced.
        case powerLoss
    }

    /// All rows of `event`.
    func rows() throws -> [Row] {
        var names: [String: Set<String>] = [:]
        for row in try look("SELECT e.public_id, u.upstream_id FROM event e JOIN upstream_id u ON u.event_id = e.id") {
            names[row[0], default: []].insert(row[1])
        }
        return try look("\(Self.rowSQL) ORDER BY e.id").map { Row($0, names: names[$0[0]] ?? []) }
    }

    /// The row of a public id; nil: a merge has removed it.
    func row(of id: String) throws -> Row? {
        guard let row = try look("\(Self.rowSQL) WHERE e.public_id = ?", id).first else { return nil }
        let names = try look(
            "SELECT u.upstream_id FROM event e JOIN upstream_id u ON u.event_id = e.id WHERE e.public_id = ?", id)
        return Row(row, names: Set(names.map { $0[0] }))
    }

    private static let rowSQL = """
        SELECT e.public_id, e.provider, e.title, iif(e.time_source = 'feed', e.time_ms, NULL), e.updated_ms,
          e.first_seen_ms, e.first_seen_is_provisional, e.withdrawn_reason, e.is_erased
        FROM event e
        """

    // MARK: - A new life

    /// A life begins: the store must hold what the last one left, and is the reference from now on.
    func begins(
        _ store: EventStore, _ settings: [SourceSettings], after ending: Ending, at now: Moment
    ) throws {
        self.store = store
        let rows = try self.rows()
        try compare(rows, after: ending, at: now)
        let isVague = ending == .powerLoss || mayReturn
        try takeSources(settings, try store.sources(), isVague: isVague, at: now)
        if ending == .powerLoss || !halfReset.isEmpty {
            for name in sources.keys {
                sources[name]?.snapshot = nil
                let recent = sources[name]?.recent ?? []
                sources[name]?.doubtful += recent.map { $0.snapshot }
                sources[name]?.recent = []
                sources[name]?.complete = nil
            }
            for row in try look(
                "SELECT s.name, c.generated_ms, c.fingerprint FROM coverage c JOIN source s ON s.id = c.source_id")
            {
                let generated = Date(milliseconds: Int64(row[1]) ?? 0)
                sources[row[0]]?.snapshot = (generated: generated, fingerprint: row[2])
            }
            answeredQuestions = [:]
        }
        try takeHorizons(at: now)
        try rebuild(rows)
        try checkValidatorsInStore(at: now)
        mayReturn = false
        halfReset = []
        if ending != .killed { lastDurable = commits }
        let merged = "SELECT public_id FROM change WHERE kind = 'merged' AND seq > ? ORDER BY seq"
        merges += try look(merged, "\(lastChange)").compactMap(\.first)
        lastChange = Int(try look("SELECT seq FROM sqlite_sequence WHERE name = 'change'").first?[0] ?? "") ?? 0
        try checkTold(at: now)
        try resumeMemory(after: ending)
        try resumeFollowing(after: ending, at: now)
    }

    private func takeHorizons(at now: Moment) throws {
        for row in try look("SELECT name, horizon_ms FROM source WHERE horizon_ms IS NOT NULL") {
            let horizon = Date(milliseconds: Int64(row[1]) ?? 0)
            guard let source = sources[row[0]] else { continue }
            guard horizon <= source.possibleHorizon.addingTimeInterval(0.01) else {
                throw broken(9, "the horizon of \(row[0]) is beyond all truncations", at: now)
            }
            sources[row[0]]?.horizon = horizon
            sources[row[0]]?.possibleHorizon = horizon
        }
    }

    /// Rebuilds the ledger from the store.
    private func rebuild(_ rows: [Row]) throws {
        let old = entries
        entries = [:]
        byName = [:]
        provisional = []
        for row in rows {
            let known = old[row.publicID]
            let entry = LedgerEntry(
                row.publicID, row.provider, row.names, time: row.time, updated: row.updated, title: row.title,
                firstSeen: row.firstSeen, isProvisional: row.isProvisional, admitted: known?.admitted ?? commits)
            entry.withdrawn = row.withdrawn
            entry.resume(known)
            record(entry)
            for key in entry.keys { truncatedNames[key] = nil }
        }
        for link in try look(
            """
            SELECT e.public_id, s.name FROM link l JOIN event e ON e.id = l.event_id
            JOIN source s ON s.id = l.source_id
            """)
        {
            entries[link[0]]?.sources.insert(link[1])
        }
    }

    // MARK: - Comparing

    /// Compares the database with the ledger, and the stored settings with those in force.
    func compareStore(at now: Moment) throws {
        try compare(try rows(), after: nil, at: now)
        try checkSettingsInStore(at: now)
    }

    /// - Parameter ending: How the previous life has ended; nil: no life has ended.
    private func compare(_ rows: [Row], after ending: Ending?, at now: Moment) throws {
        // After a death the disk may hold commits that it refused, or lack some that it took.
        let isVague = ending == .powerLoss || (ending != nil && mayReturn)
        var found: Set<String> = []
        var owners: [String: String] = [:]
        for row in rows {
            found.insert(row.publicID)
            guard !row.names.isEmpty else { throw broken(2, "\(row.title) has no name", at: now) }
            for name in row.names {
                if let other = owners.updateValue(row.publicID, forKey: Self.key(row.provider, name)) {
                    throw broken(2, "\(name) names both \(other) and \(row.publicID)", at: now)
                }
            }
            guard let entry = entries[row.publicID] else {
                let keys = row.names.map { Self.key(row.provider, $0) }
                let isKnown = keys.contains { everOffered.contains($0) }
                guard isKnown, isVague else {
                    throw broken(2, "\(row.title) (\(row.publicID)) is stored, and should not be", at: now)
                }
                continue
            }
            guard row.names == entry.names || isVague else {
                let (found, known) = (row.names.sorted(), entry.names.sorted())
                throw broken(2, "\(row.title) has the names \(found), not \(known)", at: now)
            }
            guard row.withdrawn == entry.withdrawn || isVague else {
                let words = "\(row.withdrawn ?? "not withdrawn"), not \(entry.withdrawn ?? "not withdrawn")"
                throw broken(4, "\(row.title) is \(words)", at: now)
            }
        }
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where !found.contains(id) {
            if isVague, entry.sources.allSatisfy({ hasPassed(entry, in: $0) }) {
                for key in entry.keys { truncatedNames[key] = Truncated(entry) }
                continue
            }
            if isVague, entry.keys.allSatisfy({ owners[$0] != nil }) || mayBeForgotten(entry) { continue }
            guard ending == .powerLoss else { throw broken(1, "\(entry.title) (\(entry.publicID)) is lost", at: now) }
            guard entry.admitted > lastDurable else {
                throw broken(1, "\(entry.title) (\(entry.publicID)) was synced, and is lost with the power", at: now)
            }
            lose(entry)
        }
    }

    func hasPassed(_ entry: LedgerEntry, in name: String) -> Bool {
        guard !entry.isProvisional else { return false }
        return sources[name].map { entry.ageBase.lowerBound < $0.possibleHorizon } ?? true
    }

    /// Checks that a truncation has left nothing older than the horizons of all its sources.
    func checkAges(at now: Moment) throws {
        let old = entries.values.filter { entry in
            guard !entry.isProvisional, !entry.sources.isEmpty else { return false }
            return entry.sources.allSatisfy { name in
                sources[name].map { entry.ageBase.upperBound < $0.horizon.addingTimeInterval(-1) } ?? false
            }
        }
        guard let entry = old.min(by: { $0.publicID < $1.publicID }) else { return }
        throw broken(9, "\(entry.title) (\(entry.publicID)) has outlived all its sources' horizons", at: now)
    }

    /// Checks that the events of stored validators are stored.
    private func checkValidatorsInStore(at now: Moment) throws {
        for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
            for (url, stored) in source.validators.sorted(by: { $0.key < $1.key }) {
                for key in brought[Self.trail(name, url, stored.value, stored.fingerprint)] ?? []
                where byName[key] == nil && truncatedNames[key] == nil {
                    throw broken(1, "\(name) knows \(url) by its validators, but not its event \(key)", at: now)
                }
            }
        }
    }

    // MARK: - The end

    /// Checks after the quiet days that all listed events are stored as listed, and that all sources work.
    func checkEnd(_ world: World, quietSince: Duration, at now: Moment) throws {
        try compareStore(at: now)
        for (name, source) in sources.sorted(by: { $0.key < $1.key })
        where source.isConfigured && source.settings.isEnabled {
            guard let success = source.lastSuccess, success > quietSince else {
                throw broken(5, "\(name) has not recovered", at: now)
            }
            let period = source.settings.options["period"]?.text ?? ""
            for (_, url) in source.settings.urls(filling: ["period": period]) {
                for expected in world.truth(of: url, at: truth(now)) {
                    try checkListed(expected, name, source, at: now)
                }
            }
        }
        summary.goneWithPower = goneForGood
    }

    private func checkListed(_ expected: ExpectedEvent, _ name: String, _ source: Source, at now: Moment) throws {
        let keys = expected.names.map { Self.key(expected.provider, $0) }
        let entry = keys.lazy.compactMap { self.byName[$0] }.first
        guard expected.purpose == .event else {
            guard let entry, entry.withdrawn == nil else { return }
            throw broken(4, "\(entry.title) was taken back, and stays", at: now)
        }
        guard let entry else {
            let age = now.wall.timeIntervalSince(expected.time ?? now.wall)
            let filter = source.settings.filter
            let isWanted =
                (expected.magnitude ?? 0) >= filter.minimumMagnitude ?? -100
                && (filter.keywords.map { $0.matches(expected.title) } ?? true)
            let isFresh = age > 3600 && age < source.settings.maxAge.seconds - 7200
            let wasTruncated = keys.contains { truncatedNames[$0] != nil }
            let isAbove = (expected.time ?? .distantFuture) > source.possibleHorizon.addingTimeInterval(1)
            guard isWanted, isFresh, isAbove, !wasTruncated else { return }
            throw broken(1, "\(expected.title) is listed by \(name), and is not stored", at: now)
        }
        guard entry.withdrawn != "absent" else {
            throw broken(4, "\(expected.title) is listed by \(name), and withdrawn", at: now)
        }
    }
}
