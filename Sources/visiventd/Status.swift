import ArgumentParser
import Control
import Files
import Foundation
import Gazetteer
import Model
import Operations
import Reading
import Store

/// `visiventd status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how the sources and the database are.",
        discussion: """
            NEXT is when a source is due, and WHY why then: interval, back-off after failures, retry-after and rate-limit \
            as the server asked (retry-after for all sources of its host), server-interval, work (documents left to \
            ask), gone (410). Of a stream: stream (it is open, and noted again then), reconnect, spend-cap. Where no \
            daemon runs, a source whose time has passed is due after a start, at its offset. REFUSED and ISSUES count \
            those of the last poll that has read something; of a stream, since it was opened. The lines below name \
            them, and what was refused since the source was added or reset: an item that a feed goes on listing counts \
            at every poll that shows it. visiventd refused NAME lists the last refused items.
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let hints = database.hints
        try await reporting(hints) {
            let (settings, loaded) = try database.load()
            let path = settings.database
            let store = try EventStore(path: path, mode: .readOnly)
            let isRunning = DatabaseLock.isHeldByDaemon(database: path)
            var health = isRunning ? ControlClient.health(at: settings.socket) : DaemonHealth()
            // Without a configuration the path of the socket is a guess.
            if database.database != nil { health.silence = nil }
            let configured = loaded.map { _ in Set(settings.sources.map(\.name)) }
            var caps: [String: Int] = [:]
            for source in loaded ?? [] { caps[source.settings.name] = source.feed.paidReads?.monthlyCap }
            let plan = try isRunning ? store.pollPlan() : nil
            let now = Date()
            let sources = try store.sources().compactMap { source -> SourceRecord? in
                let source = source.knowing(configured, isRunning: isRunning).withoutLostStream(isRunning: isRunning)
                    .planned(by: plan, isRunning: isRunning, at: now)
                    .waiting(
                        until: health.hostPauses[source.name]?.until, for: health.hostPauses[source.name]?.host)
                guard source.isGone(from: configured) else { return source }
                return try store.arrivals(of: source.name, since: .distantPast) > 0 ? source : nil
            }
            let statistics = try store.statistics()
            let queue = try store.queueStatistics(at: Date())
            let usage = try store.providerUsage(at: Date())
            // Without a configuration, services with usage, stored answers or trouble are listed.
            let services =
                try loaded.map { _ in settings.geocoding.plans.map(\.provider) }
                ?? GeocodeProvider.allCases.filter { provider in
                    if usage[provider] != nil || queue.kept[provider] != nil { return true }
                    return try store.trouble(of: provider) != nil
                }
            let locating = PlaceStatus(
                queue: queue, usage: usage, table: Result { try CityTable(path: settings.gazetteer.path) },
                services: services,
                troubles: try services.map { try store.trouble(of: $0) }, hints: hints)
            // Without a daemon no configuration is in force, and the note is of the last one that ran.
            let refused = try isRunning ? store.refusedConfiguration() : nil
            let disk = DiskSpace(free: FreeSpace.bytes(at: path), floor: Int64(settings.disk.minimumFreeBytes))
            let pictures =
                settings.pictures.hosts.isEmpty ? nil : try? settings.pictureStore.statistics(at: now)
            var arrivals: [String: Int] = [:]
            for source in sources where source.isStreaming {
                arrivals[source.name] = try store.arrivals(of: source.name, since: source.lastAttempt ?? .distantPast)
            }
            var output = Output()
            if json {
                output.json(
                    Self.json(
                        sources, configured, statistics, locating, disk, arrivals, refused, pictures, caps,
                        path: path, isRunning: isRunning, health, at: now))
                return output.flush()
            }
            var table = TextTable([
                "SOURCE", "KIND", "LAST SUCCESS", "LAST NEW", "NEXT", "WHY", ">FAILED", ">REFUSED", ">ISSUES",
                "STATE",
            ])
            let unplanned = isRunning ? "not planned" : "after a start"
            for source in sources {
                let state = arrivals[source.name] == nil ? Self.state(source, configured, plan) : ("streaming", "32")
                let cells = [
                    source.name, source.kind, source.lastSuccess?.wholeSeconds ?? "never",
                    source.lastNew?.wholeSeconds ?? "never",
                    source.isEnabled ? source.nextDue?.wholeSeconds ?? unplanned : "",
                    source.dueReason?.rawValue ?? "", "\(source.failures)",
                    "\(source.lastRefused.values.reduce(0, +))",
                    "\(source.issues.numbers.values.reduce(0, +))", state.words,
                ]
                table.add(cells, style: state.style)
            }
            // The lines below show issues and refused items as well.
            let spared = table.spared(["KIND", ">ISSUES", ">REFUSED", "LAST NEW", "WHY"], width: Terminal.width)
            output.table(table.without(spared), width: nil)
            output.line("")
            for source in sources {
                if source.isEnabled, source.failures > 0, let failure = source.lastFailure {
                    let since = source.failingSince.map { " since \($0.wholeSeconds)" } ?? ""
                    output.line("\(source.name): failing\(since): \(hints.completed(failure.description))")
                }
                if let host = source.waitsFor, let due = source.nextDue {
                    output.line("\(source.name): waits for \(host) until \(due.wholeSeconds) (it asked for it)")
                }
                if let count = arrivals[source.name] {
                    output.line(
                        "\(source.name): streaming since \(source.lastAttempt?.wholeSeconds ?? "the start"): "
                            + "\(count.counted("message")), the last \(source.lastNew?.wholeSeconds ?? "never")")
                }
                for shortfall in source.shortfalls where source.isEnabled && shortfall.part != Shortfall.items {
                    output.line(
                        "\(source.name): nothing of \(shortfall.part) since \(shortfall.since.wholeSeconds): "
                            + shortfall.words)
                }
                let told = source.shortfalls.map(\.words)
                for words in source.partialFailures where source.isEnabled && !told.contains(words) {
                    output.line("\(source.name): \(words)")
                }
                if source.isEnabled, let remark = source.remark {
                    output.line("\(source.name): no event, but \(remark)")
                }
                if source.isEnabled, let moved = source.movedTo {
                    output.line("\(source.name): has moved to \(moved); change its url")
                }
                if source.isEnabled, let asked = source.requestedInterval {
                    output.line("\(source.name): the server asks for an interval of \(asked.compact)")
                }
                if let home = source.home.context.code {
                    output.line(
                        "\(source.name): at home in \(home), learned from \(source.home.events.counted("event"))")
                }
                for (provider, claim) in source.unproved.sorted(by: { $0.key < $1.key }) {
                    let items = claim.items.counted("item")
                    output.line("\(source.name): unproved identity: \(items) in the name of \(provider)")
                }
                for (code, count) in source.issues.sorted(by: { $0.key < $1.key }) where source.isEnabled {
                    let sample = count.sample.isEmpty ? "" : ", first at \(count.sample)"
                    output.line("\(source.name): issues: \(code) \(count.items)\(sample)")
                }
                if !source.refused.isEmpty {
                    let last = source.lastRefused.isEmpty ? "nothing" : source.lastRefused.reasons
                    output.line("\(source.name): refused in the last poll: \(last); in all: \(source.refused.reasons)")
                }
                if source.use.total.rows > 0 {
                    output.line("\(source.name): budget: \(source.use.words(at: now))")
                }
                if source.paidReads > 0 {
                    let words = PaidReads.words(source.paidReads, of: caps[source.name])
                    output.line("\(source.name): \(words)")
                }
            }
            output.line(
                "events \(statistics.events), located \(statistics.located), withdrawn \(statistics.withdrawn), "
                    + "waiting for a place \(statistics.waiting), without one \(locating.queue.unresolved)")
            for line in locating.lines { output.line(line) }
            if let pictures { output.line(pictures.words) }
            for target in try store.targetStates(of: settings.tellingPlan.targets.map(\.id), at: Date()) {
                output.line(target.words)
            }
            output.line(
                "database \(path): \(statistics.databaseBytes.asSize()), write-ahead log \(statistics.walBytes.asSize()), "
                    + "last truncation \(statistics.lastTruncation?.wholeSeconds ?? "never")")
            if let words = disk.words { output.line(words) }
            let but = health.pause ?? health.silence.map { "cannot be asked whether it polls: \($0)" }
            output.line(
                isRunning ? "the daemon is running" + (but.map { ", but \($0)" } ?? "") : "the daemon is not running")
            if let error = health.clockError { output.line("the clock is \(ClockError.words(error)): set it") }
            if let refused {
                output.line(
                    "configuration \(refused.words) \(refused.at.wholeSeconds), the one before is in force:")
                for fault in refused.faults { output.line("  \(fault)") }
            }
            output.flush()
        }
    }

    private static func state(
        _ source: SourceRecord, _ configured: Set<String>?, _ plan: PollPlan?
    ) -> (words: String, style: String?) {
        if source.isGone(from: configured) { return ("not configured", "2") }
        if !source.isEnabled { return ("disabled", "2") }
        if source.failures > 0 { return ("failing", "31") }
        if source.waitsFor != nil { return ("waiting", "33") }
        if !source.partialFailures.isEmpty || source.shortfalls.contains(where: { $0.part != Shortfall.items }) {
            return ("partly failing", "33")
        }
        if source.remark != nil { return ("no events", "33") }
        if source.isFirstPolled(since: plan) { return ("being polled", nil) }
        return (source.lastSuccess == nil ? "not polled yet" : "ok", nil)
    }

    private static func json(
        _ sources: [SourceRecord], _ configured: Set<String>?, _ statistics: StoreStatistics, _ locating: PlaceStatus,
        _ disk: DiskSpace, _ arrivals: [String: Int], _ refused: RefusedConfiguration?,
        _ pictures: PictureStatistics?, _ caps: [String: Int], path: String, isRunning: Bool, _ health: DaemonHealth,
        at now: Date
    ) -> String {
        let objects = sources.map { source in
            source.statusJSON(
                at: now, arrivals: arrivals[source.name], isConfigured: configured?.contains(source.name),
                monthlyCap: caps[source.name]
            ) {
                locating.hints.completed($0)
            }
        }
        return JSONWriter.object([
            "running": isRunning, "pause": health.pause, "unreachable": health.silence,
            "clock_server_minus_ours_s": health.clockError, "database": path,
            "database_bytes": Int(statistics.databaseBytes), "wal_bytes": Int(statistics.walBytes),
            "free_bytes": disk.free.map { Int($0) }, "minimum_free_bytes": Int(disk.floor),
            "schema_version": statistics.schemaVersion, "events": statistics.events, "located": statistics.located,
            "withdrawn": statistics.withdrawn, "geocode_queue": statistics.waiting, "locating": locating.json,
            "pictures": pictures?.json, refused?.key ?? "configuration_refused_at": refused?.at.timestamp,
            "configuration_faults": refused?.faults, "last_truncation": statistics.lastTruncation?.timestamp,
            "sources": .array(objects),
        ])
    }
}

/// The free disk space for `status`.
private struct DiskSpace {
    /// Free bytes; nil if unknown.
    let free: Int64?
    let floor: Int64

    var words: String? {
        guard let free else { return nil }
        let size = free.asSize()
        if free < floor { return "disk: \(size) free, below the floor of \(floor.asSize()): polls pause" }
        guard free < 2 * floor else { return "disk: \(size) free" }
        return "disk: \(size) free, below twice the floor of \(floor.asSize()): no paid reads"
    }
}

/// The state of locating for `status`.
private struct PlaceStatus {
    let queue: QueueStatistics
    let usage: [GeocodeProvider: ProviderUsage]
    let table: Result<CityTable, any Error>
    /// Services in configured order; without a configuration, those with usage, stored answers or trouble.
    let services: [GeocodeProvider]
    /// Why each service is not asked at present; nil if it is.
    let troubles: [String?]
    let hints: Hints

    var lines: [String] {
        var lines: [String] = []
        switch table {
        case .success(let table):
            lines.append(
                "city table \(table.path): \(table.cityCount.counted("city", "cities")), "
                    + "seeded \(table.seeded.wholeSeconds), generation \(table.generation)")
        case .failure(let error): lines.append(hints.completed("\(error)"))
        }
        let questions = queue.asked > 0 ? " (\(queue.jobs.counted("question")))" : ""
        lines.append(
            "geocode queue: \(queue.new) to look up, \(queue.asked) waiting for services\(questions), "
                + "\(queue.unresolved) unresolved")
        for (provider, trouble) in zip(services, troubles) {
            if let trouble {
                let reason = hints.completed(trouble)
                lines.append(Terminal.safe("\(provider.rawValue): not asked at present: \(reason)"))
            }
            let used = usage[provider] ?? ProviderUsage()
            let kept = queue.kept[provider] ?? QueueStatistics.Kept()
            lines.append(
                "\(provider.rawValue): \(used.today.counted("request")) today, \(used.thisMonth) this month, last "
                    + "\(used.lastRequest?.wholeSeconds ?? "never"); kept: \(kept.places.counted("place")), "
                    + kept.misses.counted("miss", "misses")
            )
        }
        return lines
    }

    var json: RawJSON {
        var object = JSONWriter()
        switch table {
        case .success(let table):
            object.add([
                "table": table.path, "generation": table.generation, "cities": table.cityCount,
                "seeded": table.seeded.timestamp,
            ])
        case .failure(let error): object.add(["table_error": hints.completed("\(error)")])
        }
        let figures = zip(services, troubles).map { provider, trouble -> (String, any JSONMember) in
            let used = usage[provider] ?? ProviderUsage()
            let kept = queue.kept[provider] ?? QueueStatistics.Kept()
            let figures = RawJSON.object([
                "requests_today": used.today, "requests_this_month": used.thisMonth,
                "last_request": used.lastRequest?.timestamp, "kept_places": kept.places, "kept_misses": kept.misses,
                "trouble": trouble.map { hints.completed($0) },
            ])
            return (provider.rawValue, figures)
        }
        object.add([
            "new": queue.new, "asked": queue.asked, "questions": queue.jobs, "unresolved": queue.unresolved,
            "services": .object(of: figures),
        ])
        return .raw(object.finish())
    }
}

extension PictureStatistics {
    /// The most frequent first.
    private var sortedReasons: [(reason: String, count: Int)] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    fileprivate var words: String {
        let counts = sortedReasons.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")
        return "pictures: \(kept) of \(named.counted("link")) kept, \(bytes.asSize()), \(waiting) not asked yet, "
            + "\(failed) without a picture at the last request"
            + (counts.isEmpty ? "" : " (\(counts))")
            + "; \(requestsToday.counted("request")) today"
    }

    fileprivate var json: RawJSON {
        .object([
            "links": named, "kept": kept, "bytes": Int(bytes), "not_asked": waiting, "failed": failed,
            "failed_reasons": .object(of: sortedReasons.map { ($0.reason, $0.count) }), "requests_today": requestsToday,
        ])
    }
}

extension RefusedConfiguration {
    /// The key of its time in JSON.
    fileprivate var key: String {
        switch obstacle {
        case .faults: "configuration_refused_at"
        case .gone: "configuration_gone_since"
        case .unread: "configuration_unread_since"
        case .unstored: "configuration_unstored_since"
        }
    }
}
