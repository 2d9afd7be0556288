import Model

/// The sources, limits and truncation times of an engine.
public struct EngineConfiguration: Sendable {
    /// The configured sources, with different names. Their records are replaced by those of the store.
    public var sources: [EngineSource]
    /// Limits of requests, redirects and free space.
    public var limits: EngineLimits
    /// When truncation runs; a change moves the next run only if it comes earlier by it.
    public var truncation: TruncationPlan

    /// Creates a configuration with these values, which are not checked; by default with the default limits and
    /// truncation times.
    public init(
        sources: [EngineSource], limits: EngineLimits = EngineLimits(), truncation: TruncationPlan = TruncationPlan()
    ) {
        self.sources = sources
        self.limits = limits
        self.truncation = truncation
    }
}

/// The sources that a new configuration affects, by name; a renamed source is both removed and added.
public struct SourceChanges: Sendable, Hashable {
    /// New sources, in the order of the configuration.
    public var added: [String] = []
    /// Sources with other settings, in the order of the configuration. One with other secrets alone is not among them.
    public var changed: [String] = []
    /// Sources that are no longer configured, in alphabetical order. Their events stay until they expire.
    public var removed: [String] = []

    /// Creates an empty list: no source is affected.
    public init() {}
}

/// A configuration that is being stored. The sources it affects do not poll meanwhile.
struct Reconfiguration: Sendable {
    var configuration: EngineConfiguration
    var changes: SourceChanges
    var held: Set<Int>
    var write: WriteID
    /// Whether its write was emitted.
    var isWritten = false
    /// Names of the held sources whose polls were abandoned.
    var cutShort: [String] = []
}

extension Engine {
    /// Abandons the polls of the affected sources, closes their streams, and then stores the configuration.
    mutating func configure(_ configuration: EngineConfiguration, at now: Moment) {
        var changes = SourceChanges()
        for source in configuration.sources {
            let name = source.settings.name
            guard let index = indices[name] else {
                changes.added.append(name)
                continue
            }
            if sources[index].settings != source.settings { changes.changed.append(name) }
        }
        changes.removed = Set(indices.keys).subtracting(configuration.sources.map(\.settings.name)).sorted()
        let held = (changes.changed + changes.removed).compactMap { indices[$0] }
        let write = WriteID(number: newNumber(), poll: nil)
        reconfiguration = Reconfiguration(
            configuration: configuration, changes: changes, held: Set(held), write: write)
        for index in held where !drainStream(index, dueIn: .zero, at: now) { cutShort(index, at: now) }
    }

    /// Stores the configuration once its closing streams have ended: their last events belong to the old configuration.
    mutating func storeConfiguration() {
        guard let waiting = reconfiguration, !waiting.isWritten,
            waiting.held.allSatisfy({ sources[$0].poll?.stream?.drain == nil })
        else { return }
        reconfiguration?.isWritten = true
        effects.append(.write(waiting.write, .reconcile(waiting.configuration.sources.map(\.settings))))
    }

    /// Puts the stored configuration into force.
    mutating func reconfigured(with records: [SourceRecord], at now: Moment) {
        guard let reconfiguration else { return }
        self.reconfiguration = nil
        let configuration = reconfiguration.configuration
        authorities = configuration.sources.authorities
        limits = configuration.limits
        disk.floor = limits.minimumFreeBytes
        if truncation != configuration.truncation {
            truncation = configuration.truncation
            truncationDue = min(truncationDue, now.uptime + truncation.interval)
            set(.truncation, at: truncationDue)
        }
        for name in reconfiguration.changes.removed {
            guard let index = indices.removeValue(forKey: name) else { continue }
            sources[index].settings.isEnabled = false
        }
        let records = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for var source in configuration.sources {
            let name = source.settings.name
            source.record = records[name] ?? source.record
            if let index = indices[name], !reconfiguration.held.contains(index) {
                takeSecrets(of: source, for: index, at: now)
            } else {
                replace(source, at: now)
            }
        }
        if !sources.contains(where: { $0.settings.isEnabled && !Origin($0.settings.url).host.isEmpty }) {
            clock.believe(at: now)
        }
        endReload(.inForce(reconfiguration.changes), at: now)
        for name in reconfiguration.cutShort { beginAgain(name, at: now) }
    }

