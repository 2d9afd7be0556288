import Feeds
package import Foundation
import Model
import Settings
import Store

private typealias Sample = PrometheusText.Sample

extension HealthReport {
    /// The report and its facts as metrics (text exposition format 0.0.4), each line with its line feed, for the
    /// textfile collector of the node exporter; docs/operations.md lists them.
    /// - Parameters:
    ///   - facts: The facts that the report was made of.
    ///   - program: The program's version.
    public func metrics(of facts: HealthFacts, program: String) -> String {
        var text = PrometheusText()
        addProgram(program, to: &text)
        addChecks(to: &text)
        // Nothing else is known.
        guard !facts.settings.database.isEmpty else { return text.text }
        text.gauge("visiventd_up", "Whether a daemon works on the database.", value: facts.isRunning == true ? 1 : 0)
        if case .success(let stored) = facts.stored { addSources(of: stored, at: facts.now, to: &text) }
        text.gauge(
            "visiventd_disk_free_bytes", "Free space in the folder of the database.",
            value: facts.freeBytes.map { Double($0) })
        text.gauge(
            "visiventd_disk_free_floor_bytes", "Free space that the folder of the database needs.",
            value: Double(facts.freeBytesFloor))
        if let process = facts.process { add(process, of: "visiventd_process", to: &text) }
        text.gauge(
            "visiventd_last_backup_timestamp_seconds", "When the newest backup was written.",
            value: facts.backup?.made.timeIntervalSince1970)
        text.gauge(
            "visiventd_last_backup_size_bytes", "Size of the newest backup.",
            value: facts.backup.map { Double($0.bytes) })
        addLimits(of: facts.settings, to: &text)
        guard case .success(let stored) = facts.stored else { return text.text }
        addRecord(stored, databaseBytes: facts.databaseBytes, walBytes: facts.walBytes, to: &text)
        addTargets(of: stored, to: &text)
        return text.text
    }

    /// The same of a report that was made of the database alone: without what only the configuration, the daemon or its
    /// disk tells.
    /// - Parameters:
    ///   - stored: The facts that the report was made of.
    ///   - now: Wall time, for what was added today.
    ///   - program: The program's version.
    ///   - databaseBytes: The size of the database.
    ///   - walBytes: The size of the write-ahead log.
    ///   - requests: The answers of this process, by status; none by default.
    ///   - process: What this process uses; nil, the default: not told.
    package func metrics(
        ofRecord stored: HealthFacts.Stored, at now: Date, program: String, databaseBytes: Int64, walBytes: Int64,
        requests: [Int: Int] = [:], process: ProcessFigures? = nil
    ) -> String {
        var text = PrometheusText()
        addProgram(program, to: &text)
        addChecks(to: &text)
        addSources(of: stored, at: now, to: &text)
        addRecord(stored, databaseBytes: databaseBytes, walBytes: walBytes, to: &text)
        addTargets(of: stored, to: &text)
        text.counter(
            "visiventd_serve_requests_total", "Requests that this service has answered, by status.",
            requests.sorted { $0.key < $1.key }.map {
                Sample(Double($0.value), ("code", "\($0.key)"))
            })
        // The names that clients of Prometheus use for their own process.
        if let process { add(process, of: "process", to: &text) }
        return text.text
    }

    // MARK: - Parts

    private func add(_ process: ProcessFigures, of name: String, to text: inout PrometheusText) {
        text.counter(
            "\(name)_cpu_seconds_total", "Processor time of the process.", [Sample(process.processorSeconds)])
        text.gauge(
            "\(name)_resident_memory_bytes", "Resident memory of the process.", value: Double(process.residentBytes))
        text.gauge(
            "\(name)_start_time_seconds", "When the process was started.",
            value: process.started.timeIntervalSince1970)
        text.gauge("\(name)_open_fds", "Open files of the process.", value: process.openFiles.map { Double($0) })
    }

