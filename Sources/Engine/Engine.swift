public import Foundation
import HeapModule
import Model

/// What to do next: schedule, poll life cycle, back-off, politeness, truncation.
///
/// A synchronous state machine of values: an input and the time go in, effects come out. It performs no I/O, knows no
/// kind of feed, and gives the same effects for the same inputs and seed, so a month of polling replays on one thread.
public struct Engine: Sendable {
    /// How long requests under way may go on after `Input.stop`.
    public static let shutdownTimeout = Duration.seconds(3)
    /// How long the store may take after `Input.stop`; what it has not written then is asked for again.
    static let storeTimeout = Duration.seconds(4)

    var limits: EngineLimits
    var truncation: TruncationPlan
    /// The configured sources; also those that have been removed, disabled, until others take their places.
    var sources: [SourceState]
    /// Where a configured source is in `sources`.
    var indices: [String: Int]
    /// How many resets of a source are under way, by its name.
    var resetting: [String: Int] = [:]
    /// A configuration that is being stored.
    var reconfiguration: Reconfiguration?
    /// Has the configuration read again; nil: it stays as it is.
    var reload: ReloadJudge?
    /// Hosts that are asked, or whose last request still counts; `begin` forgets the others.
    var hosts: [String: HostGate] = [:]
    /// Hosts with waiting requests, in the order in which they began to wait.
    var waitingHosts: [String] = []
    var flights: [FetchID: Flight] = [:]
    var purposes: [WriteID: WritePurpose] = [:]
    /// Requests under way that count against `limits.concurrency`.
    var countedFlights = 0
    /// Streams that are open.
    var heldFlights = 0
    var clock: ClockJudge
    var disk: DiskJudge
    var random: SeededRandom
    var isStopping = false
    /// Whether the store has had its time to finish after a stop.
    private var hasStoreTimedOut = false
    /// Set while the store cannot be written; polls wait.
    var storePausedUntil: Duration?
    /// Why it could not be written last.
    var storeFault = ""
    /// Its length grows while nothing that a poll brings can be written: each may cost a download that cannot be kept.
    var storePause = StorePause()
    private var timers = Heap<TimerEntry>()
    private var lastNumber = 0
    private var isTruncating = false
    var truncationDue = Duration.zero
    private var hasReportedStop = false
    var effects: [Effect] = []

    /// Plans the first polls from what is configured and what is stored.
    ///
    /// - Parameters:
    ///   - sources: The configured sources with what is stored of them.
    ///   - limits: How many requests at a time, and how far apart.
    ///   - truncation: When truncation runs.
    ///   - lastTrusted: The last wall time that was trusted.
    ///   - lastTruncation: The time as of which truncation last ran.
    ///   - reload: How the configuration is read again; nil: it stays as it is.
    ///   - seed: Seed of the back-off's spread.
    ///   - now: The time of the start.
    public init(
        sources: [EngineSource], limits: EngineLimits = EngineLimits(), truncation: TruncationPlan = TruncationPlan(),
        lastTrusted: Date? = nil, lastTruncation: Date? = nil, reload: ReloadPlan? = nil, seed: UInt64, at now: Moment
    ) {
        self.limits = limits
        self.truncation = truncation
        self.sources = sources.map { SourceState($0, at: now) }
        indices = Dictionary(sources.indices.map { (sources[$0].settings.name, $0) }, uniquingKeysWith: { a, _ in a })
        clock = ClockJudge(
            lastTrusted: lastTrusted, lastTruncation: lastTruncation,
            hasServers: sources.contains { $0.settings.isEnabled && !Origin($0.settings.url).host.isEmpty }, at: now)
        disk = DiskJudge(floor: limits.minimumFreeBytes)
        self.reload = reload.map { ReloadJudge($0, at: now) }
        random = SeededRandom(seed: seed)
        for source in self.sources where [DueReason.retryAfter, .rateLimit].contains(source.record.dueReason) {
            // What a server has asked for holds for all sources of its host, also after a restart.
            guard let stored = source.record.nextDue, stored > now.wall else { continue }
            let until = min(now.uptime(at: stored), now.uptime + Backoff.longest)
            let host = Origin(source.settings.url).host
            hosts[host, default: HostGate()].notBefore = max(hosts[host]?.notBefore ?? until, until)
        }
        for index in self.sources.indices { scheduleDue(index) }
        truncationDue = now.uptime + truncation.first
        set(.truncation, at: truncationDue)
    }

    /// When the engine wants a `tick`, as uptime; nil when only an input can move it.
    public var nextWake: Duration? {
        let timer = timers.min?.at
        guard !isStopping, let look = reload?.nextWake else { return timer }
        return min(look, timer ?? look)
    }

    /// Names of the configured sources.
    public var sourceNames: Set<String> { Set(indices.keys) }

    /// Whether a source of that name is configured.
    public func hasSource(_ name: String) -> Bool { indices[name] != nil }

    /// When each enabled source is due, as uptime, with its name; a source being polled has none.
    public var dues: [(source: String, at: Duration)] {
        sources.filter { $0.settings.isEnabled && $0.poll == nil }.map { ($0.settings.name, $0.due) }
    }