    /// Drops a configuration that cannot be stored: the affected sources continue as before.
    mutating func notReconfigured(reason: String, isTransient: Bool, at now: Moment) {
        let (held, names) = (reconfiguration?.held ?? [], reconfiguration?.cutShort ?? [])
        reconfiguration = nil
        for index in held.sorted() { scheduleDue(index) }
        endReload(.failed(reason: reason, isTransient: isTransient), at: now)
        for name in names { beginAgain(name, at: now) }
    }

    /// Abandons the poll of a held source. Callers that wait for it get the outcome of the next poll.
    private mutating func cutShort(_ index: Int, at now: Moment) {
        guard sources[index].poll != nil, !isEnding(index) else { return }
        abandonPoll(index, because: .edited, dueIn: .zero, at: now)
    }

    /// Whether the end of the source's poll is being written: it makes no more requests and is not started again.
    func isEnding(_ index: Int) -> Bool {
        purposes.contains { id, purpose in
            if case .end(index, _, _) = purpose { id.poll == sources[index].poll?.number } else { false }
        }
    }

    /// Starts a poll again that was cut short, if its source is still due. If it cannot start, callers that wait for it
    /// are told why.
    private mutating func beginAgain(_ name: String, at now: Moment) {
        guard let index = indices[name] else {
            return effects.append(.abandoned(source: name, because: .notConfigured))
        }
        let isDue = sources[index].settings.isEnabled && sources[index].due <= now.uptime
        if isDue { begin(index, isForced: false, at: now) }
        guard sources[index].poll == nil else { return }
        effects.append(.abandoned(source: name, because: obstacle(to: index) ?? .edited))
    }

    /// Takes new secrets. They end the back-off of a source that has been failing, as does a file of the Authorization
    /// header that its last poll did not find.
    private mutating func takeSecrets(of source: EngineSource, for index: Int, at now: Moment) {
        let isBack = source.record.lastFailure?.hasCode(.secret) == true && source.secrets["authorization"] != nil
        guard isBack || sources[index].configuredSecrets != source.secrets else { return }
        sources[index].configuredSecrets = source.secrets
        sources[index].forgetLearnedSecrets()
        guard sources[index].record.failures > 0, sources[index].poll == nil else { return }
        sources[index].due = min(sources[index].due, now.uptime + sources[index].settings.offset)
        scheduleDue(index)
    }

    /// Adds or replaces a source. It starts as at the daemon's start, but no later than it was due before. A back-off
    /// ends when the fingerprint or the secrets change, and that of a used-up budget with another budget.
    private mutating func replace(_ source: EngineSource, at now: Moment) {
        var state = SourceState(source, at: now)
        if let index = indices[source.settings.name] {
            let old = sources[index]
            let isOtherQuestion =
                old.fingerprint != state.fingerprint || old.configuredSecrets != state.configuredSecrets
            let hasOtherBudget =
                old.settings.budget != source.settings.budget && source.record.lastFailure?.hasCode(.overBudget) == true
            if isOtherQuestion || hasOtherBudget, source.record.failures > 0 {
                state.due = min(state.due, now.uptime + source.settings.offset)
            }
            let due = max(old.due, now.uptime)
            if old.settings.isEnabled, old.feed.stream != nil, state.feed.stream != nil {
                // An edit adds no wait, but a wait after a fault stays.
                state.due = min(due, max(now.uptime, state.due))
            } else if old.settings.isEnabled, old.feed.stream == nil, due < state.due {
                state.due = due
                let isSameInterval = old.grid.interval == state.grid.interval
                state.grid = isSameInterval ? old.grid : Grid(anchor: due, interval: state.grid.interval)
            }
            sources[index] = state
            scheduleDue(index)
        } else {
            let used = Set(indices.values)
            let index = sources.indices.first { !used.contains($0) } ?? sources.count
            if index < sources.count { sources[index] = state } else { sources.append(state) }
            indices[source.settings.name] = index
            scheduleDue(index)
        }
    }
}