    /// What the configuration allows services and paid reads.
    private func addLimits(of settings: Settings, to text: inout PrometheusText) {
        func samples(_ quota: (ProviderPlan) -> Int?) -> [Sample] {
            settings.geocoding.plans.compactMap { plan in
                quota(plan).map { Sample(Double($0), ("service", plan.provider.rawValue)) }
            }
        }
        text.gauge(
            "visiventd_geocode_limit_requests_day", "Requests that a service may get in a day (UTC).",
            samples { $0.dailyQuota })
        text.gauge(
            "visiventd_geocode_limit_requests_month", "Requests that a service may get in a calendar month (UTC).",
            samples { $0.monthlyQuota })
        text.gauge(
            "visiventd_source_paid_reads_limit", "Paid reads that a source may make in a calendar month (UTC).",
            settings.sources.filter(\.isEnabled).compactMap { source in
                // A source that the daemon would refuse has no cap.
                guard let feed = try? FeedRegistry.feed(for: source), let cap = feed.paidReads?.monthlyCap else {
                    return nil
                }
                return Sample(Double(cap), ("source", source.name))
            })
    }

    private func addProgram(_ version: String, to text: inout PrometheusText) {
        text.gauge(
            "visiventd_build_info", "The version of the program that tells these metrics; always 1.",
            [Sample(1, ("version", version))])
    }

    private func addChecks(to text: inout PrometheusText) {
        text.gauge(
            "visiventd_check_status", "What came of a check: 0 ok, 1 warning, 2 failed, 3 unknown.",
            verdicts.filter { $0.check != .source }.sorted { $0.check.rawValue < $1.check.rawValue }.map {
                Sample(Double($0.level.rawValue), ("check", $0.check.rawValue))
            })
    }