    /// Takes an input and returns what is to be done, in order.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        effects = []
        switch input {
        case .tick: break
        case .answered(let id, let answer, let facts): take(id, .answer(answer), facts, at: now)
        case .unchanged(let id, let facts): take(id, .unchanged, facts, at: now)
        case .opened(let id, let facts): opened(id, facts, at: now)
        case .streamed(let id, let answer, let facts): streamed(id, answer, facts, at: now)
        case .failed(let id, let failure, let facts):
            if !streamEnded(id, failure, facts, at: now) { take(id, .failure(failure), facts, at: now) }
        case .redirected(let id, let url, let isPermanent, let facts):
            observe(facts, of: id, at: now)
            redirect(id, to: url, isPermanent: isPermanent, at: now)
        case .wrote(_, .reconciled(let records)): reconfigured(with: records, at: now)
        case .writeFailed(let id, let reason, let isTransient) where id == reconfiguration?.write:
            notReconfigured(reason: reason, isTransient: isTransient, at: now)
        case .wrote(let id, let result): wrote(id, result, at: now)
        case .writeFailed(let id, let reason, let isTransient):
            writeFailed(id, reason: reason, isTransient: isTransient, at: now)
        case .truncated: isTruncating = false
        case .reload(let input): take(input, at: now)
        case .freeSpace(let bytes): observe(free: bytes, at: now)
        case .poll(let name):
            guard let index = indices[name] else {
                effects.append(.abandoned(source: name, because: .notConfigured))
                break
            }
            if !noteIfStreaming(index, at: now) { begin(index, isForced: true, at: now) }
        case .abandon(let name): abandon(name, at: now)
        case .resetDone(let name): resetDone(name)
        case .stop: stop(at: now)
        }
        fireTimers(at: now)
        readConfiguration(at: now)
        storeConfiguration()
        sendWaiting(at: now)
        let isDone = flights.isEmpty && purposes.isEmpty && !isTruncating && reconfiguration == nil
        if isStopping, !hasReportedStop, isDone || hasStoreTimedOut {
            hasReportedStop = true
            effects.append(.stopped)
        }
        return effects
    }

    // MARK: Timers

    mutating func set(_ timer: Timer, at time: Duration) {
        lastNumber += 1
        timers.insert(TimerEntry(at: time, number: lastNumber, timer: timer))
    }

    /// A timer whose reason is gone fires into nothing: each looks at the state before it acts.
    private mutating func fireTimers(at now: Moment) {
        while let first = timers.min, first.at <= now.uptime {
            timers.removeMin()
            switch first.timer {
            case .due(let index):
                if sources[index].settings.isEnabled, sources[index].due <= now.uptime {
                    begin(index, isForced: false, at: now)
                }
            case .host: break  // `sendWaiting` looks at all hosts
            case .slot(let id):
                if flights[id]?.isCounted == true {
                    flights[id]?.isCounted = false
                    countedFlights -= 1
                }
            case .truncation: if truncationDue <= now.uptime { truncate(at: now) }
            case .storeProbe: probeStore(at: now)
            case .diskProbe: probeDisk(at: now)
            case .note(let index): noteAgain(index, at: now)
            case .drainTimeout(let index): endDrain(index, at: now)
            case .shutdownTimeout: abandonFlights()
            case .storeTimeout: hasStoreTimedOut = true
            }
        }
    }

    mutating func scheduleDue(_ index: Int) {
        if sources[index].settings.isEnabled { set(.due(index), at: sources[index].due) }
    }

    // MARK: Numbers

    mutating func newFetchID() -> FetchID { FetchID(number: newNumber()) }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Free space

    /// How often the free space is looked at while polls pause for the lack of it: each look is a wake-up.
    private static let diskPause = Duration.seconds(30)

    private mutating func observe(free: Int64, at now: Moment) {
        for change in disk.observe(free: free) {
            switch change {
            case .paidReadsStopped:
                effects.append(.notice(.paidReadsStopped(free: free, floor: disk.floor)))
                closeStreams(.lowDisk)
            case .pollsStopped:
                effects.append(.notice(.pollsStopped(free: free, floor: disk.floor)))
                set(.diskProbe, at: now.uptime + Self.diskPause)
            case .pollsResumed:
                effects.append(.notice(.pollsResumed(free: free)))
                beginDue(at: now)
            case .paidReadsResumed: effects.append(.notice(.paidReadsResumed(free: free)))
            }
        }
    }

    /// A wake-up is all it takes: whoever wakes the engine tells the free space first.
    private mutating func probeDisk(at now: Moment) {
        if !disk.allowsPolls, !isStopping { set(.diskProbe, at: now.uptime + Self.diskPause) }
    }

    // MARK: Truncation

    private mutating func truncate(at now: Moment) {
        guard !isStopping else { return }
        truncationDue = now.uptime + truncation.interval
        set(.truncation, at: truncationDue)
        guard !isTruncating else { return }
        guard let asOf = clock.truncationTime(now) else {
            effects.append(.notice(.truncationSkipped))
            return
        }
        isTruncating = true
        effects.append(.truncate(asOf: asOf))
    }

    // MARK: Stopping

    private mutating func stop(at now: Moment) {
        guard !isStopping else { return }
        isStopping = true
        waitingHosts = []
        for host in hosts.keys { hosts[host]?.waiting = [] }
        closeStreams(.stopping)
        set(.shutdownTimeout, at: now.uptime + Self.shutdownTimeout)
        set(.storeTimeout, at: now.uptime + Self.storeTimeout)
    }

    private mutating func abandonFlights() {
        for id in flights.keys.sorted(by: { $0.number < $1.number }) { effects.append(.cancel(id)) }
        flights = [:]
        heldFlights = 0
    }

    mutating func observe(_ facts: FetchFacts, of id: FetchID, at now: Moment) {
        if let sent = facts.sent, let host = flights[id]?.host, let ordered = hosts[host]?.lastSent, sent > ordered {
            hosts[host]?.lastSent = sent
        }
        guard let date = facts.serverDate, clock.observe(serverDate: date, at: now) else { return }
        effects.append(
            .notice(
                clock.isTrusted(now)
                    ? .clockTrusted : .clockDoubted(seconds: date.timeIntervalSince(now.wall).rounded())))
    }
}
