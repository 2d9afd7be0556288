import Engine
import Foundation
import Model

// Another configuration while the daemon runs: promises 6 and 11.
extension Oracle {
    /// What a reload must leave alone.
    struct Schedule {
        /// A request under way.
        struct Request: Hashable {
            var id: FetchID
            var source: String
        }

        /// The sources in force.
        var names: Set<String>
        /// When those that are not being polled are due, as uptime.
        var dues: [String: Duration]
        var requests: Set<Request>
    }

    /// A configuration that was read and may come into force.
    struct Reload {
        var settings: [SourceSettings]
        /// Sources whose secrets are missing in it.
        var lacking: Set<String>
        /// The sources that it concerns, and what is due and under way when it is read.
        var concerned: Set<String>
        var before: Schedule
    }

    /// How long a configuration may wait for its secrets.
    private static let patience = Duration.seconds(60)
    /// How late it may come into force where nothing but its secrets is in its way.
    private static let reloadTolerance = Duration.seconds(61)

    /// A life begins with a configuration in which the secrets of some sources are missing.
    func beginReloading(lacking names: Set<String>) {
        reload = nil
        lacking = names
        waitsSince = nil
        unstored = .zero
    }

    // MARK: - Reading and coming into force

    /// The configuration is read: what was read before may not come into force any more.
    func reads(_ reading: ConfigurationReading, by daemon: InProcessDaemon, at now: Moment) throws {
        reload = nil
        var draft: ConfigurationDraft?
        switch reading.outcome {
        case .good(let good):
            draft = good
            waitsSince = good.unread.isSubset(of: lacking) ? nil : waitsSince ?? now.uptime
        case .unchanged(let kept): draft = kept
        case .refused, .unread: waitsSince = nil
        }
        guard let draft else { return trace.note(elapsed(now), "read nothing that may come into force") }
        let settings = draft.configuration.sources.map(\.settings)
        let concerned = concerned(by: settings).union(lacking.symmetricDifference(draft.unread))
        trace.note(elapsed(now), "read what concerns \(concerned.sorted()), without \(draft.unread.sorted())")
        reload = Reload(
            settings: settings, lacking: draft.unread, concerned: concerned, before: Schedule(daemon))
    }

    /// What was read is in force, or is not.
    func reloaded(_ report: ReloadReport, by daemon: InProcessDaemon, at now: Moment) throws {
        trace.note(elapsed(now), "reload for \(report.cause.rawValue): \(report.outcome)")
        let (concerned, before) = (reload?.concerned ?? [], reload?.before ?? Schedule(daemon))
        var disturbed = concerned.filter { before.dues[$0] == nil }
        switch report.outcome {
        case .inForce:
            guard let reload else { throw broken(11, "a configuration is in force that was not read", at: now) }
            disturbed = concerned
            lacking = reload.lacking
            waitsSince = nil
            faults.hit(report.cause == .edit ? .editReload : .reload)
        case .refused: faults.hit(report.cause == .removal ? .fileGone : .reloadRefused)
        case .unread:
            faults.hit(.secretUnread)
            if let since = waitsSince, now.uptime - since >= Self.patience {
                throw broken(11, "a configuration waits for its secrets for more than a minute", at: now)
            }
        case .failed: faults.hit(.reloadFailed)
        }
        reload = nil
        // Where nothing has come into force, only the polls that were cut short have another time.
        try checkReload(from: before, to: Schedule(daemon), sparing: disturbed, at: now)
    }

    /// A good file is in force in time, however often it was tried, and so are the secrets that can be read.
    func checkConfiguration(_ file: ScriptedConfiguration, at now: Moment) throws {
        guard now.uptime > max(file.changed, unstored, resumed) + Self.reloadTolerance else { return }
        if case .good(let settings) = file.content {
            let late = concerned(by: settings)
            guard late.isEmpty else {
                throw broken(11, "what the file says of \(late.sorted()) is not in force", at: now)
            }
        }
        let late = lacking.subtracting(file.withheld)
        guard late.isEmpty else {
            throw broken(11, "secrets of \(late.sorted()) can be read again and are not used", at: now)
        }
    }

    // MARK: - What it means for the sources

    /// The sources that a configuration adds, changes or removes.
    func concerned(by settings: [SourceSettings]) -> Set<String> {
        var names = Set(sources.filter { $0.value.isConfigured }.keys)
        for source in settings {
            if let known = sources[source.name], known.isConfigured, known.settings == source {
                names.remove(source.name)
            } else {
                names.insert(source.name)
            }
        }
        return names
    }