    private func addRecord(
        _ stored: HealthFacts.Stored, databaseBytes: Int64, walBytes: Int64, to text: inout PrometheusText
    ) {
        text.gauge("visiventd_database_size_bytes", "Size of the database file.", value: Double(databaseBytes))
        text.gauge("visiventd_wal_size_bytes", "Size of the write-ahead log.", value: Double(walBytes))
        text.gauge(
            "visiventd_last_truncation_timestamp_seconds", "When expired events were last removed.",
            value: stored.lastTruncation?.timeIntervalSince1970)
        text.gauge(
            "visiventd_geocode_new_events", "Events that the city table has not looked at.",
            value: Double(stored.queue.newEvents))
        text.gauge(
            "visiventd_geocode_waiting_questions", "Questions about places that wait for a service.",
            value: Double(stored.queue.waitingQuestions))
        func used(_ number: (ProviderUsage) -> Double?) -> [Sample] {
            stored.usage.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, usage in
                number(usage).map { Sample($0, ("service", provider.rawValue)) }
            }
        }
        text.gauge(
            "visiventd_geocode_last_request_timestamp_seconds", "When a service was last asked.",
            used { $0.lastRequest?.timeIntervalSince1970 })
        text.gauge(
            "visiventd_geocode_requests_day", "Requests that a service has got today (UTC).", used { Double($0.today) })
        text.gauge(
            "visiventd_geocode_requests_month", "Requests that a service has got in this calendar month (UTC).",
            used { Double($0.thisMonth) })
        text.gauge(
            "visiventd_configuration_last_reload_successful",
            "Whether the configuration that was read last is in force; 0: it was refused.",
            value: stored.hasRefusedConfiguration ? 0 : 1)
        if let counters = stored.counters {
            text.gauge(
                "visiventd_events", "Events that are stored.",
                counters.events.sorted { $0.key < $1.key }.map {
                    Sample(Double($0.value), ("category", $0.key))
                })
            text.counter(
                "visiventd_changes_total", "Visible changes of events.", [Sample(Double(counters.changes))])
        }
    }

    private func addSources(of stored: HealthFacts.Stored, at now: Date, to text: inout PrometheusText) {
        let judged = verdicts.filter { $0.check == .source }.sorted { $0.source ?? "" < $1.source ?? "" }
        text.gauge(
            "visiventd_source_status", "What came of the check of an enabled source: 0 ok, 1 warning.",
            judged.map { Sample(Double($0.level.rawValue), ("source", $0.source ?? "")) })
        text.gauge(
            "visiventd_source_late_timestamp_seconds",
            "From when on an enabled source counts as late, if it is not polled with success before.",
            judged.compactMap { verdict in
                verdict.lateFrom.map { Sample($0.timeIntervalSince1970, ("source", verdict.source ?? "")) }
            })
        let names = Set(judged.compactMap(\.source))
        let records = stored.sources.filter { names.contains($0.name) }
        func each(_ value: (SourceRecord) -> Double?) -> [Sample] {
            records.compactMap { record in value(record).map { Sample($0, ("source", record.name)) } }
        }
        text.gauge(
            "visiventd_source_last_success_timestamp_seconds", "When a source was last polled with success.",
            each { $0.lastSuccess?.timeIntervalSince1970 })
        text.gauge(
            "visiventd_source_last_attempt_timestamp_seconds", "When a source was last polled.",
            each { $0.lastAttempt?.timeIntervalSince1970 })
        text.gauge(
            "visiventd_source_last_new_timestamp_seconds", "When a poll of a source last brought a new event.",
            each { $0.lastNew?.timeIntervalSince1970 })
        text.gauge(
            "visiventd_source_next_poll_timestamp_seconds", "When a source is due next.",
            each { $0.nextDue?.timeIntervalSince1970 })
        text.gauge(
            "visiventd_source_failures", "Polls of a source that have failed in a row.",
            each { Double($0.failures) })
        text.gauge(
            "visiventd_source_shortfalls", "Parts of a source that bring nothing although its polls succeed.",
            each { Double($0.shortfalls.count) })
        func counts(_ counts: [String: Int]?) -> [Sample] { each { counts?[$0.name].map { Double($0) } } }
        text.gauge(
            "visiventd_source_events", "Stored events that a source has shown.", counts(stored.counters?.shown))
        text.counter(
            "visiventd_source_polls_total", "Polls of a source that have begun.", counts(stored.counters?.polls))
        text.counter(
            "visiventd_source_failed_polls_total", "Polls of a source that have failed.",
            counts(stored.counters?.failedPolls))
        text.counter(
            "visiventd_source_poll_seconds_total", "Time that polls of a source have taken.",
            each { stored.counters?.pollTime[$0.name]?.seconds })
        text.counter(
            "visiventd_source_received_bytes_total", "Bytes that polls of a source have received, as transferred.",
            counts(stored.counters?.receivedBytes))
        text.gauge(
            "visiventd_source_paid_reads", "Paid reads of a source in this calendar month (UTC).",
            each { $0.paidReads > 0 ? Double($0.paidReads) : nil })
        addUse(of: records, at: now, to: &text)
        func divided(_ label: String, _ counts: (SourceRecord) -> [String: Int]) -> [Sample] {
            records.flatMap { record in
                counts(record).sorted { $0.key < $1.key }.map {
                    Sample(Double($0.value), ("source", record.name), (label, $0.key))
                }
            }
        }
        text.counter(
            "visiventd_source_refused_items_total", "Items of a source that were not taken.",
            divided("reason") { $0.refused })
        text.gauge(
            "visiventd_source_issues", "Issues of a source's documents in the last poll that has read something.",
            divided("code") { $0.issues.numbers })
    }

    /// What sources have used of their budgets, and the budgets.
    private func addUse(of records: [SourceRecord], at now: Date, to text: inout PrometheusText) {
        func add(_ name: String, _ help: String, _ amount: (SourceUse) -> StoredAmount) {
            func samples(_ number: (StoredAmount) -> Int) -> [Sample] {
                records.map { Sample(Double(number(amount($0.use))), ("source", $0.name)) }
            }
            text.gauge("visiventd_source_\(name)_rows", "Rows that \(help)", samples { $0.rows })
            text.gauge("visiventd_source_\(name)_bytes", "Bytes that \(help)", samples { $0.bytes })
        }
        add("stored", "a source has in the database.") { $0.total }
        add("stored_limit", "a source may have in the database.") { $0.budget.total }
        add("today", "a source has added today (UTC).") { $0.today(at: now) }
        add("today_limit", "a source may add in a day (UTC).") { $0.budget.daily }
    }
}
