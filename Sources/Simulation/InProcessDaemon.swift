package import Engine
import Feeds
package import Foundation
package import Model
package import Store
import TestSupport

/// The whole daemon on one thread: real engine, real feeds, real store, a test clock and a scripted network.
///
/// It carries the engine's effects out as `PollCarrier` does, but one after the other, so it can die after any of them.
package final class InProcessDaemon {
    /// 2026-03-01T00:00:00Z.
    package static let start = Date(timeIntervalSince1970: 1_772_323_200)
    /// How long the machine has been up at the start.
    package static let firstUptime = Duration.seconds(1000)

    /// A request as the network saw it.
    package struct Sent {
        /// Its name in the engine.
        package var id: FetchID
        /// The source's name.
        package var source: String
        /// What the feed asked for.
        package var request: FeedRequest
        /// Where it went.
        package var url: String
        /// What it said of the last answer.
        package var validators: Validators
        /// Wall time.
        package var at: Date
    }

    /// Answers a request; the harness decodes the body.
    package var network: (FetchOrder) -> ScriptedAnswer
    /// How long an answer takes; nil: none takes any time.
    package var latency: ((FetchOrder) -> Duration)?
    /// The Date header of an answer that lands at that moment; nil: `serverClockOffset` tells.
    package var serverDate: ((FetchOrder, Moment) -> Date?)?
    /// The server's clock less ours; nil: the server sends no date.
    package var serverClockOffset: TimeInterval? = 0
    /// Whether writes come after all requests that could be made without them, as when the disk is slow.
    package var writesLag = false
    /// Dies after so many effects, counted from the start of this life.
    package var lifetime: Int?
    /// Looks on.
    package weak var observer: (any DaemonObserver)?
    /// Whether the machine has died by itself; asked after each effect.
    package var hasMachineDied: () -> Bool = { false }
    /// What works on the geocode queue; nil: nothing is located.
    package let geocoding: GeocodeDriver?

    package internal(set) var store: EventStore
    package internal(set) var engine: Engine
    package internal(set) var now: Moment
    package internal(set) var sent: [Sent] = []
    package internal(set) var reports: [PollReport] = []
    package internal(set) var notices: [Notice] = []
    /// What reloads have changed.
    package internal(set) var reloads: [SourceChanges] = []
    package internal(set) var truncations: [(at: Date, asOf: Date)] = []
    /// What the store could not do.
    package internal(set) var storeFailures: [StoreError] = []
    /// Effects carried out in this life.
    package internal(set) var carriedOut = 0
    /// Whether this life has ended before its time.
    package internal(set) var isDead = false
    /// Whether the engine has ended after `stop`.
    package internal(set) var hasStopped = false

    private let directory: TemporaryDirectory
    /// The configuration in force.
    package internal(set) var settings: [SourceSettings]
    /// The configuration file, and what was read of it last.
    package internal(set) var file: ScriptedConfiguration
    var draft: [SourceSettings] = []
    private let watchesEdits: Bool
    let limits: EngineLimits
    let truncation: TruncationPlan
    private let seed: UInt64
    /// From which the moments are reckoned, so that no rounding errors add up.
    private var origin: Moment
    var inbox: [Input] = []
    var outbox: [Effect] = []
    /// Answers on their way, and requests by the writes that bring their answers.
    var flights: [(lands: Duration, order: FetchOrder, answer: ScriptedAnswer)] = []
    var origins: [WriteID: FetchID] = [:]
    /// Streams that are open.
    var streams: Set<FetchID> = []
    /// Streams that are open and send as time passes, and their batches on the way to the engine.
    var held: [HeldStream] = []
    var lines: [FetchID: [Data]] = [:]
    /// Who waits for a source's poll since when, as uptime.
    package internal(set) var waiting: [String: Duration] = [:]
    /// Told of copies and migrations when the database is opened.
    package var whenMigrating: (MigrationStep) -> Void = { _ in }
    var fence = WriteFence()
    /// Sources whose state may be forgotten.
    var resettable: Set<String> = []

    /// Opens a fresh database; nothing happens before `advance`.
    /// - Parameters:
    ///   - secrets: By source, then by the name polls know them by.
    ///   - geocoding: What locates events beside the polls, on the same store and clock.
    ///   - watchesEdits: Whether edits of the configuration file take effect by themselves.
    package init(
        _ settings: [SourceSettings], secrets: [String: [String: Secret]] = [:], limits: EngineLimits = EngineLimits(),
        truncation: TruncationPlan = TruncationPlan(), at wall: Date = InProcessDaemon.start, seed: UInt64 = 1,
        geocoding: GeocodeDriver? = nil, watchesEdits: Bool = false,
        network: @escaping (FetchOrder) -> ScriptedAnswer
    ) throws {
        let directory = TemporaryDirectory()
        let now = Moment(wall: wall, uptime: Self.firstUptime)
        let file = ScriptedConfiguration(settings, secrets: secrets)
        let life = try Self.begin(directory, settings, file, watchesEdits, limits, truncation, seed, at: now)
        self.directory = directory
        self.settings = settings
        self.file = file
        self.watchesEdits = watchesEdits
        self.limits = limits
        self.truncation = truncation
        self.seed = seed
        self.network = network
        self.geocoding = geocoding
        self.now = now
        origin = now
        store = life.store
        engine = life.engine
        try geocoding?.begin(store, at: now)
    }

    /// Begins anew with what is in the database: everything in memory is gone, the clocks go on.
    /// - Parameters:
    ///   - settings: Another configuration, which the file holds from now on; nil: the one that was in force.
    ///   - revival: What happens to the machine between the two lives, after a death of which the old store may know;
    ///     nil: the store is closed properly.
    package func restart(with settings: [SourceSettings]? = nil, revival: (() throws -> Void)? = nil) throws {
        if let revival {
            try? store.close()
            try revival()
        } else {
            try store.close()
        }
        inbox = []
        outbox = []
        flights = []
        origins = [:]
        streams = []
        held = []
        lines = [:]
        waiting = [:]
        fence = WriteFence()
        resettable = []
        carriedOut = 0
        lifetime = nil
        isDead = false
        hasStopped = false
        self.settings = settings ?? self.settings
        file.write(.good(self.settings), at: now)
        let life = try Self.begin(
            directory, self.settings, file, watchesEdits, limits, truncation, seed, at: now,
            whenMigrating: whenMigrating)
        store = life.store
        engine = life.engine
        try geocoding?.begin(store, at: now)
    }

    /// What `Daemon.init` does.
    private static func begin(
        _ directory: TemporaryDirectory, _ settings: [SourceSettings], _ file: ScriptedConfiguration,
        _ watchesEdits: Bool, _ limits: EngineLimits, _ truncation: TruncationPlan, _ seed: UInt64, at now: Moment,
        whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws -> (store: EventStore, engine: Engine) {
        let store = try EventStore(path: directory.path + "/events.sqlite", whenMigrating: whenMigrating)
        try store.reconcile(settings, at: now.wall)
        let reload = ReloadPlan(
            watchesEdits: watchesEdits, content: file.number, unread: file.unread(of: settings))
        let engine = Engine(
            sources: try bind(settings, file, try store.sources()), limits: limits, truncation: truncation,
            lastTrusted: try store.lastTrustedTime(), lastTruncation: try store.lastTruncation(), reload: reload,
            seed: seed, at: now)
        return (store, engine)
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

    /// Moves time on, waking the engine and the scheduler whenever they want to be woken.
    package func advance(_ duration: Duration) throws { try advance(to: now.uptime + duration) }

    /// Moves time on up to an uptime; ends earlier with a death or an orderly stop.
    package func advance(to end: Duration) throws {
        while !isDead, !hasStopped, let wake = nextWake, wake <= end {
            now = moment(max(wake, now.uptime))
            try pass()
        }
        guard !isDead, !hasStopped else { return }
        now = moment(end)
        try pass()
    }

    private var nextWake: Duration? {
        let landing = (flights.map { $0.lands } + held.compactMap(\.next)).min()
        return [engine.nextWake, geocoding?.nextWake, landing].compactMap { $0 }.min()
    }

    /// Hands over what has landed, and that time has passed.
    private func pass() throws {
        while !isDead, let next = flights.indices.min(by: { flights[$0].lands < flights[$1].lands }),
            flights[next].lands <= now.uptime
        {
            let flight = flights.remove(at: next)
            for input in inputs(flight.answer, to: flight.order) { try give(input) }
        }
        while !isDead, let inputs = readStreams() {
            for input in inputs where !isDead { try give(input) }
        }
        try give(.tick)
    }

    /// Moves time on as a suspend does: the engine learns of it afterwards.
    package func sleep(until wall: Date) throws {
        try suspend(for: .milliseconds(wall.milliseconds - now.wall.milliseconds))
    }

    /// Moves time on as a suspend does; what was under way is cut.
    package func suspend(for duration: Duration) throws {
        let failure = Failure(.network, .reset, "the connection broke while the machine slept")
        let cut =
            flights.map { Input.failed($0.order.id, failure, FetchFacts()) }
            + openStreams.flatMap { close($0.id, failure) }
        flights = []
        now = moment(now.uptime + duration)
        for input in cut { try give(input) }
        try give(.tick)
    }

    /// Sets the wall clock; the time that passes is not touched by it.
    package func stepWallClock(by seconds: TimeInterval) {
        now = Moment(wall: now.wall.addingTimeInterval(seconds), uptime: now.uptime)
        origin = now
    }

    private func moment(_ uptime: Duration) -> Moment { Moment(wall: origin.wall(at: uptime), uptime: uptime) }

    /// Asks engine and scheduler to stop, and waits until they have.
    package func stop() throws {
        geocoding?.stop()
        try give(.stop)
        try advance(to: now.uptime + .seconds(10))
    }

    /// Ends this life here: nothing more is carried out before `restart`.
    package func die() { isDead = true }
}
