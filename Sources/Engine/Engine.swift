public import Foundation
import HeapModule
import Model

/// What to do next: schedule, poll life cycle, back-off, politeness, truncation.
///
/// A synchronous state machine of values: an input and the time go in, effects come out. It performs no I/O, knows no
/// kind of feed, and gives the same effects for the same inputs and seed, so a month of polling replays on one thread.
public struct Engine: Sendable {
    /// How long requests under way may go on after `Input.stop`.
    public static let grace = Duration.seconds(3)
    /// How long the store may take after `Input.stop`; what it has not written then is asked for again.
    static let patience = Duration.seconds(4)

    var limits: EngineLimits
    var truncation: TruncationPlan
    /// The configured sources; also those that have been removed, disabled, until others take their places.
    var sources: [SourceState]
    /// Where a configured source is in `sources`.
    var indices: [String: Int]
    /// Names of sources whose state is being forgotten.
    var resetting: Set<String> = []
    /// A configuration that is being stored.
    var reconfiguration: Reconfiguration?
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
    private var isPatienceOver = false
    /// Set while the store cannot be written; polls wait.
    var storePausedUntil: Duration?
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
    ///   - lastSound: The last wall time that was known to be sound.
    ///   - lastTruncation: The time as of which truncation last ran.
    ///   - seed: Seed of the back-off's spread.
    ///   - now: The time of the start.
    public init(
        sources: [EngineSource], limits: EngineLimits = EngineLimits(), truncation: TruncationPlan = TruncationPlan(),
        lastSound: Date? = nil, lastTruncation: Date? = nil, seed: UInt64, at now: Moment
    ) {
        self.limits = limits
        self.truncation = truncation
        self.sources = sources.map { SourceState($0, at: now) }
        indices = Dictionary(sources.indices.map { (sources[$0].settings.name, $0) }, uniquingKeysWith: { a, _ in a })
        clock = ClockJudge(
            lastSound: lastSound, lastTruncation: lastTruncation,
            hasServers: sources.contains { $0.settings.isEnabled && !Origin($0.settings.url).host.isEmpty }, at: now)
        disk = DiskJudge(floor: limits.minimumFreeBytes)
        random = SeededRandom(seed: seed)
        for source in self.sources where ["retry-after", "rate-limit"].contains(source.record.dueReason) {
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
    public var nextWake: Duration? { timers.min?.at }

    /// Names of the configured sources.
    public var sourceNames: Set<String> { Set(indices.keys) }

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
            observe(facts, at: now)
            redirect(id, to: url, isPermanent: isPermanent, at: now)
        case .wrote(_, .reconciled(let records)): reconfigured(with: records, at: now)
        case .writeFailed(let id, let reason, let isPassing) where id == reconfiguration?.write:
            notReconfigured(reason: reason, isPassing: isPassing, at: now)
        case .wrote(let id, let result): wrote(id, result, at: now)
        case .writeFailed(let id, let reason, let isPassing):
            writeFailed(id, reason: reason, isPassing: isPassing, at: now)
        case .truncated: isTruncating = false
        case .configure(let configuration): configure(configuration, at: now)
        case .freeSpace(let bytes): observe(free: bytes, at: now)
        case .poll(let name):
            guard let index = indices[name] else {
                effects.append(.abandoned(source: name))
                break
            }
            if !noteIfStreaming(index, at: now) { begin(index, isForced: true, at: now) }
        case .abandon(let name): abandon(name, at: now)
        case .resetDone(let name):
            resetting.remove(name)
            if let index = indices[name] { scheduleDue(index) }
        case .stop: stop(at: now)
        }
        fireTimers(at: now)
        storeConfiguration()
        sendWaiting(at: now)
        let isDone = flights.isEmpty && purposes.isEmpty && !isTruncating && reconfiguration == nil
        if isStopping, !hasReportedStop, isDone || isPatienceOver {
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
                let source = sources[index]
                if source.settings.isEnabled, source.due <= now.uptime { begin(index, isForced: false, at: now) }
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
            case .farewell(let index): endFarewell(index, at: now)
            case .grace: abandonFlights()
            case .patience: isPatienceOver = true
            }
        }
    }

    mutating func scheduleDue(_ index: Int) {
        if sources[index].settings.isEnabled { set(.due(index), at: sources[index].due) }
    }

    // MARK: Writing

    mutating func write(_ content: StoreWrite, for purpose: WritePurpose) {
        lastNumber += 1
        let id = WriteID(number: lastNumber, poll: sources[purpose.source].poll?.number ?? 0)
        purposes[id] = purpose
        effects.append(.write(id, content))
    }

    mutating func newFetchID() -> FetchID { FetchID(number: newNumber()) }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func wrote(_ id: WriteID, _ result: StoreResult, at now: Moment) {
        guard let purpose = purposes.removeValue(forKey: id) else { return }
        if storePausedUntil == nil, storeFailures > 0, purpose.isStep {
            storeFailures = 0
            effects.append(.notice(.storeResumed))
        }
        // What a poll that was given up has written changes nothing here any more, but it needs no reads.
        guard sources[purpose.source].poll?.number == id.poll else {
            if case (.reservation(_, let reservation), .reserved(true)) = (purpose, result) {
                giveBack(reservation, of: purpose.source)
            }
            return
        }
        switch (purpose, result) {
        case (.beginning(let index), .begun(let record)): begun(index, record, at: now)
        case (.step(let index), .stepped(let counts)): sources[index].poll?.result.add(counts)
        case (.note(let index, let end), .stepped(let counts)): noted(index, end, counts, at: now)
        case (.end(let index, let end), .stepped(let counts)): ended(index, end, counts, at: now)
        case (.reservation(let key, _), .reserved(let isGranted)): reserved(key, isGranted, at: now)
        default: preconditionFailure("the store answered a write with the result of another")
        }
    }

    /// Pauses of the store in a row in which nothing that a poll brought could be written.
    private var storeFailures = 0
    /// A pause doubles from 30 s up to 16 minutes: each may cost a download that cannot be kept.
    private static let storePause = Duration.seconds(30)
    private static let mostDoublings = 5

    /// A full or failing disk is our fault: polls are abandoned without blame and begin again when the store recovers.
    /// What the store refuses although it works is a source's own trouble.
    private mutating func writeFailed(_ id: WriteID, reason: String, isPassing: Bool, at now: Moment) {
        guard let purpose = purposes.removeValue(forKey: id) else { return }
        let index = purpose.source
        // Later writes of a poll that was given up already fail after it.
        guard sources[index].poll?.number == id.poll else { return }
        guard isPassing else {
            let until = setBack(index, at: now)
            effects.append(
                .notice(.writeRefused(source: sources[index].settings.name, reason: reason, until: until)))
            return
        }
        abandonPoll(index, dueIn: .zero, at: now)
        guard storePausedUntil == nil else { return }
        let until = now.uptime + Self.storePause * (1 << min(storeFailures, Self.mostDoublings))
        storeFailures += 1
        storePausedUntil = until
        effects.append(.notice(.storePaused(reason: reason, until: now.wall(at: until))))
        set(.storeProbe, at: until)
    }

    private mutating func probeStore(at now: Moment) {
        storePausedUntil = nil
        beginDue(at: now)
    }

    /// Begins what fell due in a pause.
    private mutating func beginDue(at now: Moment) {
        for index in sources.indices where sources[index].due <= now.uptime && sources[index].settings.isEnabled {
            begin(index, isForced: false, at: now)
        }
    }

    // MARK: Free space

    /// How often the free space is looked at while polls pause for the lack of it: each look is a wake-up.
    private static let diskPause = Duration.seconds(30)

    private mutating func observe(free: Int64, at now: Moment) {
        for change in disk.observe(free: free) {
            switch change {
            case .paidReadsStopped:
                effects.append(.notice(.paidReadsStopped(free: free, floor: disk.floor)))
                hangUpAll(.lowDisk)
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
        hangUpAll(.stopping)
        set(.grace, at: now.uptime + Self.grace)
        set(.patience, at: now.uptime + Self.patience)
    }

    private mutating func abandonFlights() {
        for id in flights.keys.sorted(by: { $0.number < $1.number }) { effects.append(.cancel(id)) }
        flights = [:]
        heldFlights = 0
    }

    mutating func observe(_ facts: FetchFacts, at now: Moment) {
        guard let date = facts.serverDate, clock.observe(serverDate: date, at: now) else { return }
        effects.append(
            .notice(
                clock.isSound(now)
                    ? .clockTrusted : .clockDoubted(seconds: date.timeIntervalSince(now.wall).rounded())))
    }
}

/// How many requests at a time, and how far apart.
public struct EngineLimits: Sendable, Hashable {
    /// Requests under way at the same time; one older than `slotTime` no longer counts, so that stalled hosts, however
    /// many, do not keep others waiting.
    public var concurrency: Int
    /// Requests under way at the same time to one host.
    public var perHostConcurrency: Int
    /// Least time between the starts of two requests to one host.
    public var perHostGap: Duration
    /// Redirects followed for one request.
    public var maximumRedirects: Int
    /// Bytes that must be free for polls to begin, and twice as many for reads that cost money; 0: no matter.
    public var minimumFreeBytes: Int64

    /// How long a request counts against `concurrency`.
    static let slotTime = Duration.seconds(2)
    /// Requests under way whatever their age, as a multiple of `concurrency`.
    static let openFactor = 8

    /// Creates limits; the defaults are those of the configuration.
    public init(
        concurrency: Int = 64, perHostConcurrency: Int = 1, perHostGap: Duration = .seconds(1),
        maximumRedirects: Int = 5, minimumFreeBytes: Int64 = 0
    ) {
        self.concurrency = concurrency
        self.perHostConcurrency = perHostConcurrency
        self.perHostGap = perHostGap
        self.maximumRedirects = maximumRedirects
        self.minimumFreeBytes = minimumFreeBytes
    }
}

enum Timer: Sendable {
    case due(Int)
    case host
    case slot(FetchID)
    case truncation
    case storeProbe
    case diskProbe
    case note(Int)
    case farewell(Int)
    case grace
    case patience
}

private struct TimerEntry: Sendable, Comparable {
    var at: Duration
    /// Keeps timers of one time in the order in which they were set.
    var number: Int
    var timer: Timer

    static func < (a: Self, b: Self) -> Bool { (a.at, a.number) < (b.at, b.number) }
    static func == (a: Self, b: Self) -> Bool { a.number == b.number }
}

enum WritePurpose: Sendable {
    case beginning(Int)
    case step(Int)
    /// That the source's stream is open.
    case note(Int, PollEnd)
    case end(Int, PollEnd)
    case reservation(RequestKey, Reservation)
    case givingBack(Int)

    /// Whether it brings what a poll has found.
    var isStep: Bool {
        switch self {
        case .step, .note, .end: true
        case .beginning, .reservation, .givingBack: false
        }
    }

    var source: Int {
        switch self {
        case .beginning(let index), .step(let index), .note(let index, _), .end(let index, _), .givingBack(let index):
            index
        case .reservation(let key, _): key.source
        }
    }
}
