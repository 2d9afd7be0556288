import Foundation
import Model
import Operations
import Reading
import SQLite
import Store

/// What operators ask, from the database alone: the control socket is out of this process's reach. No cache may keep
/// these answers, and they have no ETag, since polls that change nothing have no change number.
extension ReadAPI {
    /// Answers `/status`: the sources and figures of `visiventd status --json`, but for what the daemon, the
    /// configuration and the machine tell.
    func status(_ request: APIRequest, now: Date) throws -> Reply {
        try endJSON(request)
        return .read { store in try status(from: store, now: now) }
    }

    private func status(from store: EventStore, now: Date) throws -> APIAnswer {
        let sources = try plannedSources(from: store, now: now)
        let figures = try store.statistics()
        let queue = try store.queueStatistics(at: now)
        var newest = EventQuery()
        newest.limit = 1
        let event = try store.events(newest).first
        let upkeep = Upkeep(of: sources, isRunning: HealthFacts.isRunning(store.path), at: now)
        let answer = APIAnswer(json: [
            "time": now.timestamp, "version": program,
            "last_poll": sources.compactMap { $0.lastAttempt }.max()?.timestamp, "upkeep": .raw(upkeep.json()),
            "newest_event": event.map { ($0.event.time ?? $0.firstSeen).timestamp },
            "change_seq": Int(try store.lastChange()), "schema_version": figures.schemaVersion,
            "database_bytes": Int(figures.databaseBytes), "wal_bytes": Int(figures.walBytes), "events": figures.events,
            "located": figures.located, "withdrawn": figures.withdrawn, "geocode_queue": figures.waiting,
            "locating": .object([
                "new": queue.new, "asked": queue.asked, "questions": queue.jobs, "unresolved": queue.unresolved,
            ]),
            "last_truncation": figures.lastTruncation?.timestamp,
            "sources": .array(sources.map { $0.statusJSON(at: now) }),
        ])
        return Self.unkept(answer)
    }

    /// Answers `/page/upkeep`: whether the record is kept up to date. It names sources, as events do, but has neither
    /// addresses nor a failure's words, so that who may see the map may see it where a proxy hides `/status`.
    func upkeep(now: Date) -> Reply {
        .read { store in
            let sources = try plannedSources(from: store, now: now)
            let upkeep = Upkeep(of: sources, isRunning: HealthFacts.isRunning(store.path), at: now)
            return Self.unkept(APIAnswer(upkeep.json(at: now) + "\n", type: MediaType.json))
        }
    }

    /// Answers `/health`: 503 where nothing is polled any more, else 200, each with its reasons.
    func health(_ request: APIRequest, now: Date) throws -> Reply {
        try endJSON(request)
        return .read { store in
            let report = HealthReport(ofRecord: try record(from: store, now: now), at: now)
            let status = report.level == .failed ? 503 : 200
            return Self.unkept(APIAnswer(status: status, report.json(at: now) + "\n", type: MediaType.json))
        }
    }

    /// Answers `/metrics` in Prometheus' text exposition format 0.0.4.
    func metrics(_ request: APIRequest, now: Date) throws -> Reply {
        try Parameters(request).end()
        return .read { store in try metrics(from: store, now: now) }
    }

    private func metrics(from store: EventStore, now: Date) throws -> APIAnswer {
        var stored = try record(from: store, now: now)
        do throws(StoreError) {
            stored.counters = try store.withHalfBudget { store throws(StoreError) in try store.counters() }
        } catch {
            // The metrics of the sources are worth more than the numbers of events.
            guard error.code == .tooCostly || error.code == .interrupted else { throw error }
            stored.counters = StoreCounters(changes: try store.lastChange())
        }
        let text = HealthReport(ofRecord: stored, at: now).metrics(
            ofRecord: stored, at: now, program: program, databaseBytes: DatabasePath.size(of: store.path),
            walBytes: DatabasePath.size(of: store.path + "-wal"), requests: requests.all,
            process: ProcessFigures(of: "self", now: now))
        return Self.unkept(APIAnswer(text, type: MediaType.prometheus))
    }

    // MARK: - Parts

    private static func unkept(_ answer: APIAnswer) -> APIAnswer { answer.with("cache-control", "no-store") }

    /// The facts that are judged.
    private func record(from store: EventStore, now: Date) throws -> HealthFacts.Stored {
        var stored = try HealthFacts.Stored(from: store, at: now)
        stored.sources = try planned(stored.sources, from: store, now: now)
        if !targets.isEmpty { stored.targets = try store.targetStates(of: targets, at: now) }
        // Clients of the API hear names alone.
        for index in stored.targets.indices {
            (stored.targets[index].target, stored.targets[index].trouble.failure) = (stored.targets[index].name, nil)
        }
        return stored
    }

    private func plannedSources(from store: EventStore, now: Date) throws -> [SourceRecord] {
        try planned(try store.sources(), from: store, now: now)
    }

    /// The sources with the due times that a daemon has planned last.
    private func planned(_ sources: [SourceRecord], from store: EventStore, now: Date) throws -> [SourceRecord] {
        let plan = try store.pollPlan()
        return sources.map {
            $0.withoutLostStream(isRunning: true).planned(by: plan, isRunning: true, at: now)
        }
    }
}
