import Control
package import Engine
public import Fetching
package import Foundation
package import Logging
public import Model
package import Pictures
package import Store
import Synchronization

/// Makes one exchange with a server: `Fetcher.fetch`, or a test's script. It returns an answer, 304, a redirect or an
/// open stream, and throws the `Failure` of any other outcome; cancelling its task ends it.
public typealias Network = @Sendable (FetchRequest) async throws(Failure) -> FetchOutcome

/// Owns the engine: passes it inputs and carries out its effects. Safe to use from any thread.
public final class Poller: Sendable {
    /// The outcome of a poll: its report, or the reason why there is none.
    package typealias Outcome = Result<PollReport, Failure>
    /// A host that wants to be left alone until a wall time.
    package typealias Pause = (host: String, until: Date)

    private let time: TimeSource
    private let store: EventStore
    private let log: PollLog
    /// Writes the results of polls; other work on the store runs between the writes.
    package let writer: StoreWriter
    private let inputs: AsyncStream<Input>
    private let inbox: AsyncStream<Input>.Continuation
    /// Callers that wait for a source's poll.
    private let polls = Waiters<String, Outcome>(last: .failure(Poller.stopping))
    /// Steps of reloads, in order; the stream ends with `run`.
    package let reloads: AsyncStream<ReloadStep>
    private let reloading: AsyncStream<ReloadStep>.Continuation
    /// The pauses that hosts ask for; the stream ends with `run`.
    package let askedPauses: AsyncStream<Pause>
    private let pausing: AsyncStream<Pause>.Continuation
    private let engine: Mutex<Engine>
    /// A configuration that could not be put into force; nil if there is none.
    private let refused = Mutex<RefusedConfiguration?>(nil)
    private let manager: ServiceManager
    private let work: BlockingWork
    private let failures: FailedBodyRecorder
    private let worker: FetchWorker
    private let resets: ResetRunner
    private let truncator: Truncator
    private let pictures: PictureWorker?
    private let freeSpace: @Sendable () -> Int64?
    /// Asks for the free space, which blocks while a mount hangs.
    private let spaceQueue: WorkQueue
    private let watch: ShellWatch

    /// Creates a poller; nothing happens before `run`.
    ///
    /// - Parameters:
    ///   - engine: The engine, with the plan for the configured sources.
    ///   - store: Where events go.
    ///   - network: Makes the requests.
    ///   - authorization: Reads a source's `authorization_file`, given its path; called for each request, so a token
    ///     can be renewed. Its failure is that of the request.
    ///   - time: The clocks.
    ///   - logger: Takes the log lines.
    ///   - manager: The service manager, which is told the status; default: none.
    ///   - freeSpace: Returns the free bytes in the database's file system; nil, the default: unknown. Called before
    ///     ticks, after a truncation, and before polls, for these once a second at the most.
    ///   - pictures: Where pictures are kept, if the engine has a plan for them; nil, the default: nowhere.
    ///   - logsFailures: Whether the log reports failing sources; default true.
    ///   - watch: Sees what happens, for a simulation; default: nobody.
    package init(
        engine: Engine, store: EventStore, network: @escaping Network,
        authorization: @escaping @Sendable (_ file: String) throws(Failure) -> Secret, time: TimeSource, logger: Logger,
        manager: ServiceManager = .none, freeSpace: @escaping @Sendable () -> Int64? = { nil },
        pictures: PictureStore? = nil, logsFailures: Bool = true, watch: ShellWatch = ShellWatch()
    ) {
        self.watch = watch
        spaceQueue = time.queue("visiventd.space")
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
        (reloads, reloading) = AsyncStream.makeStream(of: ReloadStep.self)
        (askedPauses, pausing) = AsyncStream.makeStream(of: Pause.self, bufferingPolicy: .bufferingNewest(64))
        writer = StoreWriter(store: store, time: time, work: work, watch: watch) { inbox.yield($0) }
        resets = ResetRunner(store: store, writer: writer, time: time) { inbox.yield($0) }
        self.pictures = pictures.map { [writer] pictures in
            PictureWorker(
                pictures, store: store, writer: writer, network: network, time: time, logger: logger
            ) { inbox.yield(.picture($0)) }
        }
        truncator = Truncator(store: store, time: time, log: log, watch: watch) { inbox.yield($0) }
        failures = FailedBodyRecorder(store: store, writer: writer, log: log, time: time)
        worker = FetchWorker(
            network: network, authorization: authorization, time: time, writer: writer, work: work, failures: failures,
            watch: watch
        ) { inbox.yield($0) }
    }

    /// Polls until `stop`, and returns when everything under way has ended. Call it once; a second poller needs
    /// another engine.
    public func run() async {
        var carrier = PollCarrier(
            writer: writer, worker: worker, truncator: truncator, resets: resets, polls: polls,
            reloads: reloading, pauses: pausing, pictures: pictures, log: log, time: time)
        var alarm = Alarm(time) { [inbox] in inbox.yield(.tick) }
        var service = ServiceReporter(manager, work: work, log: log, at: time.now().uptime)
        let following = pictures.map { pictures in time.task { await pictures.follow() } }
        var spaceSeen: Duration?
        inbox.yield(.tick)
        for await input in inputs {
            carrier.note(input)
            watch.takes(input)
            let (effects, wake) = await handle(input, &spaceSeen)
            watch.gives(input, effects)
            for effect in effects { carrier.carryOut(effect) }
            if carrier.isStopped { break }
            service.handled(input, effects, at: time.now().uptime, status: statusLine)
            alarm.set(service.wake(before: wake))
        }
        alarm.stop()
        carrier.end()
        following?.cancel()
        await following?.value
        inbox.finish()
        polls.close()
        resets.close()
        reloading.finish()
        pausing.finish()
        await failures.finish()
    }