    /// The configuration is stored, and from now on in force.
    func reconfigured(_ settings: [SourceSettings], _ records: [SourceRecord], at now: Moment) {
        let concerned = concerned(by: settings)
        let renewed = lacking.symmetricDifference(reload?.lacking ?? lacking)
        for name in renewed.subtracting(concerned) {
            // Neither does a back-off outlive the secrets that it was about.
            guard let source = sources[name], source.pollBegan == nil,
                records.contains(where: { $0.name == name && $0.failures > 0 })
            else { continue }
            sources[name]?.due = min(source.due, now.uptime + source.settings.offset)
        }
        for name in concerned {
            guard let configured = settings.first(where: { $0.name == name }) else {
                sources[name]?.isConfigured = false
                sources[name]?.pollBegan = nil
                continue
            }
            let record = records.first { $0.name == name }
            let isKnown = sources[name]?.isConfigured == true
            var source = sources[name] ?? Source(settings: configured, due: .zero)
            // It keeps its time, and a poll that is cut short begins again at once.
            let kept = source.pollBegan == nil ? max(source.due, now.uptime) : now.uptime
            source.due = firstDue(configured, record, at: now)
            if isKnown, source.settings.isEnabled { source.due = min(source.due, kept) }
            // A back-off does not outlive the question that it is about.
            let isOther = !asksTheSame(source.settings, configured) || renewed.contains(name)
            if isKnown, (record?.failures ?? 0) > 0, isOther {
                source.due = min(source.due, now.uptime + configured.offset)
            }
            source.settings = configured
            source.isConfigured = true
            source.pollBegan = nil
            sources[name] = source
        }
    }

    /// The configuration could not be stored: the polls it would have ended are cut short all the same, and begin again at
    /// once.
    func notReconfigured(_ settings: [SourceSettings], at now: Moment) {
        unstored = now.uptime
        for name in concerned(by: settings) {
            guard sources[name]?.pollBegan != nil else { continue }
            sources[name]?.pollBegan = nil
            sources[name]?.due = now.uptime
        }
    }

    private func asksTheSame(_ one: SourceSettings, _ other: SourceSettings) -> Bool {
        one.url == other.url && one.identity == other.identity && one.filter == other.filter
            && one.options == other.options
    }

    /// A reload has disturbed nobody.
    /// - Parameter names: Sources that it may have disturbed.
    func checkReload(from before: Schedule, to after: Schedule, sparing names: Set<String>, at now: Moment) throws {
        let configured = Set(sources.filter { $0.value.isConfigured }.keys)
        guard after.names == configured else {
            throw broken(11, "\(after.names.sorted()) are in force, not \(configured.sorted())", at: now)
        }
        for name in before.names.subtracting(names).sorted() where after.dues[name] != before.dues[name] {
            // One that was due at this very moment has begun, one that was being polled may have ended just now.
            if let due = before.dues[name], due <= now.uptime { continue }
            let hasEnded = sources[name]?.pollEnded == now.uptime || pausedUntil > now.uptime
            if before.dues[name] == nil, hasEnded { continue }
            throw broken(6, "a reload that does not concern \(name) has moved its due time", at: now)
        }
        let cut = before.requests.subtracting(after.requests).filter { !names.contains($0.source) }
        if let request = cut.first {
            throw broken(6, "a reload that does not concern \(request.source) has cut its request", at: now)
        }
    }

    /// What is stored of the sources' settings is what is in force.
    func checkSettingsInStore(at now: Moment) throws {
        for row in try look("SELECT name, is_enabled, max_age_ms FROM source ORDER BY name") {
            guard let source = sources[row[0]] else { continue }
            let isOn = source.isConfigured && source.settings.isEnabled
            guard row[1] == (isOn ? "1" : "0"), row[2] == "\(source.settings.maxAge.milliseconds)" else {
                throw broken(11, "\(row[0]) is stored with other settings than those in force", at: now)
            }
        }
    }
}

extension Oracle.Schedule {
    /// What is due and under way in a daemon.
    init(_ daemon: InProcessDaemon) {
        let dues = daemon.engine.dues.map { ($0.source, $0.at) }
        let requests =
            daemon.flights.map { Request(id: $0.order.id, source: $0.order.source) }
            + daemon.openStreams.map { Request(id: $0.id, source: $0.source) }
        self.init(
            names: daemon.engine.sourceNames, dues: Dictionary(dues, uniquingKeysWith: { first, _ in first }),
            requests: Set(requests))
    }
}
