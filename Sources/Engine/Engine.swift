public import Foundation
import HeapModule
import Model

/// Decides what to do next: schedule, poll life cycle, back-off, politeness, truncation, reload.
///
/// A synchronous state machine of values: an input and the time go in, effects come out. It performs no I/O, knows no
/// kind of feed, and gives the same effects for the same inputs and seed, so a month of polling replays on one thread.
public struct Engine: Sendable {
    /// Time for requests under way to end after `Input.stop`: 2 s; then they are cancelled.
    public static let shutdownTimeout = Duration.seconds(2)
    /// Time for the store to finish after `Input.stop`. Data that is not written by then is requested again after the
    /// next start.
    static let storeTimeout = Duration.seconds(4)

    var limits: EngineLimits
    var truncation: TruncationPlan
    /// The configured sources. Removed ones stay as disabled entries until new ones take their places.
    var sources: [SourceState]
    /// Index of each configured source in `sources`, by name.
    var indices: [String: Int]
    /// For whom each configured source may speak, by name.
    var authorities: [String: Authority]
    /// Number of resets under way, by source name.
    var resetting: [String: Int] = [:]
    /// A configuration that is being stored.
    var reconfiguration: Reconfiguration?
    /// Decides on reloads; nil if the configuration is never reloaded.
    var reload: ReloadJudge?
    /// Gates of hosts in use, or whose last request still matters; `begin` removes the others.
    var hosts: [String: HostGate] = [:]
    /// Whether a host has asked for a pause of documents since the last step was stored.
    var hasNewDocumentPause = false
    /// Hosts with waiting requests, in the order in which they began to wait.
    var waitingHosts: [String] = []
    var flights: [FetchID: Flight] = [:]
    var purposes: [WriteID: WritePurpose] = [:]
    /// Requests under way that count against `limits.concurrency`.
    var countedFlights = 0
    /// Open streams among `flights`.
    var heldFlights = 0
    /// Asks for pictures; nil if none are kept.
    var pictures: PictureLane?
    var clock: ClockJudge
    var disk: DiskJudge
    var random: SplitMix
    var isStopping = false
    /// Whether `storeTimeout` has passed after a stop.
    private var hasStoreTimedOut = false
    /// The uptime until which polls pause because the store cannot be written; nil if they do not.
    var storePausedUntil: Duration?
    /// The reason of the last store failure.
    var storeFault = ""
    /// Grows while no result of a poll can be written, because each attempt may waste a download.
    var storePause = StorePause()
    private var timers = Heap<TimerEntry>()
    private var lastNumber = 0
    private var isTruncating = false
    var truncationDue = Duration.zero
    private var hasReportedStop = false
    var effects: [Effect] = []

    /// Plans the first polls from the configuration and the stored records. Values are not checked; a second source of
    /// a name would never be reached.
    ///
    /// - Parameters:
    ///   - sources: The configured sources with their stored records.
    ///   - limits: Limits of requests and free space.
    ///   - truncation: When truncation runs.
    ///   - lastTrusted: The last wall time that was trusted; nil: none yet.
    ///   - lastTruncation: The time as of which truncation last ran; nil: never.
    ///   - documentPauses: The stored pauses of hosts (`PollStep.documentPauses`); default: none.
    ///   - reload: What reloads start from; nil: the configuration is never reloaded.
    ///   - pictures: Which pictures are asked for; nil, the default: none.
    ///   - seed: Seed of the back-off's spread.
    ///   - now: The time of the start.
    public init(
        sources: [EngineSource], limits: EngineLimits = EngineLimits(), truncation: TruncationPlan = TruncationPlan(),
        lastTrusted: Date? = nil, lastTruncation: Date? = nil, documentPauses: [String: Date] = [:],
        reload: ReloadPlan? = nil, pictures: PicturePlan? = nil, seed: UInt64, at now: Moment
    ) {
        self.limits = limits
        self.truncation = truncation
        self.sources = sources.map { SourceState($0, at: now) }
        authorities = sources.authorities
        indices = Dictionary(sources.indices.map { (sources[$0].settings.name, $0) }, uniquingKeysWith: { a, _ in a })
        clock = ClockJudge(
            lastTrusted: lastTrusted, lastTruncation: lastTruncation,
            hasServers: sources.contains { $0.settings.isEnabled && !Origin($0.settings.url).host.isEmpty }, at: now)
        disk = DiskJudge(floor: limits.minimumFreeBytes)
        self.reload = reload.map { ReloadJudge($0, at: now) }
        self.pictures = pictures.map { PictureLane($0, start: now.uptime) }
        random = SplitMix(seed: seed)
        for source in self.sources where [DueReason.retryAfter, .rateLimit].contains(source.record.dueReason) {
            // A server's request for a pause applies to all sources of its host, also after a restart.
            guard let stored = source.record.nextDue, stored > now.wall else { continue }
            let until = min(now.uptime(at: stored), now.uptime + Backoff.longest)
            let host = Origin(source.settings.url).host
            hosts[host, default: HostGate()].pause(until: until, for: .configured)
        }
        for (host, end) in documentPauses where end > now.wall {
            let until = min(now.uptime(at: end), now.uptime + Backoff.longest)
            hosts[host, default: HostGate()].pause(until: until, for: .led)
        }
        for index in self.sources.indices { scheduleDue(index) }
        truncationDue = now.uptime + truncation.first
        set(.truncation, at: truncationDue)
    }

