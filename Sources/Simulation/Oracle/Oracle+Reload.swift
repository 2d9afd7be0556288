import Engine
import Foundation
import Model

// A new configuration for the running daemon: promises 6 and 11.
extension Oracle {
    /// What a reload must not change.
    struct Schedule {
        /// A request under way.
        struct Request: Hashable {
            var id: FetchID
            var source: String
        }

        /// The sources in force.
        var names: Set<String>
        /// Due times of the sources without a poll under way, as uptime.
        var dues: [String: Duration]
        var requests: Set<Request>
    }

    /// A configuration that was read and may come into force.
    struct Reload {
        var settings: [SourceSettings]
        /// Sources whose secrets could not be read.
        var lacking: Set<String>
        /// The sources that it concerns, and the schedule when it was read.
        var concerned: Set<String>
        var before: Schedule
    }

    /// How long a configuration may wait for its secrets.
    private static let patience = Duration.seconds(60)
    /// How late a good file may come into force if only its secrets delay it.
    private static let reloadTolerance = Duration.seconds(61)

    /// A life begins with a configuration that lacks the secrets of some sources.
    func beginReloading(lacking names: Set<String>) {
        reload = nil
        lacking = names
        waitsSince = nil
        unstored = .zero
    }

    // MARK: - Reading and coming into force

    /// Takes a reading; the one before may not come into force any more.
    func reads(_ reading: ConfigurationReading, by daemon: InProcessDaemon, at now: Moment) throws {
        reload = nil
        var draft: ConfigurationDraft?
        switch reading.outcome {
        case .good(let good):
            draft = good
            waitsSince = good.lacking.isSubset(of: lacking) ? nil : waitsSince ?? now.uptime
        case .unchanged(let kept): draft = kept
        case .faulty: waitsSince = nil
        }
        guard let draft else { return trace.note(elapsed(now), "read nothing that may come into force") }
        let settings = draft.configuration.sources.map(\.settings)
        let concerned = concerned(by: settings).union(lacking.symmetricDifference(draft.lacking))
        trace.note(elapsed(now), "read what concerns \(concerned.sorted()), without \(draft.lacking.sorted())")
        reload = Reload(
            settings: settings, lacking: draft.lacking, concerned: concerned, before: Schedule(daemon))
    }

    /// Judges the outcome of the last reading.
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
        // If nothing came into force, only polls that were cut short have another due time.
        try checkReload(from: before, to: Schedule(daemon), sparing: disturbed, at: now)
    }

    /// Checks that a good file is in force in time, and that readable secrets are in use.
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

    // MARK: - Effects on the sources

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

    /// A configuration is stored, and in force from now on.
    func reconfigured(_ settings: [SourceSettings], _ records: [SourceRecord], at now: Moment) {
        let concerned = concerned(by: settings)
        let renewed = lacking.symmetricDifference(reload?.lacking ?? lacking)
        for name in renewed.subtracting(concerned) {
            // A change of secrets also ends a back-off, of which a reset leaves nothing in the store.
            guard let source = sources[name], source.pollBegan == nil,
                records.contains(where: { $0.name == name && ($0.failures > 0 || $0.lastAttempt == nil) })
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
            // The source keeps its due time; a poll that is cut short begins again at once.
            let kept = source.pollBegan == nil ? max(source.due, now.uptime) : now.uptime
            source.due = firstDue(configured, record, at: now)
            if isKnown, source.settings.isEnabled { source.due = min(source.due, kept) }
            // A changed question ends the back-off of the old one.
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

    /// A configuration could not be stored. Polls that it would have ended are cut short all the same and begin again
    /// at once.
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

    /// Checks that a reload has disturbed no other source.
    /// - Parameter names: The sources that it may disturb.
    func checkReload(from before: Schedule, to after: Schedule, sparing names: Set<String>, at now: Moment) throws {
        let configured = Set(sources.filter { $0.value.isConfigured }.keys)
        guard after.names == configured else {
            throw broken(11, "\(after.names.sorted()) are in force, not \(configured.sorted())", at: now)
        }
        for name in before.names.subtracting(names).sorted() where after.dues[name] != before.dues[name] {
            // A source that was due now has begun its poll; a poll under way may have ended now.
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

    /// Checks that the stored settings of the sources are those in force.
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

extension ConfigurationDraft {
    /// The sources whose secrets could not be read; `ScriptedConfiguration` names them.
    fileprivate var lacking: Set<String> { Set(faults.map { $0.message }) }
}

extension Oracle.Schedule {
    /// The due times and requests under way of a daemon.
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
