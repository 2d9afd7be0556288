import Dispatch
public import Engine
public import Fetching
import Foundation
public import Logging
public import Model
import Reading
public import Store
import Synchronization

/// Makes one exchange with a server: `Fetcher.fetch`, or a test's script.
public typealias Network = @Sendable (FetchRequest) async throws(Failure) -> FetchOutcome

/// Owns the engine: hands it what happens and carries its effects out.
public final class Poller: Sendable {
    private let time: TimeSource
    private let network: Network
    private let authorization: @Sendable (_ file: String) throws(Failure) -> Secret
    private let store: EventStore
    private let log: PollLog
    /// Writes what polls bring; others may have it do work on the store in between.
    let writer: StoreWriter
    private let inputs: AsyncStream<Input>
    private let inbox: AsyncStream<Input>.Continuation
    private let decoding = DispatchQueue(label: "visiventd.decode")
    private let decodingStreams = DispatchQueue(label: "visiventd.decode.streams")
    private let truncating = DispatchQueue(label: "visiventd.truncate")
    /// Who waits for a source's poll; nil once polling has ended.
    private let waiters = Mutex<[String: [CheckedContinuation<PollReport?, Never>]]?>([:])
    /// How many resets of a source are under way.
    private let resets = Mutex<[String: Int]>([:])
    /// Who waits for another configuration to come into force.
    private let configuring = Mutex<CheckedContinuation<Result<SourceChanges, Failure>, Never>?>(nil)
    private let engine: Mutex<Engine>
    private let isStopping = Mutex(false)
    /// The last failed body that is being kept.
    private let keeping = Mutex<Task<Void, Never>?>(nil)
    private let whenEventsChange: @Sendable () -> Void
    private let manager: ServiceManager
    private let work: BlockingWork
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
    ///   - whenEventsChange: Called when a poll has stored new or changed events.
    public init(
        engine: Engine, store: EventStore, network: @escaping Network,
        authorization: @escaping @Sendable (_ file: String) throws(Failure) -> Secret, time: TimeSource, logger: Logger,
        manager: ServiceManager = .none, freeSpace: @escaping @Sendable () -> Int64? = { nil },
        logsFailures: Bool = true, whenEventsChange: @escaping @Sendable () -> Void = {}
    ) {
        self.engine = Mutex(engine)
        self.store = store
        self.network = network
        self.authorization = authorization
        self.time = time
        self.whenEventsChange = whenEventsChange
        self.manager = manager
        work = BlockingWork { time.now().uptime }
        self.freeSpace = freeSpace
        log = PollLog(logger: logger, tellsFailures: logsFailures)
        let (stream, inbox) = AsyncStream.makeStream(of: Input.self)
        inputs = stream
        self.inbox = inbox
        writer = StoreWriter(store: store, work: work) { inbox.yield($0) }
    }

