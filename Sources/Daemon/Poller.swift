import Dispatch
public import Engine
public import Fetching
import Foundation
public import Logging
public import Model
public import Store
import Synchronization

/// Makes one exchange with a server: `Fetcher.fetch`, or a test's script.
public typealias Network = @Sendable (FetchRequest) async throws(Failure) -> FetchOutcome

/// Owns the engine: hands it what happens and carries its effects out.
public final class Poller: Sendable {
    /// What comes of a poll: its report, or why there is none.
    typealias Outcome = Result<PollReport, Failure>

    private let time: TimeSource
    private let store: EventStore
    private let log: PollLog
    /// Writes what polls bring; others may have it do work on the store in between.
    let writer: StoreWriter
    private let inputs: AsyncStream<Input>
    private let inbox: AsyncStream<Input>.Continuation
    private let truncating = DispatchQueue(label: "visiventd.truncate")
    /// Who waits for a source's poll; nil once polling has ended.
    private let waiters = Mutex<[String: [CheckedContinuation<Outcome, Never>]]?>([:])
    /// How many resets of a source are under way.
    private let resets = Mutex<[String: Int]>([:])
    /// Who waits for another configuration to come into force.
    private let configuring = Mutex<CheckedContinuation<Result<SourceChanges, Failure>, Never>?>(nil)
    private let engine: Mutex<Engine>
    private let isStopping = Mutex(false)
    /// A configuration that could not be put into force.
    private let refused = Mutex<RefusedConfiguration?>(nil)
    private let manager: ServiceManager
    private let work: BlockingWork
    private let failures: FailedBodyRecorder
    private let worker: FetchWorker
    private let freeSpace: @Sendable () -> Int64?

    /// Brings an engine and its world together.
    ///
    /// - Parameters:
    ///   - engine: The engine, planned for the configured sources.
    ///   - store: Where events go.
    ///   - network: Makes the requests.
    ///   - authorization: Reads a source's `authorization_file`; asked for each request, so a token can be renewed.
    ///   - time: The clocks.
    ///   - logger: Where lines go.
    ///   - manager: The service manager, which hears how polling is doing.
    ///   - freeSpace: Bytes that are free where the database is; nil when that cannot be told. Asked when polls may begin
    ///     and after a truncation.
    ///   - logsFailures: Whether the log says that a source begins to fail; default true.
    public init(
        engine: Engine, store: EventStore, network: @escaping Network,
        authorization: @escaping @Sendable (_ file: String) throws(Failure) -> Secret, time: TimeSource, logger: Logger,
        manager: ServiceManager = .none, freeSpace: @escaping @Sendable () -> Int64? = { nil },
        logsFailures: Bool = true
    ) {
        self.engine = Mutex(engine)
        self.store = store
        self.time = time
        self.manager = manager
        work = BlockingWork { time.now().uptime }
        self.freeSpace = freeSpace
        log = PollLog(logger: logger, tellsFailures: logsFailures)
        let (stream, inbox) = AsyncStream.makeStream(of: Input.self)
        inputs = stream
        self.inbox = inbox
        writer = StoreWriter(store: store, work: work) { inbox.yield($0) }
        failures = FailedBodyRecorder(store: store, writer: writer, log: log, time: time)
        worker = FetchWorker(
            network: network, authorization: authorization, time: time, writer: writer, work: work, failures: failures
        ) { inbox.yield($0) }
    }

