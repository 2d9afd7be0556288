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
        for name in concerned(by: settings) {
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
            if isKnown, (record?.failures ?? 0) > 0, !asksTheSame(source.settings, configured) {
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
            // One that was due at this very moment has begun.
            if let due = before.dues[name], due <= now.uptime { continue }
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
