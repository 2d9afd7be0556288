public import Control
public import Engine
import Fetching
import Files
import Foundation
import Gazetteer
import Geocoding
public import Logging
public import Model
import Operations
import Pictures
import SQLite
public import ServiceLifecycle
public import Settings
public import Store
import Synchronization

/// The running program: one database, one engine, one control socket.
public final class Daemon: Service {
    /// The store, which commands may read beside the polls. Its calls block.
    public let store: EventStore
    /// The file of the configuration; nil if it is never reloaded.
    let configuration: ConfigurationFile?
    /// The configuration at the start.
    let atStart: ReloadState
    /// Callers that wait for a reload by command; each has a report of its own.
    let reloadWaiters = Waiters<ReloadCause, [ControlReply]>(last: Daemon.notReloaded)
    let secrets: SecretReader
    let time: TimeSource
    let fetcher: Fetcher?
    /// Sends messages: no connection and no cookie is shared with the polls.
    private let messages: MessageNetwork
    let poller: Poller
    let logger: Logger
    private let version: String
    /// Notices edits of the configuration while the daemon runs.
    let watcher = Mutex<FileWatcher?>(nil)
    private let lock: DatabaseLock
    let manager: ServiceManager
    let locators: LocatorSlot
    /// Tells targets what watches accept.
    let reporter: Reporter
    /// Creates a locator for a configuration; it goes on with the log of another.
    let makeLocator: @Sendable (Settings, ConfiguredServices, LocatorLog?) throws(StoreError) -> Locator