    /// When the engine needs a `tick`, as uptime, perhaps past; nil if only another input can change anything.
    public var nextWake: Duration? {
        let timer = timers.min?.at
        guard !isStopping, let look = reload?.nextWake else { return timer }
        return min(look, timer ?? look)
    }

    /// Names of the configured sources, disabled ones included.
    public var sourceNames: Set<String> { Set(indices.keys) }

    /// Whether a source of that name is configured, enabled or not.
    public func hasSource(_ name: String) -> Bool { indices[name] != nil }

    /// The enabled sources that are not being polled, with the uptime at which each is due; a past one waits for a
    /// pause of the store or for a reset to end. In no fixed order after a reload.
    public var dues: [(source: String, at: Duration)] {
        sources.filter { $0.settings.isEnabled && $0.poll == nil }.map { ($0.settings.name, $0.due) }
    }

    /// Takes an input and returns the effects, to be carried out in order. Outcomes of unknown requests and writes are
    /// ignored. The uptime of `now` must not go back.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        effects = []
        switch input {
        case .tick: break
        case .answered(let id, let answer, let facts): answered(id, answer, facts, at: now)
        case .unchanged(let id, let facts): unchanged(id, facts, at: now)
        case .opened(let id, let facts): opened(id, facts, at: now)
        case .streamed(let id, let answer, let facts): streamed(id, answer, facts, at: now)
        case .failed(let id, let failure, let facts):
            if !streamEnded(id, failure, facts, at: now) { failed(id, failure, facts, at: now) }
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
        case .picture(let input): take(input, at: now)
        case .hostPaused(let host, let until): pauseHost(host, until: until, for: .configured, at: now)
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
        sendPicture(at: now)
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

    /// Handles the timers that are due. Each checks the state first, because its reason may be gone.
    private mutating func fireTimers(at now: Moment) {
        while let first = timers.min, first.at <= now.uptime {
            timers.removeMin()
            switch first.timer {
            case .due(let index):
                if sources[index].settings.isEnabled, sources[index].due <= now.uptime {
                    begin(index, isForced: false, at: now)
                }
            case .host: break  // `sendWaiting` looks at all hosts
            case .picture: break  // `sendPicture` looks
            case .slot(let id):
                if let flight = flights[id] { uncount(flight) }
                flights[id]?.isCounted = false
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

    /// How often free space is checked while polls pause for lack of it; each check is a wake-up.
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

    /// Whether wall time is trusted (`ClockJudge`).
    public func isClockTrusted(at now: Moment) -> Bool { clock.isTrusted(now) }

    /// Whether the disk has room for polls, paid ones included, by the free space that was reported last.
    public var hasRoomOnDisk: Bool { disk.allowsPolls && disk.allowsPaidReads }

    /// Sets the next wake-up; the shell reports the free space before each tick.
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
        for host in hosts.keys { hosts[host]?.waiting = HostQueue() }
        closeStreams(.stopping)
        stopPictures()
        set(.shutdownTimeout, at: now.uptime + Self.shutdownTimeout)
        set(.storeTimeout, at: now.uptime + Self.storeTimeout)
    }

    private mutating func abandonFlights() {
        for id in flights.keys.sorted(by: { $0.number < $1.number }) { effects.append(.cancel(id)) }
        flights = [:]
        heldFlights = 0
    }

    mutating func observe(_ facts: FetchFacts, of id: FetchID, at now: Moment) {
        if let sent = facts.sent, let host = flights[id]?.host { hosts[host]?.note(sent: sent) }
        guard let date = facts.serverDate, clock.observe(serverDate: date, at: now) else { return }
        effects.append(
            .notice(
                clock.isTrusted(now)
                    ? .clockTrusted : .clockDoubted(seconds: date.timeIntervalSince(now.wall).rounded())))
    }
}