    /// Polls until `stop`; everything under way has ended when it returns.
    public func run() async {
        var fetches: [FetchID: Task<Void, Never>] = [:]
        var alarm = Alarm(time) { [inbox] in inbox.yield(.tick) }
        var pulse = ServicePulse(watchdog: manager.watchdog, at: time.now().uptime)
        if pulse.isTooSlow { log.watchdogIsTooShort() }
        inbox.yield(.tick)
        for await input in inputs {
            if let id = input.fetchID { fetches[id] = nil }
            let free = input.isTimeToLookAtTheDisk ? freeSpace() : nil
            let (effects, planned) = engine.withLock { engine in
                let now = time.now()
                let first = if let free { engine.handle(.freeSpace(free), at: now) } else { [Effect]() }
                return (first + engine.handle(input, at: now), engine.nextWake)
            }
            var isStopped = false
            for effect in effects {
                switch effect {
                case .write(let id, let content): writer.write(id, content)
                case .fetch(let order): fetches[order.id] = Task { [worker] in await worker.run(order) }
                case .cancel(let id): fetches.removeValue(forKey: id)?.cancel()
                case .truncate(let asOf): truncate(asOf: asOf)
                case .report(let report):
                    log.ended(report)
                    resume(report.source, with: .success(report))
                case .configured(let changes): configured(.success(changes))
                case .notConfigured(let reason, let isTransient):
                    configured(.failure(Failure(isTransient ? .ours : .operator, .notConfigured, reason)))
                case .abandoned(let source, let reason): resume(source, with: .failure(reason))
                case .notice(let notice): log.notice(notice)
                case .stopped: isStopped = true
                }
            }
            if isStopped { break }
            tell(&pulse, of: input, effects)
            alarm.set(pulse.wake(before: planned))
        }
        alarm.stop()
        for task in fetches.values { task.cancel() }
        inbox.finish()
        let left = waiters.withLock { waiters in
            defer { waiters = nil }
            return waiters ?? [:]
        }
        for waiter in left.values.joined() { waiter.resume(returning: .failure(Self.stopping)) }
        configured(.failure(Self.stopping))
        await failures.finish()
    }

    /// How the sources are doing, in a line for the service manager.
    var statusLine: String {
        engine.withLock { $0.summary }.line(at: time.now(), refused: refused.withLock { $0 })
    }

    /// What keeps all polls from beginning, as the status line has it; empty while they may begin.
    var pauses: String { engine.withLock { $0.summary }.pauses(at: time.now()).joined(separator: "; ") }

    /// Has the line for the service manager tell of a configuration that could not be put into force; nil: there is none.
    func note(_ refused: RefusedConfiguration?) { self.refused.withLock { $0 = refused } }

    /// Tells the service manager that an input has been handled, where it wants to know.
    private func tell(_ pulse: inout ServicePulse, of input: Input, _ effects: [Effect]) {
        guard manager.isPresent else { return }
        let now = time.now().uptime
        if effects.contains(where: \.changesStatus) { pulse.changed(at: now) }
        if case .tick = input {
            switch pulse.beat(oldest: work.oldest, at: now) {
            case .alive?: manager.alive()
            case .hung(let piece)?: log.hung(piece, for: now - piece.since)
            case nil: break
            }
        }
        if pulse.tellsStatus(at: now) { manager.status(statusLine) }
    }

    /// Stops: what is decoded is stored, requests under way have `Engine.shutdownTimeout` to end.
    public func stop() {
        isStopping.withLock { $0 = true }
        inbox.yield(.stop)
    }

    /// Forgets a source's state, or its events too; a poll of it under way is given up first.
    ///
    /// It takes one short piece of work after the other, between which others write; the source itself is not polled
    /// before the last. How a reset that is ended in the middle leaves the source says `SourceReset`.
    /// - Returns: How many events have gone.
    /// - Throws: `StoreError`; `Failure` when the daemon stops meanwhile.
    public func reset(_ source: String, includingEvents: Bool) async throws -> Int {
        var report: PollReport?
        resets.withLock { $0[source, default: 0] += 1 }
        defer {
            // What a poll stores while another reset of the source goes on would go with that.
            resets.withLock { resets in
                let others = (resets[source] ?? 1) - 1
                resets[source] = others > 0 ? others : nil
                if others == 0 { inbox.yield(.resetDone(source: source)) }
            }
        }
        // That its stream is open may be reported just now; it writes until the report of its end.
        repeat {
            report = try? await wait(for: source, after: .abandon(source: source)).get()
        } while report?.end.dueReason == .stream
        var reset = SourceReset(of: source, includingEvents: includingEvents)
        while !reset.isComplete {
            guard !isStopping.withLock({ $0 }) else {
                throw Failure(.ours, .stopping, "the daemon is stopping, and the reset is not complete: repeat it")
            }
            reset = try await writer.perform { [store, reset] in
                var next = reset
                try next.step(in: store)
                return next
            }
        }
        return reset.removed
    }

