package import Foundation
import Model
import Store

private typealias Sample = PrometheusText.Sample

extension HealthReport {
    /// The report and its facts as metrics (text exposition format 0.0.4), each line with its line feed, for the
    /// textfile collector of the node exporter; docs/operations.md lists them.
    /// - Parameter facts: The facts that the report was made of.
    public func metrics(of facts: HealthFacts) -> String {
        var text = PrometheusText()
        addProgram(Version.current, to: &text)
        text.gauge("visiventd_up", "Whether a daemon works on the database.", value: facts.isRunning == true ? 1 : 0)
        addChecks(to: &text)
        if case .success(let stored) = facts.stored { addSources(of: stored, at: facts.now, to: &text) }
        text.gauge(
            "visiventd_disk_free_bytes", "Free space in the folder of the database.",
            value: facts.freeBytes.map { Double($0) })
        text.gauge(
            "visiventd_disk_free_floor_bytes", "Free space that the folder of the database needs.",
            value: Double(facts.freeBytesFloor))
        guard case .success(let stored) = facts.stored else { return text.text }
        addRecord(stored, databaseBytes: facts.databaseBytes, walBytes: facts.walBytes, to: &text)
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
    package func metrics(
        ofRecord stored: HealthFacts.Stored, at now: Date, program: String, databaseBytes: Int64, walBytes: Int64
    ) -> String {
        var text = PrometheusText()
        addProgram(program, to: &text)
        addChecks(to: &text)
        addSources(of: stored, at: now, to: &text)
        addRecord(stored, databaseBytes: databaseBytes, walBytes: walBytes, to: &text)
        return text.text
    }

    // MARK: - Parts

    private func addProgram(_ version: String, to text: inout PrometheusText) {
        text.gauge(
            "visiventd_build_info", "The version of the program that tells these metrics; always 1.",
            [Sample(1, labels: [(name: "version", value: version)])])
    }

    private func addChecks(to text: inout PrometheusText) {
        text.gauge(
            "visiventd_check_status", "What came of a check: 0 ok, 1 warning, 2 failed.",
            verdicts.filter { $0.check != .source }.sorted { $0.check.rawValue < $1.check.rawValue }.map {
                Sample(Double($0.level.rawValue), labels: [(name: "check", value: $0.check.rawValue)])
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
        text.gauge(
            "visiventd_geocode_last_request_timestamp_seconds", "When a service was last asked.",
            stored.usage.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, usage in
                usage.lastRequest.map {
                    Sample($0.timeIntervalSince1970, labels: [(name: "service", value: provider.rawValue)])
                }
            })
        if let counters = stored.counters {
            text.gauge(
                "visiventd_events", "Events that are stored.",
                counters.events.sorted { $0.key < $1.key }.map {
                    Sample(Double($0.value), labels: [(name: "category", value: $0.key)])
                })
            text.counter(
                "visiventd_changes_total", "Visible changes of events.", [Sample(Double(counters.changes))])
        }
    }

    private func addSources(of stored: HealthFacts.Stored, at now: Date, to text: inout PrometheusText) {
        let judged = verdicts.filter { $0.check == .source }.sorted { $0.source ?? "" < $1.source ?? "" }
        text.gauge(
            "visiventd_source_status", "What came of the check of an enabled source: 0 ok, 1 warning.",
            judged.map { Sample(Double($0.level.rawValue), labels: [(name: "source", value: $0.source ?? "")]) })
        text.gauge(
            "visiventd_source_late_timestamp_seconds",
            "From when on an enabled source counts as late, if it is not polled with success before.",
            samples(judged.compactMap { verdict in verdict.lateFrom.map { (source: verdict.source ?? "", at: $0) } }))
        let names = Set(judged.compactMap(\.source))
        let records = stored.sources.filter { names.contains($0.name) }
        func times(_ date: (SourceRecord) -> Date?) -> [Sample] {
            samples(records.compactMap { record in date(record).map { (source: record.name, at: $0) } })
        }
        text.gauge(
            "visiventd_source_last_success_timestamp_seconds", "When a source was last polled with success.",
            times { $0.lastSuccess })
        text.gauge(
            "visiventd_source_last_attempt_timestamp_seconds", "When a source was last polled.",
            times { $0.lastAttempt })
        text.gauge(
            "visiventd_source_last_new_timestamp_seconds", "When a poll of a source last brought a new event.",
            times { $0.lastNew })
        text.gauge(
            "visiventd_source_next_poll_timestamp_seconds", "When a source is due next.", times { $0.nextDue })
        text.gauge(
            "visiventd_source_failures", "Polls of a source that have failed in a row.",
            records.map { Sample(Double($0.failures), labels: [(name: "source", value: $0.name)]) })
        func counts(_ counts: [String: Int]?) -> [Sample] {
            records.compactMap { record in
                counts?[record.name].map { Sample(Double($0), labels: [(name: "source", value: record.name)]) }
            }
        }
        text.gauge(
            "visiventd_source_events", "Stored events that a source has shown.", counts(stored.counters?.shown))
        text.counter(
            "visiventd_source_polls_total", "Polls of a source that have begun.", counts(stored.counters?.polls))
        addUse(of: records, at: now, to: &text)
        text.counter(
            "visiventd_source_refused_items_total", "Items of a source that were not taken.",
            records.flatMap { record in
                record.refused.sorted { $0.key < $1.key }.map {
                    Sample(
                        Double($0.value),
                        labels: [(name: "source", value: record.name), (name: "reason", value: $0.key)])
                }
            })
        text.gauge(
            "visiventd_source_issues", "Issues of a source's documents in the last poll that has read something.",
            records.flatMap { record in
                record.issues.numbers.sorted { $0.key < $1.key }.map {
                    Sample(
                        Double($0.value), labels: [(name: "source", value: record.name), (name: "code", value: $0.key)])
                }
            })
    }

    /// What sources have used of their budgets, and the budgets.
    private func addUse(of records: [SourceRecord], at now: Date, to text: inout PrometheusText) {
        func add(_ name: String, _ help: String, _ amount: (SourceUse) -> StoredAmount) {
            func samples(_ number: (StoredAmount) -> Int) -> [Sample] {
                records.map { Sample(Double(number(amount($0.use))), labels: [(name: "source", value: $0.name)]) }
            }
            text.gauge("visiventd_source_\(name)_rows", "Rows that \(help)", samples { $0.rows })
            text.gauge("visiventd_source_\(name)_bytes", "Bytes that \(help)", samples { $0.bytes })
        }
        add("stored", "a source has in the database.") { $0.total }
        add("stored_limit", "a source may have in the database.") { $0.budget.total }
        add("today", "a source has added today (UTC).") { $0.today(at: now) }
        add("today_limit", "a source may add in a day (UTC).") { $0.budget.daily }
    }

    private func samples(_ times: [(source: String, at: Date)]) -> [Sample] {
        times.map { Sample($0.at.timeIntervalSince1970, labels: [(name: "source", value: $0.source)]) }
    }
}
