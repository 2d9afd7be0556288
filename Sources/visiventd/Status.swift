import ArgumentParser
import Daemon
import Foundation
import Gazetteer
import Model
import Reading
import Store

/// `visiventd status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how the sources and the database are.",
        discussion: """
            NEXT is when a source is due and why then: interval, back-off after failures, retry-after and rate-limit as \
            the server asked, server-interval, work (documents left to ask), gone (410). REFUSED counts items since the \
            source was added or reset; one that a feed goes on listing counts at every poll that shows it.
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        try await reporting {
            let settings = try database.settings()
            let path = settings.database
            let store = try EventStore(path: path, mode: .readOnly)
            let sources = try store.sources()
            let statistics = try store.statistics()
            let locating = Locating(
                queue: try store.queueStatistics(at: Date()), usage: try store.providerUsage(at: Date()),
                table: Result { try CityTable(path: settings.table) }, services: settings.services,
                troubles: try settings.services.map { try store.trouble(of: $0) })
            let isRunning = DatabaseLock.isHeld(database: path)
            if json { return print(Self.json(sources, statistics, locating, path: path, isRunning: isRunning)) }
            var output = Output()
            var table = TextTable([
                "SOURCE", "KIND", "LAST SUCCESS", "LAST NEW", "NEXT", "WHY", ">FAILED", ">REFUSED", "STATE",
            ])
            for source in sources {
                table.add([
                    source.name, source.kind, source.lastSuccess?.wholeSeconds ?? "never",
                    source.lastNew?.wholeSeconds ?? "never",
                    source.isEnabled ? source.nextDue?.wholeSeconds ?? "at start" : "",
                    source.isEnabled ? source.dueReason ?? "" : "", "\(source.failures)",
                    "\(source.refused.values.reduce(0, +))", Self.state(source),
                ])
            }
            for line in table.lines(width: nil) { output.line(line) }
            output.line("")
            for source in sources {
                if source.failures > 0, let failure = source.lastFailure {
                    let since = source.failingSince.map { " since \($0.wholeSeconds)" } ?? ""
                    output.line("\(source.name): failing\(since): \(Terminal.safe(failure.description))")
                }
                for words in source.partialFailures { output.line("\(source.name): \(Terminal.safe(words))") }
                if let moved = source.movedTo {
                    output.line("\(source.name): has moved to \(Terminal.safe(moved)); change its url")
                }
                if let asked = source.requestedInterval {
                    output.line("\(source.name): the server asks for an interval of \(asked.compact)")
                }
                if !source.refused.isEmpty {
                    let reasons = source.refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                    output.line("\(source.name): refused: \(reasons.joined(separator: ", "))")
                }
                if source.paidReads > 0 { output.line("\(source.name): \(source.paidReads) paid reads this month") }
            }
            output.line(
                "events \(statistics.events), located \(statistics.located), withdrawn \(statistics.withdrawn), "
                    + "waiting for a place \(statistics.waiting), without one \(locating.queue.unresolved)")
            for line in locating.lines { output.line(line) }
            output.line(
                "database \(path): \(Terminal.size(statistics.databaseBytes)), write-ahead log \(Terminal.size(statistics.walBytes)), "
                    + "last truncation \(statistics.lastTruncation?.wholeSeconds ?? "never")")
            output.line(isRunning ? "the daemon is running" : "the daemon is not running")
            output.flush()
        }
    }

    private static func state(_ source: SourceRecord) -> String {
        if !source.isEnabled { return Terminal.styled("disabled", "2") }
        if source.failures > 0 { return Terminal.styled("failing", "31") }
        if !source.partialFailures.isEmpty { return Terminal.styled("partly failing", "33") }
        return source.lastSuccess == nil ? "not polled yet" : "ok"
    }

    private static func json(
        _ sources: [SourceRecord], _ statistics: StoreStatistics, _ locating: Locating, path: String, isRunning: Bool
    ) -> String {
        var document = JSONWriter()
        document.member("running", isRunning)
        document.member("database", path)
        document.member("database_bytes", Int(statistics.databaseBytes))
        document.member("wal_bytes", Int(statistics.walBytes))
        document.member("schema_version", statistics.schemaVersion)
        document.member("events", statistics.events)
        document.member("located", statistics.located)
        document.member("withdrawn", statistics.withdrawn)
        document.member("geocode_queue", statistics.waiting)
        document.member("locating", raw: locating.json)
        document.member("last_truncation", statistics.lastTruncation?.rfc3339)
        document.member("sources", raw: "[" + sources.map(json).joined(separator: ",") + "]")
        return document.finish()
    }

    private static func json(_ source: SourceRecord) -> String {
        var object = JSONWriter()
        object.member("name", source.name)
        object.member("kind", source.kind)
        object.member("enabled", source.isEnabled)
        object.member("last_success", source.lastSuccess?.rfc3339)
        object.member("last_attempt", source.lastAttempt?.rfc3339)
        object.member("last_new", source.lastNew?.rfc3339)
        object.member("next_due", source.nextDue?.rfc3339)
        object.member("due_reason", source.dueReason)
        object.member("failures", source.failures)
        object.member("failing_since", source.failingSince?.rfc3339)
        if let failure = source.lastFailure {
            object.member("last_failure_at", source.lastFailureAt?.rfc3339)
            object.member("last_failure", failure.message)
            object.member("last_failure_code", failure.code)
            object.member("last_failure_fault", failure.fault.rawValue)
        }
        object.member("partial_failures", source.partialFailures)
        object.member("moved_to", source.movedTo)
        object.member("requested_interval_s", source.requestedInterval?.seconds)
        var refused = JSONWriter()
        for (reason, count) in source.refused.sorted(by: { $0.key < $1.key }) { refused.member(reason, count) }
        object.member("refused", raw: refused.finish())
        object.member("paid_reads_this_month", source.paidReads)
        return object.finish()
    }
}

/// What status says of finding places.
private struct Locating {
    let queue: QueueStatistics
    let usage: [GeocodeProvider: ProviderUsage]
    let table: Result<CityTable, any Error>
    /// Services in configured order.
    let services: [GeocodeProvider]
    /// Why each of them is not asked at present.
    let troubles: [String?]

    var lines: [String] {
        var lines: [String] = []
        switch table {
        case .success(let table):
            lines.append(
                "city table \(table.path): \(table.cityCount) cities, seeded \(table.seeded.wholeSeconds), "
                    + "generation \(table.generation)")
        case .failure(let error): lines.append("\(error)")
        }
        lines.append(
            "geocode queue: \(queue.new) to look up, \(queue.asked) waiting for \(queue.jobs) answers of services, "
                + "\(queue.unresolved) unresolved")
        for (provider, trouble) in zip(services, troubles) {
            if let trouble { lines.append(Terminal.safe("\(provider.rawValue): not asked at present: \(trouble)")) }
            let used = usage[provider] ?? ProviderUsage()
            let kept = queue.kept[provider] ?? QueueStatistics.Kept()
            lines.append(
                "\(provider.rawValue): \(used.today) requests today, \(used.thisMonth) this month, last "
                    + "\(used.lastRequest?.wholeSeconds ?? "never"); kept: \(kept.places) places, \(kept.misses) misses"
            )
        }
        return lines
    }

    var json: String {
        var object = JSONWriter()
        switch table {
        case .success(let table):
            object.member("table", table.path)
            object.member("generation", table.generation)
            object.member("cities", table.cityCount)
            object.member("seeded", table.seeded.rfc3339)
        case .failure(let error): object.member("table_error", "\(error)")
        }
        object.member("new", queue.new)
        object.member("asked", queue.asked)
        object.member("questions", queue.jobs)
        object.member("unresolved", queue.unresolved)
        var providers = JSONWriter()
        for (provider, trouble) in zip(services, troubles) {
            let used = usage[provider] ?? ProviderUsage()
            let kept = queue.kept[provider] ?? QueueStatistics.Kept()
            var figures = JSONWriter()
            figures.member("requests_today", used.today)
            figures.member("requests_this_month", used.thisMonth)
            figures.member("last_request", used.lastRequest?.rfc3339)
            figures.member("kept_places", kept.places)
            figures.member("kept_misses", kept.misses)
            figures.member("trouble", trouble)
            providers.member(provider.rawValue, raw: figures.finish())
        }
        object.member("services", raw: providers.finish())
        return object.finish()
    }
}