    /// Polls a source now, or waits for its poll under way.
    /// - Returns: The report; a failure, which is none of the source's, when nothing can be stored, disk, descriptors or
    ///   memory are short, the source is edited, reset or no longer configured, or the program stops.
    func pollNow(_ source: String) async -> Outcome { await wait(for: source, after: .poll(source: source)) }

    /// Polls sources now, all at once, and waits for the last of them.
    /// - Returns: What comes of each, in the order of the names.
    func pollNow(_ sources: [String]) async -> [Outcome] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            for (number, source) in sources.enumerated() {
                group.addTask { (number, await self.pollNow(source)) }
            }
            var outcomes = [Outcome](repeating: .failure(Self.stopping), count: sources.count)
            for await (number, outcome) in group { outcomes[number] = outcome }
            return outcomes
        }
    }

    /// Whether a source of that name is configured.
    func hasSource(_ name: String) -> Bool { engine.withLock { $0.hasSource(name) } }

    /// When the sources are due, as it looks now.
    var plan: PollPlan {
        let now = time.now()
        let dues = engine.withLock { $0.dues }.map { ($0.source, now.wall(at: max($0.at, now.uptime))) }
        return PollPlan(at: now.wall, dues: Dictionary(dues, uniquingKeysWith: { first, _ in first }))
    }

    /// Stores the plan, for `status`.
    func notePlan() async throws {
        let plan = plan
        try await writer.perform { [store] in try store.setPollPlan(plan) }
    }

    /// Puts another configuration into force, as soon as it is stored; one at a time.
    /// - Throws: `Failure` when it cannot be stored, of fault `ours` where it may be in a moment, else `operator`; then the
    ///   old one stays in force.
    func configure(_ configuration: EngineConfiguration) async throws(Failure) -> SourceChanges {
        let result: Result<SourceChanges, Failure> = await withCheckedContinuation { continuation in
            let isOpen = waiters.withLock { waiters in
                guard waiters != nil else { return false }
                configuring.withLock { $0 = continuation }
                return true
            }
            guard isOpen else { return continuation.resume(returning: .failure(Self.stopping)) }
            inbox.yield(.configure(configuration))
        }
        return try result.get()
    }

    private func configured(_ result: Result<SourceChanges, Failure>) {
        let continuation = configuring.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: result)
    }

    private static let stopping = Failure(.ours, .stopping, "the daemon is stopping")

    /// Hands the engine an input.
    /// - Returns: The source's next report, or why there will be none.
    private func wait(for source: String, after input: Input) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isOpen = waiters.withLock { waiters in
                waiters?[source, default: []].append(continuation)
                return waiters != nil
            }
            guard isOpen else { return continuation.resume(returning: .failure(Self.stopping)) }
            inbox.yield(input)
        }
    }

    private func resume(_ source: String, with outcome: Outcome) {
        for waiter in waiters.withLock({ $0?.removeValue(forKey: source) }) ?? [] { waiter.resume(returning: outcome) }
    }

    // MARK: Truncation

    private func truncate(asOf: Date) {
        truncating.async { [self, store, inbox, log] in
            do throws(StoreError) {
                log.truncated(try store.truncate(asOf: asOf) { self.isStopping.withLock { !$0 } })
            } catch {
                log.truncationFailed(error)
            }
            inbox.yield(.truncated)
        }
    }
}

extension Effect {
    /// Whether it changes what the service manager shows of the sources.
    fileprivate var changesStatus: Bool {
        switch self {
        case .report, .abandoned: true
        case .notice(.storePaused), .notice(.storeResumed), .notice(.writeRefused), .notice(.pollPostponed),
            .notice(.pollsStopped), .notice(.pollsResumed):
            true
        default: false
        }
    }
}

extension Input {
    /// The request this is the outcome of.
    fileprivate var fetchID: FetchID? {
        switch self {
        case .answered(let id, _, _), .unchanged(let id, _), .redirected(let id, _, _, _), .failed(let id, _, _): id
        default: nil
        }
    }

    /// Whether a poll may begin with it, or space may have come free.
    fileprivate var isTimeToLookAtTheDisk: Bool {
        switch self {
        case .tick, .poll, .truncated: true
        default: false
        }
    }
}