    /// Polls until `stop`; everything under way has ended when it returns.
    public func run() async {
        var fetches: [FetchID: Task<Void, Never>] = [:]
        var alarm: (at: Duration, task: Task<Void, Never>)?
        var polledBytes = 0
        var pulse = ServicePulse(watchdog: manager.watchdog, at: time.now().uptime)
        if pulse.isTooSlow { log.watchdogIsTooShort() }
        var streams: Set<FetchID> = []
        inbox.yield(.tick)
        for await input in inputs {
            if case .opened(let id, _) = input, fetches[id] != nil { streams.insert(id) }
            if let id = input.fetchID {
                fetches[id] = nil
                streams.remove(id)
            }
            if case .wrote(_, .stepped(let result)) = input, result.new + result.changed > 0 { whenEventsChange() }
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
                case .fetch(let order): fetches[order.id] = Task { await self.fetch(order) }
                case .cancel(let id):
                    fetches.removeValue(forKey: id)?.cancel()
                    streams.remove(id)
                case .truncate(let asOf): truncate(asOf: asOf)
                case .report(let report):
                    log.ended(report)
                    polledBytes += report.bytes
                    resume(report.source, with: report)
                case .configured(let changes): configured(.success(changes))
                case .notConfigured(let reason):
                    configured(.failure(Failure(.ours, "not_configured", reason)))
                case .abandoned(let source): resume(source, with: nil)
                case .notice(let notice): log.notice(notice)
                case .stopped: isStopped = true
                }
            }
            if isStopped { break }
            if isTimeToGiveBack(polledBytes, isQuiet: fetches.count == streams.count, until: planned) {
                polledBytes = 0
                writer.giveMemoryBack()
            }
            tell(&pulse, of: input, effects)
            let wake = pulse.wake(before: planned)
            if case .tick = input { alarm = nil }
            if wake != alarm?.at {
                alarm?.task.cancel()
                alarm = wake.map { at in
                    (at, Task { [time, inbox] in if (try? await time.sleep(at)) != nil { inbox.yield(.tick) } })
                }
            }
        }
        alarm?.task.cancel()
        for task in fetches.values { task.cancel() }
        inbox.finish()
        let left = waiters.withLock { waiters in
            defer { waiters = nil }
            return waiters ?? [:]
        }
        for continuation in left.values.joined() { continuation.resume(returning: nil) }
        configured(.failure(Self.stopping))
        await keeping.withLock { $0 }?.value
    }

    /// How the sources are doing, in a line for the service manager.
    var statusLine: String { engine.withLock { $0.summary }.line(at: time.now()) }

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

    /// Stops: what is decoded is stored, requests under way have `Engine.grace` to end.
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
            report = await wait(for: source, after: .abandon(source: source))
        } while report?.end.dueReason == "stream"
        var reset = SourceReset(of: source, includingEvents: includingEvents)
        while !reset.isComplete {
            guard !isStopping.withLock({ $0 }) else {
                throw Failure(.ours, "stopping", "the daemon is stopping, and the reset is not complete: repeat it")
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
    /// - Returns: The report; nil when nothing can be stored, the source is reset or no longer configured, or the program
    ///   stops.
    public func poll(_ source: String) async -> PollReport? {
        await wait(for: source, after: .poll(source: source))
    }

    /// Names of the configured sources.
    var sourceNames: Set<String> { engine.withLock { $0.sourceNames } }

    /// Puts another configuration into force, as soon as it is stored; one at a time.
    /// - Throws: `Failure` when it cannot be stored; then the old one stays in force.
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

    private static let stopping = Failure(.ours, "stopping", "the daemon is stopping")

    private func wait(for source: String, after input: Input) async -> PollReport? {
        await withCheckedContinuation { continuation in
            let isOpen = waiters.withLock { waiters in
                waiters?[source, default: []].append(continuation)
                return waiters != nil
            }
            guard isOpen else { return continuation.resume(returning: nil) }
            inbox.yield(input)
        }
    }

    private func resume(_ source: String, with report: PollReport?) {
        let continuations = waiters.withLock { $0?.removeValue(forKey: source) } ?? []
        for continuation in continuations { continuation.resume(returning: report) }
    }

    /// Bytes of polls after which the memory they needed is given back: when nothing is under way, and at the latest.
    private static let someMemory = 1 << 20
    private static let muchMemory = 16 << 20
    /// A pause before which the memory of the smallest poll is given back, too; that takes less than a millisecond.
    private static let rest = Duration.seconds(60)

    private func isTimeToGiveBack(_ bytes: Int, isQuiet: Bool, until wake: Duration?) -> Bool {
        if bytes > Self.muchMemory { return true }
        guard isQuiet, bytes > 0 else { return false }
        return bytes > Self.someMemory || wake.map { $0 - time.now().uptime >= Self.rest } ?? true
    }

    /// What the decoding queue does, for `BlockingWork`.
    private static let decodingName = "a decoder"
    private static let streamDecodingName = "a stream's decoder"

    // MARK: Effects

    private func fetch(_ order: FetchOrder) async {
        var facts = FetchFacts()
        do throws(Failure) {
            switch try await network(request(order)) {
            case .body(let body):
                facts = FetchFacts(
                    validators: body.validators, serverDate: body.serverDate, maxAge: body.maxAge, bytes: body.wireBytes
                )
                let answer = try await decode(
                    FeedResponse(request: order.request, url: body.url, headers: body.headers, body: body.data),
                    for: order)
                inbox.yield(.answered(order.id, answer, facts))
            case .notModified(_, let validators, let serverDate):
                facts = FetchFacts(validators: validators, serverDate: serverDate)
                inbox.yield(.unchanged(order.id, facts))
            case .redirect(let url, _, let isPermanent, let serverDate):
                facts.serverDate = serverDate
                inbox.yield(.redirected(order.id, to: url, isPermanent: isPermanent, facts))
            case .stream(let body):
                inbox.yield(.opened(order.id, FetchFacts(serverDate: body.serverDate)))
                try await follow(body, for: order)
            }
        } catch {
            keep(error, of: order)
            inbox.yield(.failed(order.id, error, facts))
        }
    }

    /// Brings a stream's lines in batches to the feed, and what it makes of them to the engine, until the stream ends.
    private func follow(_ body: FetchedStream, for order: FetchOrder) async throws(Failure) {
        guard let terms = order.request.stream else {
            body.close()
            throw Failure(.ours, "stream", "a stream was not asked for")
        }
        if body.headers["content-type"]?.lowercased().contains("html") == true {
            // A portal that wants a login, a proxy that says no.
            let page = try? await body.next()
            body.close()
            throw Failure(
                .feed, "html_page", "found a web page (Content-Type: text/html) in place of the stream",
                excerpt: page.map { Data($0.prefix(64 << 10)) })
        }
        let reader = StreamReader(body: body, terms: terms, time: time)
        try await reader.run { [inbox] batch, bytes async throws(Failure) in
            var answer = FeedAnswer()
            if batch.lines > 0 {
                answer = try await self.decode(
                    FeedResponse(request: order.request, url: body.url, headers: body.headers, body: batch.data),
                    for: order)
            }
            if batch.lines == 0, let length = batch.tooLong.first {
                answer.foreign = Failure(.feed, "line_too_long", "the stream sends a line of \(length) bytes")
            }
            for length in batch.tooLong {
                answer.report(
                    FeedIssue("line_too_long", at: "stream", found: "\(length) bytes", costsItem: true))
            }
            if let foreign = answer.foreign {
                self.keep(foreign, of: order)
                answer.foreign?.excerpt = nil  // it is kept
            }
            inbox.yield(.streamed(order.id, answer, FetchFacts(bytes: bytes)))
        }
    }

    private func request(_ order: FetchOrder) throws(Failure) -> FetchRequest {
        let settings = order.settings
        var request = FetchRequest(url: order.url)
        request.form = order.request.form
        request.json = order.request.json
        request.stream = order.request.stream
        request.needsNewConnection = order.isRepeated
        request.validators = order.validators
        request.headers = order.request.headers
        request.proxy = settings.proxy
        request.certificateAuthorityFile = settings.certificateAuthorityFile
        request.allowsFile = settings.url.lowercased().hasPrefix("file:")
        // Credentials and headers of the user's own never go to another host than the one configured.
        guard !order.isForeign else {
            request.home = settings.urls().first?.url ?? settings.url
            return request
        }
        request.headers.merge(settings.headers) { _, own in own }
        let secrets = order.context.secrets
        switch order.request.authorization {
        case .bearer: request.authorization = secrets["bearer"].map { Secret("Bearer " + $0.value) }
        case .basic:
            if let key = secrets["key"], let secret = secrets["secret"] {
                let pair = Data("\(key.value.percentEncoded):\(secret.value.percentEncoded)".utf8)
                request.authorization = Secret("Basic " + pair.base64EncodedString())
            }
        case .none:
            if let file = settings.authorizationFile { request.authorization = try authorization(file) }
        }
        return request
    }

    /// Decodes one document at a time, away from the cooperative threads: memory stays that of one large feed. Lines of
    /// a stream are few, and wait for no document.
    private func decode(_ response: FeedResponse, for order: FetchOrder) async throws(Failure) -> FeedAnswer {
        let result: Result<FeedAnswer, Failure> = await withCheckedContinuation { continuation in
            let isStream = order.request.stream != nil
            let name = isStream ? Self.streamDecodingName : Self.decodingName
            (isStream ? decodingStreams : decoding).async { [writer, work] in
                if !isStream { writer.waitForRoom() }
                work.begin(name)
                defer { work.end(name) }
                do throws(Failure) {
                    continuation.resume(returning: .success(try order.feed.decode(response, for: order.context)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// The last body that failed is kept for `visiventd decode --last-failure`.
    private func keep(_ failure: Failure, of order: FetchOrder) {
        guard let excerpt = failure.excerpt, !excerpt.isEmpty else { return }
        let source = order.settings.name
        let at = time.now().wall
        keeping.withLock { last in
            last = Task { [writer, store, log, before = last] in
                await before?.value
                do {
                    try await writer.perform {
                        try store.keepFailedBody(
                            source: source, url: order.url, at: at, failure: failure, body: excerpt)
                    }
                } catch {
                    log.cannotKeepBody(source: source, error)
                }
            }
        }
    }

    private func truncate(asOf: Date) {
        truncating.async { [self, store, inbox, log] in
            do throws(StoreError) {
                log.truncated(try store.truncate(asOf: asOf) { self.isStopping.withLock { !$0 } })
            } catch {
                log.truncationFailed(error)
            }
            // It has been all over the database, and small polls alone never have it given back.
            writer.giveMemoryBack()
            inbox.yield(.truncated)
        }
    }
}

extension Effect {
    /// Whether it changes what the service manager shows of the sources.
    fileprivate var changesStatus: Bool {
        switch self {
        case .report, .abandoned: true
        case .notice(.storePaused), .notice(.storeResumed), .notice(.writeRefused), .notice(.pollPostponed): true
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
