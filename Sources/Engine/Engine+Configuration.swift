import Model

/// What the engine works with.
public struct EngineConfiguration: Sendable {
    /// The configured sources; what is stored of them comes from the store.
    public var sources: [EngineSource]
    /// How many requests at a time, and how far apart.
    public var limits: EngineLimits
    /// When truncation runs.
    public var truncation: TruncationPlan

    /// Creates a configuration.
    public init(
        sources: [EngineSource], limits: EngineLimits = EngineLimits(), truncation: TruncationPlan = TruncationPlan()
    ) {
        self.sources = sources
        self.limits = limits
        self.truncation = truncation
    }
}

/// What another configuration has done to the sources, by name.
public struct SourceChanges: Sendable, Hashable {
    /// Those that are new.
    public var added: [String] = []
    /// Those with other settings.
    public var changed: [String] = []
    /// Those that are no longer configured; their events stay until they expire.
    public var removed: [String] = []

    /// Creates an empty list.
    public init() {}
}

/// A configuration that is being stored; the sources it concerns do not poll meanwhile.
struct Reconfiguration: Sendable {
    var configuration: EngineConfiguration
    var changes: SourceChanges
    var held: Set<Int>
    var write: WriteID
}

extension Engine {
    /// Gives the polls of the sources concerned up and has the configuration stored; all others go on.
    mutating func configure(_ configuration: EngineConfiguration, at now: Moment) {
        guard reconfiguration == nil, !isStopping else {
            return effects.append(.notConfigured(reason: isStopping ? "the program stops" : "another is on its way"))
        }
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
        // The number of a poll that never was: a failure breaks nothing else.
        let write = WriteID(number: newNumber(), poll: newNumber())
        reconfiguration = Reconfiguration(
            configuration: configuration, changes: changes, held: Set(held), write: write)
        for index in held { abandonPoll(index, dueIn: sources[index].settings.refreshInterval, at: now) }
        effects.append(.write(write, .reconcile(configuration.sources.map(\.settings), at: now.wall)))
    }

    /// The configuration is stored: puts it into force.
    mutating func reconfigured(with records: [SourceRecord], at now: Moment) {
        guard let reconfiguration else { return }
        self.reconfiguration = nil
        let configuration = reconfiguration.configuration
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
                take(source.secrets, for: index, at: now)
            } else {
                replace(source, at: now)
            }
        }
        if !sources.contains(where: { $0.settings.isEnabled && !Origin($0.settings.url).host.isEmpty }) {
            clock.believe(at: now)
        }
        effects.append(.configured(reconfiguration.changes))
    }

    /// The configuration cannot be stored: the sources it concerned go on as before.
    mutating func notReconfigured(reason: String) {
        let held = reconfiguration?.held ?? []
        reconfiguration = nil
        for index in held.sorted() { scheduleDue(index) }
        effects.append(.notConfigured(reason: reason))
    }

    /// New secrets end the back-off of a source that has been failing.
    private mutating func take(_ secrets: [String: Secret], for index: Int, at now: Moment) {
        guard sources[index].configuredSecrets != secrets else { return }
        sources[index].configuredSecrets = secrets
        sources[index].forgetLearnedSecrets()
        guard sources[index].record.failures > 0, sources[index].poll == nil else { return }
        sources[index].due = min(sources[index].due, now.uptime + sources[index].settings.offset)
        scheduleDue(index)
    }

    /// A source begins as it does at a start. A back-off belongs to what was asked before: it ends when that changes.
    private mutating func replace(_ source: EngineSource, at now: Moment) {
        var state = SourceState(source, at: now)
        if let index = indices[source.settings.name] {
            let old = sources[index]
            let isOtherQuestion =
                old.fingerprint != state.fingerprint || old.configuredSecrets != state.configuredSecrets
            if isOtherQuestion, source.record.failures > 0 {
                state.due = min(state.due, now.uptime + source.settings.offset)
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