    /// Opens the database, blocking the thread, and plans the first polls. Nothing is requested before `run` or
    /// `poll`.
    ///
    /// - Parameters:
    ///   - settings: The validated configuration.
    ///   - sources: The configured sources, bound to their kinds.
    ///   - secrets: Reads secret files.
    ///   - time: The clocks; default: the machine's.
    ///   - seed: Seed of the back-off's spread.
    ///   - network: Makes requests; nil, the default: libcurl.
    ///   - post: Sends messages of watches; nil, the default: libcurl.
    ///   - onDemandOnly: Whether sources are polled only by `poll(_:)`; default false. Then the caller reports faults
    ///     of the sources and their credentials, not the log.
    ///   - configuration: The file to reload the settings from; nil, the default: they are never reloaded.
    ///   - manager: The service manager, which is told of readiness and status; default: none.
    ///   - version: The program's version for the log; default: none.
    ///   - logger: Takes the log lines.
    /// - Throws: `DaemonError` if the database or the control socket is in use, or cannot be used; `StoreError` if the
    ///   database cannot be opened; `Failure` if libcurl cannot be set up.
    public init(
        settings: Settings, sources: [EngineSource], secrets: SecretReader, time: TimeSource = .live, seed: UInt64,
        network: Network? = nil, post: Network? = nil, onDemandOnly: Bool = false, manager: ServiceManager = .none,
        configuration: ConfigurationFile? = nil, version: String = "", logger: Logger
    ) throws {
        self.configuration = configuration
        let contents = configuration?.contents
        self.secrets = secrets
        self.time = time
        self.logger = logger
        self.version = version
        self.manager = manager
        // These checks come first, so that a refusal leaves no file behind.
        try DatabasePath.mustBeUsable(settings.database)
        if !onDemandOnly, let socket = settings.controlSocket, !DatabaseLock.isHeld(database: settings.database) {
            try UnixSocket.mustBeFree(socket)
        }
        lock = try DatabaseLock(database: settings.database)
        let (store, hasTextChanged) = try manager.whileStarting {
            manager.status("opening the database")
            var told = ""
            let store = try EventStore(path: settings.database) { step in
                logger.migration(step)
                // The part copied is reported several times a second.
                guard step.words != told else { return }
                told = step.words
                manager.status(told)
            }
            return (store, try store.setFullText(settings.hasFullText))
        }
        self.store = store
        let now = time.now()
        if hasTextChanged {
            logger.notice(settings.hasFullText ? "full text is indexed" : "full text is no longer indexed")
        }
        try store.setRefusedConfiguration(nil)
        try store.reconcile(settings.sources, authorities: sources.authorities, at: now.wall)
        let records = Dictionary(try store.sources().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let sources = sources.map { source in
            var source = source
            if onDemandOnly { source.settings.isEnabled = false }
            return source
        }
        let read = ReadConfiguration(settings, sources, secrets)
        read.warn(logger, ofServices: !onDemandOnly)
        if !onDemandOnly { read.warnOfExposure(logger) }
        atStart = ReloadState(read, contents: contents)
        let reload = configuration.map { _ in
            ReloadPlan(
                watchesEdits: settings.reloadsOnEdit, faults: read.faults, locator: read.locatorPlan(settings))
        }
        let pictures = Self.pictures(settings, onDemandOnly: onDemandOnly, logger: logger)
        let engine = Engine(
            sources: read.engineSources(records), limits: settings.engineLimits, truncation: settings.truncationPlan,
            lastTrusted: try store.lastTrustedTime(), lastTruncation: try store.lastTruncation(),
            documentPauses: try store.documentPauses(), reload: reload,
            pictures: pictures.map { PicturePlan(hosts: $0.hosts) }, seed: seed, at: now)
        let send: Network
        if let network {
            fetcher = nil
            send = network
        } else {
            let fetcher = try Fetcher(limits: settings.fetchLimits, now: { time.now().wall })
            self.fetcher = fetcher
            send = fetcher.fetch
        }
        poller = Poller(
            engine: engine, store: store, network: send, authorization: secrets.read, time: time, logger: logger,
            manager: manager, freeSpace: { FreeSpace.bytes(at: settings.database) },
            pictures: pictures, logsFailures: !onDemandOnly)
        // The plan is only for `status`, so a failure to store it does not matter here.
        if !onDemandOnly { try? store.setPollPlan(poller.plan) }
        CityTableBuilder.removeLeftovers(at: settings.gazetteer.path)
        makeLocator = { [writer = poller.writer] settings, services, log throws(StoreError) in
            try Locator(
                settings, services, store: store, writer: writer, network: send, time: time, seed: seed, logger: logger,
                log: log)
        }
        locators = LocatorSlot(try makeLocator(settings, read.services, nil), store: store, time: time)
        let limits = FetchLimits(totalTimeout: .seconds(30), userAgent: settings.fetchLimits.userAgent)
        messages = MessageNetwork(limits: limits, now: { time.now().wall })
        reporter = Reporter(
            store: store, settings: settings, secrets: secrets, network: post ?? messages.fetch, time: time,
            seed: seed, logger: logger, freeSpace: { FreeSpace.bytes(at: settings.database) },
            isClockTrusted: { [poller] in poller.state.isClockTrusted(at: time.now()) },
            hostPaused: { [poller] host, until in poller.tell(.hostPaused(host: host, until: until)) })
    }

    /// The file of pictures; nil if none are kept. Without hosts the file of earlier ones goes, since nobody would remove
    /// what providers delete.
    private static func pictures(_ settings: Settings, onDemandOnly: Bool, logger: Logger) -> PictureStore? {
        guard !onDemandOnly else { return nil }
        let pictures = settings.pictureStore
        guard !settings.pictures.hosts.isEmpty else {
            pictures.remove()
            return nil
        }
        do throws(StoreError) {
            if try pictures.prepare() {
                logger.warning(
                    "pictures begin anew",
                    metadata: ["detail": "the file is damaged, no database, or of another version"])
            }
            return pictures
        } catch {
            logger.warning("pictures cannot be kept", metadata: ["detail": "\(error)"])
            return nil
        }
    }

    /// Polls until the service group is shut down, and serves the control socket. It returns when everything under way
    /// has ended, a few seconds after the shutdown begins; call it once, and not beside `poll`.
    /// - Throws: `DaemonError.cannotListen` if the control socket cannot be opened, or `tooFewDescriptors` if the
    ///   limit of open files leaves none for polls.
    public func run() async throws {
        let settings = atStart.settings
        let desk = ControlDesk(poller: poller, locators: locators, reporter: reporter, logger: logger) { [self] reply in
            await answerReload(reply)
        }
        let control = try settings.controlSocket.map { path throws(DaemonError) in
            try ControlServer(path: path) { request, reply in await desk.answer(request, reply) }
        }
        defer { control?.stop() }
        let reloads = await beginReloading(onEdit: settings.reloadsOnEdit)
        defer { reloads.cancel() }
        // All long-lived descriptors are open now. With too few left, polls would be postponed for ever.
        if let (limit, least) = DescriptorReserve.shortage {
            throw DaemonError.tooFewDescriptors(limit: limit, least: least)
        }
        let enabled = settings.sources.filter(\.isEnabled).map(\.name)
        logger.notice(
            "started",
            metadata: [
                "version": "\(version)", "database": "\(settings.database)",
                "sources": "\(enabled.joined(separator: ","))", "control": "\(settings.controlSocket ?? "off")",
            ])
        manager.ready(poller.statusLine)
        await withGracefulShutdownHandler {
            async let locating: Void = locators.run()
            async let telling: Void = reporter.run()
            async let passing: Void = passPauses()
            await poller.run()
            locators.stop()
            reporter.stop()
            _ = await (locating, telling, passing)
        } onGracefulShutdown: {
            self.logger.notice("stopping")
            self.manager.stopping()
            self.locators.stop()
            self.reporter.stop()
            self.poller.stop()
        }
        fetcher?.shutdown()
        messages.shutdown()
        logger.notice("stopped")
    }

    /// Lets targets wait, too, where a host has asked the polls for a pause.
    private func passPauses() async {
        for await (host, until) in poller.askedPauses { reporter.pause(host, until: until) }
    }

    /// Polls sources once, now, all at once, and stops. The write-ahead log is emptied at the end. Call it once, and
    /// not beside `run`.
    /// - Returns: A report for each source, or the reason why there is none, in the order of the names. A failed poll
    ///   has a report, too.
    public func poll(_ names: [String]) async -> [Result<PollReport, Failure>] {
        async let running: Void = poller.run()
        let outcomes = await poller.pollNow(names)
        poller.stop()
        await running
        fetcher?.shutdown()
        try? await poller.writer.perform { [store] in store.emptyLog() }
        return outcomes
    }

    /// Starts to answer questions to the geocoding services, without `run`. No event is looked up, but waiting jobs
    /// may have a turn between two questions.
    /// - Returns: The task for `endAnswering`; it must be given back.
    public func beginAnswering() -> Task<Void, Never> {
        ConfiguredServices(atStart.settings.geocoding, secrets).warn(logger)
        let locator = locators.current
        return Task { await locator.run(looksForEvents: false) }
    }

    /// Asks the geocoding services a question, one after the other until one knows the place; kept answers count.
    /// Needs `beginAnswering` or `run`.
    /// - Returns: One reply for each configured service, in configured order; empty if the daemon is stopping.
    /// - Throws: `StoreError` if kept answers cannot be read. A failure of a service is a reply.
    public func ask(_ query: PlaceQuery) async throws -> [ServiceReply] { try await locators.current.ask(query) ?? [] }

    /// Stops answering questions, and returns when the last request has ended. Open questions get the reason
    /// `stopping`; later ones get no reply.
    public func endAnswering(_ task: Task<Void, Never>) async {
        locators.stop()
        await task.value
        fetcher?.shutdown()
    }
}