    /// Hands the engine an input, preceded by the free space if the input wants it.
    /// - Parameter spaceSeen: The uptime of the last look at the free space; many polls are begun in one second.
    /// - Returns: The effects, and the uptime of the engine's next wake-up.
    private func handle(_ input: Input, _ spaceSeen: inout Duration?) async -> (effects: [Effect], wake: Duration?) {
        let uptime = time.now().uptime
        var looks = input.wantsFreeSpace
        if case .poll = input, let spaceSeen, uptime - spaceSeen < .seconds(1) { looks = false }
        let free = await looks ? spaceQueue.value(of: freeSpace) : nil
        return engine.withLock { engine in
            // Where room was short, the next poll looks again.
            defer { if looks { spaceSeen = engine.hasRoomOnDisk ? uptime : nil } }
            let now = time.now()
            let first = if let free { engine.handle(.freeSpace(free), at: now) } else { [Effect]() }
            return (first + engine.handle(input, at: now), engine.nextWake)
        }
    }

    /// The state of all sources in one line, for the service manager.
    var statusLine: String {
        engine.withLock { $0.summary }.line(at: time.now(), refused: refused.withLock { $0 })
    }

    /// Why all polls pause, as in the status line; empty if they do not.
    var pauses: String { engine.withLock { $0.summary }.pauses(at: time.now()).joined(separator: "; ") }

    /// How far the clock is from servers, as in the status line; nil unless it is known to be wrong.
    var clockError: Int? { engine.withLock { $0.summary }.clockError }

    /// When polls begin again that pause because nothing can be stored, in words; nil if they do not.
    var nextStoreTry: String? { engine.withLock { $0.summary }.nextStoreTry(at: time.now()) }

    /// Shows a configuration that could not be put into force in the status line; nil removes it.
    func note(_ refused: RefusedConfiguration?) { self.refused.withLock { $0 = refused } }

    /// Stops: decoded data is stored, and requests under way have `Engine.shutdownTimeout` to end. Returns at once;
    /// `run` returns later. A second call changes nothing.
    public func stop() {
        resets.stop()
        truncator.stop()
        inbox.yield(.stop)
    }

    /// Removes a source's state, or its events, too, as `ResetRunner` does; a poll of it under way is abandoned first.
    /// Needs `run`.
    /// - Returns: The number of events removed; 0 without `includingEvents`.
    /// - Throws: `StoreError`, such as `unknownSource`; `Failure` with code `stopping` if the daemon stops meanwhile.
    ///   A repeated reset does the rest.
    public func reset(_ source: String, includingEvents: Bool) async throws -> Int {
        try await resets.run(source, includingEvents: includingEvents)
    }

    /// Corrects the place of an event, or takes a correction back, between the polls' writes.
    /// - Throws: `StoreError` as `EventStore.correct`.
    func correct(
        _ event: String, _ correction: PlaceCorrection, by user: String
    ) async throws -> CorrectionOutcome {
        let now = time.now().wall
        return try await writer.perform { [store] in try store.correct(event, correction, by: user, at: now) }
    }

    /// Polls a source now, or waits for its poll under way.
    /// - Returns: The report, or a failure that is not the source's: the store fails, disk space, descriptors or memory
    ///   are short, the host wants to be left alone, the source is edited, reset or not configured, or the program
    ///   stops.
    package func pollNow(_ source: String) async -> Outcome {
        await polls.wait(for: source) { [inbox] in inbox.yield(.poll(source: source)) }
    }

    /// Polls sources now, all at once, and waits for the last of them.
    /// - Returns: The outcomes, in the order of the names.
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

    /// The present plan of all polls.
    var plan: PollPlan {
        let now = time.now()
        let dues = engine.withLock { $0.dues }.map { ($0.source, now.wall(at: max($0.at, now.uptime))) }
        return PollPlan(at: now.wall, dues: Dictionary(dues, uniquingKeysWith: { first, _ in first }))
    }

    /// The sources that are held back by a pause of their host, by name.
    var hostPauses: [String: HostPause] {
        let now = time.now()
        let pauses = engine.withLock { $0.hostPauses(at: now) }.map {
            ($0.source, HostPause(host: $0.host, until: now.wall(at: $0.until)))
        }
        return Dictionary(pauses, uniquingKeysWith: { first, _ in first })
    }

    /// Stores the plan, for `status`.
    func notePlan() async throws {
        let plan = plan
        try await writer.perform { [store] in try store.setPollPlan(plan) }
    }

    /// Passes the engine an input about the configuration.
    func tell(_ input: ReloadInput) { tell(.reload(input)) }

    /// Passes the engine an input.
    package func tell(_ input: Input) { inbox.yield(input) }

    /// The present state of the engine.
    package var state: Engine { engine.withLock { $0 } }

    private static let stopping = Failure(.ours, .stopping, "the daemon is stopping")
}
