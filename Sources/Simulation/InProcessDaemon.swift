import Daemon
package import Engine
import Feeds
package import Fetching
package import Foundation
import Logging
package import Model
package import Pictures
package import Store
import TestSupport

/// The whole daemon on one thread: the shipped shell, engine, feeds and store, a test clock and a scripted network.
///
/// The shell's tasks and queues run step by step, so it can die after any effect. `@unchecked` because its executor runs
/// all of them on the thread that moves it.
package final class InProcessDaemon: @unchecked Sendable {
    /// 2026-03-01T00:00:00Z.
    package static let start = Date(timeIntervalSince1970: 1_772_323_200)
    /// Uptime of the machine at the start: 1000 s.
    package static let firstUptime = Duration.seconds(1000)

    /// Answers a request; bodies are decoded by the feed. It runs on the daemon's thread, at the time of sending.
    package var network: (FetchOrder) -> ScriptedAnswer
    /// Time from a request to its answer; nil, the default: none.
    package var latency: ((FetchOrder) -> Duration)?
    /// The Date header of an answer at the moment of its arrival (nil: it has none); nil, the default:
    /// `serverClockOffset` decides.
    package var serverDate: ((FetchOrder, Moment) -> Date?)?
    /// The server's clock minus ours, in seconds; nil: answers have no Date header. Default 0.
    package var serverClockOffset: TimeInterval? = 0
    /// Whether writes wait until no other effect is left, as with a slow disk. Default false.
    package var writesLag = false
    /// The number of effects in this life after which the daemon dies; nil, the default: no limit. `restart` makes it
    /// nil.
    package var lifetime: Int?
    /// Observes the run; nil: nobody does. It is not retained.
    package weak var observer: (any DaemonObserver)?
    /// Whether the machine has died by itself, as on a dead `FaultyDisk`; called after each effect. Default: never.
    package var hasMachineDied: () -> Bool = { false }
    /// Locates events of the geocode queue; nil: the queue is left alone.
    package let geocoding: GeocodeDriver?
    /// Tells targets of events; nil: nobody is told.
    package let telling: TellingDriver?

    /// Answers a request for a picture; it runs at the time of sending.
    package var pictureNetwork: (FetchRequest) -> Result<FetchOutcome, Failure> = { _ in
        .failure(Failure(.network, .unreachable, "there is no host"))
    }
    /// Requests for pictures of all lives, with their times.
    package internal(set) var picturesSent: [(url: String, at: Moment)] = []
    /// Where pictures are kept; nil: nowhere.
    package let pictures: PictureStore?

    /// The store of this life; closed between two lives.
    package internal(set) var store: EventStore
    /// The engine of this life.
    package var engine: Engine { life.poller.state }
    /// The present moment; only the methods below move it.
    package var now: Moment { clock.now }
    /// Requests of all lives in order, cancelled and failed ones included; each is made at its `context.now`.
    package internal(set) var sent: [FetchOrder] = []
    /// Reports of ended polls, of all lives, in order.
    package internal(set) var reports: [PollReport] = []
    /// Notices of the engine, of all lives, in order.
    package internal(set) var notices: [Notice] = []
    /// The changes by each reload in force, of all lives, in order; a reload without changes is an empty entry.
    package internal(set) var reloads: [SourceChanges] = []
    /// Truncations begun in all lives: wall time, and the time as of which events expire. Failed ones are among them.
    package internal(set) var truncations: [(at: Date, asOf: Date)] = []
    /// Errors of writes, resets and truncations, of all lives, in order.
    package internal(set) var storeFailures: [StoreError] = []
    /// Number of effects carried out in this life, those of `geocoding` and `telling` included. A request counts when it is sent, a
    /// write or a truncation when it has ended.
    package internal(set) var carriedOut = 0
    /// Whether this life has ended by death; `restart` begins the next.
    package internal(set) var isDead = false
    /// Whether engine and requests have ended after `stop`; false again after `restart`.
    package internal(set) var hasStopped = false

    private let directory: TemporaryDirectory
    /// The configuration in force, at first that of `init`; a reload in force or `restart` changes it.
    package internal(set) var settings: [SourceSettings]
    /// The configuration file, and the settings that were read from it last.
    package internal(set) var file: ScriptedConfiguration
    var draft: [SourceSettings] = []
    /// Whether the draft needs another locator.
    var relocates = false
    private let watchesEdits: Bool
    let limits: EngineLimits
    let truncation: TruncationPlan
    private let seed: UInt64
    private let clock: SimulatedClock
    let link: Link
    /// The shell of this life, and what it has under way.
    var life: Life
    /// Requests that wait for their answers.
    var flights: [Flight] { life.flights }
    /// Sources whose poll a client waits for, with the uptime of its request.
    package internal(set) var waiting: [String: Duration] = [:]
    /// Called for each step of a migration when `restart` opens the database; default: nothing.
    package var whenMigrating: (MigrationStep) -> Void = { _ in }
    /// The first error of the observer that is not thrown yet.
    private var fault: (any Error)?

    /// Leads from a shell to its daemon.
    final class Link: @unchecked Sendable {
        weak var daemon: InProcessDaemon?
    }

    /// A shell with what it has under way. With a death it is lost, and its tasks stay where they are.
    struct Life {
        let poller: Poller
        let network: Network
        let executor: StepExecutor
        let time: TimeSource
        /// Orders that are not sent yet.
        var orders: [FetchOrder] = []
        var flights: [Flight] = []
        /// Open streams, and their batches on the way to the engine.
        var held: [HeldStream] = []
        var lines: [FetchID: [Data]] = [:]
        /// Requests whose stream is open.
        var opened: Set<FetchID> = []
        /// Requests whose outcome the engine does not want any more.
        var cancelled: Set<FetchID> = []
        /// Requests by the writes that store their answers.
        var origins: [WriteID: FetchID] = [:]
    }

    /// Opens a fresh database in a temporary directory; nothing happens before `advance`.
    /// - Parameters:
    ///   - settings: The configuration in force and the content of the file.
    ///   - secrets: Secrets by source, then by the name that polls use.
    ///   - wall: Wall time at `firstUptime`.
    ///   - seed: Decides the engine's random numbers.
    ///   - geocoding: Locates events on the same store and clock; nil: nothing does.
    ///   - telling: Tells targets of events; nil, the default: nobody is told.
    ///   - pictureHosts: The hosts whose pictures are kept; nil, the default: none.
    ///   - pictureBytes: The most bytes of pictures.
    ///   - watchesEdits: Whether edits of the configuration file take effect by themselves.
    /// - Throws: `StoreError`, an error of a feed's settings, or `SimulationError` for an unknown kind.
    package init(
        _ settings: [SourceSettings], secrets: [String: [String: Secret]] = [:], limits: EngineLimits = EngineLimits(),
        truncation: TruncationPlan = TruncationPlan(), at wall: Date = InProcessDaemon.start, seed: UInt64 = 1,
        geocoding: GeocodeDriver? = nil, telling: TellingDriver? = nil, pictureHosts: PictureHosts? = nil,
        pictureBytes: Int = 200_000_000, watchesEdits: Bool = false, network: @escaping (FetchOrder) -> ScriptedAnswer
    ) throws {
        let directory = TemporaryDirectory()
        let now = Moment(wall: wall, uptime: Self.firstUptime)
        let file = ScriptedConfiguration(settings, secrets: secrets)
        pictures = pictureHosts.map {
            PictureStore(beside: directory.path + "/events.sqlite", hosts: $0, maximumBytes: pictureBytes)
        }
        try pictures?.prepare()
        clock = SimulatedClock(at: now)
        link = Link()
        (store, life) = try Self.begin(
            directory, settings, file, watchesEdits, limits, truncation, seed, pictures, clock, link)
        self.directory = directory
        self.settings = settings
        self.file = file
        self.watchesEdits = watchesEdits
        self.limits = limits
        self.truncation = truncation
        self.seed = seed
        self.network = network
        self.geocoding = geocoding
        self.telling = telling
        link.daemon = self
        try geocoding?.begin(self, settings)
        telling?.begin(self)
        run()
    }

    /// Begins a new life with the content of the database: everything in memory is lost, the clocks go on.
    /// - Parameters:
    ///   - settings: Another configuration, which replaces the file's content; nil: the one in force.
    ///   - revival: Called between the two lives after a death, for which the old store is closed as far as it can be;
    ///     nil: the store is closed properly.
    /// - Throws: Errors of `revival`, and those of `init`; then there is no life, and `restart` may be called again.
    package func restart(with settings: [SourceSettings]? = nil, revival: (() throws -> Void)? = nil) throws {
        if let revival {
            try? store.close()
            try revival()
        } else {
            try store.close()
        }
        waiting = [:]
        carriedOut = 0
        lifetime = nil
        isDead = false
        hasStopped = false
        self.settings = settings ?? self.settings
        file.write(.good(self.settings), at: now)
        (store, life) = try Self.begin(
            directory, self.settings, file, watchesEdits, limits, truncation, seed, pictures, clock, link,
            whenMigrating: whenMigrating)
        try geocoding?.begin(self, self.settings)
        telling?.begin(self)
        run()
    }

    /// Opens the store and creates the shell, like `Daemon.init`.
    private static func begin(
        _ directory: TemporaryDirectory, _ settings: [SourceSettings], _ file: ScriptedConfiguration,
        _ watchesEdits: Bool, _ limits: EngineLimits, _ truncation: TruncationPlan, _ seed: UInt64,
        _ pictures: PictureStore?, _ clock: SimulatedClock, _ link: Link,
        whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws -> (store: EventStore, life: Life) {
        let now = clock.now
        let store = try EventStore(path: directory.path + "/events.sqlite", whenMigrating: whenMigrating)
        let authorities = try bind(settings, file, []).authorities
        try store.reconcile(settings, authorities: authorities, at: now.wall)
        let reload = ReloadPlan(
            watchesEdits: watchesEdits, content: file.number, faults: file.faults(of: settings),
            locator: locatorPlan(settings))
        let engine = Engine(
            sources: try bind(settings, file, try store.sources()), limits: limits, truncation: truncation,
            lastTrusted: try store.lastTrustedTime(), lastTruncation: try store.lastTruncation(),
            documentPauses: try store.documentPauses(), reload: reload,
            pictures: pictures.map { PicturePlan(hosts: $0.hosts) }, seed: seed, at: now)
        clock.reset()
        let executor = StepExecutor()
        let time = clock.time(on: executor)
        let network: Network = { request async throws(Failure) in
            guard let daemon = link.daemon else { throw Failure(.ours, .cancelled, "the daemon is gone") }
            return try await daemon.exchange(request)
        }
        let poller = Poller(
            engine: engine, store: store, network: network,
            authorization: { _ throws(Failure) in Secret("simulated") }, time: time,
            logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() },
            pictures: pictures, logsFailures: false, watch: watch(link))
        return (store, Life(poller: poller, network: network, executor: executor, time: time))
    }

    /// Starts the shell; its first step is `give`'s or `advance`'s.
    private func run() {
        let (poller, link) = (life.poller, link)
        life.time.task {
            await poller.run()
            link.daemon?.hasStopped = true
        }
        life.time.task { for await step in poller.reloads { link.daemon?.follow(step) } }
    }

    static func bind(
        _ settings: [SourceSettings], _ file: ScriptedConfiguration, _ records: [SourceRecord]
    ) throws -> [EngineSource] {
        try settings.map { source in
            guard let feed = try FeedRegistry.feed(for: source) else {
                throw SimulationError("there is no kind \(source.kind)")
            }
            return EngineSource(
                settings: source, feed: feed, secrets: file.secrets(of: source.name),
                record: records.first { $0.name == source.name })
        }
    }

    // MARK: - Time

    /// Moves time forward, waking the engine and the scheduler whenever they ask for it; throws like `advance(to:)`.
    package func advance(_ duration: Duration) throws { try advance(to: now.uptime + duration) }

    /// Moves time forward up to an uptime; ends earlier with a death or an orderly stop. It must not be past. Throws
    /// like `give`.
    package func advance(to end: Duration) throws {
        try drain()
        while !isDead, !hasStopped, let wake = nextWake, wake <= end {
            clock.move(to: max(wake, now.uptime))
            try pass()
        }
        guard !isDead, !hasStopped else { return }
        clock.move(to: end)
        try give(.tick)
    }

    private var nextWake: Duration? {
        let arrivals = life.flights.map(\.lands) + life.held.compactMap(\.next)
        return [clock.nextRing, geocoding?.nextWake, arrivals.min()].compactMap { $0 }.min()
    }

    /// Delivers what has arrived, and rings what is due.
    private func pass() throws {
        while !isDead, let next = life.flights.indices.min(by: { life.flights[$0].lands < life.flights[$1].lands }),
            life.flights[next].lands <= now.uptime
        {
            life.flights.remove(at: next).landing.resume(returning: nil)
            try drain()
        }
        while !isDead, try readStreams() {}
        geocoding?.land(at: now)
        clock.ring()
        try drain()
    }

    /// Suspends the machine until a wall time, which must not be past; throws like `give`.
    package func sleep(until wall: Date) throws {
        try suspend(for: .milliseconds(wall.milliseconds - now.wall.milliseconds))
    }

    /// Suspends the machine: time passes, then connections and requests under way fail with code `reset`. Throws like
    /// `give`.
    package func suspend(for duration: Duration) throws {
        try drain()
        let failure = Failure(.network, .reset, "the connection broke while the machine slept")
        clock.move(to: now.uptime + duration)
        let (flights, streams) = (life.flights, life.held)
        (life.flights, life.held) = ([], [])
        for flight in flights where !isDead {
            flight.landing.resume(returning: failure)
            try drain()
        }
        for stream in streams where !isDead {
            stream.body.finish(failure)
            try drain()
        }
        clock.ring()
        try give(.tick)
    }

    /// Steps the wall clock by seconds, backwards if negative; the uptime does not change. The engine notices at its
    /// next input.
    package func stepWallClock(by seconds: TimeInterval) {
        clock.step(by: seconds)
    }

    /// Stops engine and scheduler in an orderly way; 10 s pass, or fewer if all has ended (`hasStopped`). Throws like
    /// `give`.
    package func stop() throws {
        geocoding?.stop()
        telling?.stop()
        life.poller.stop()
        try advance(to: now.uptime + .seconds(10))
    }

    /// Ends this life as a kill would: nothing is carried out before `restart`. Open files stay open until then.
    package func die() { isDead = true }

    // MARK: - Steps

    /// Gives the engine an input and carries out all that follows from it, until the death of this life; time does not
    /// move.
    /// - Throws: Errors of the observer and of `geocoding`, and `SimulationError`. A `StoreError` of a write goes to the
    ///   engine instead.
    package func give(_ input: Input) throws {
        life.poller.tell(input)
        try drain()
    }

    /// Runs steps until none is left or this life has died. Throws like `give`.
    func drain() throws {
        while !isDead, life.executor.step(last: writesLag ? StoreWriter.label : nil) {
            if let fault {
                self.fault = nil
                throw fault
            }
            if let lifetime, carriedOut >= lifetime { isDead = true }
            if hasMachineDied() { isDead = true }
        }
    }

    /// Calls the observer; its error ends the run after this step.
    func observe(_ call: () throws -> Void) {
        do { try call() } catch { fault = fault ?? error }
    }
}
