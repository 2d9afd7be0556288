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
    /// Names of the configured sources.
    let sourceNames: Set<String>
    private let sources: [EngineSource]
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
    private let truncating = DispatchQueue(label: "visiventd.truncate")
    /// Who waits for a source's poll; nil once polling has ended.
    private let waiters = Mutex<[String: [CheckedContinuation<PollReport?, Never>]]?>([:])
    private let engine: Mutex<Engine>
    private let isStopping = Mutex(false)
    private let whenEventsChange: @Sendable () -> Void

    /// Brings an engine and its world together.
    ///
    /// - Parameters:
    ///   - sources: The configured sources.
    ///   - engine: The engine, planned for the same sources.
    ///   - store: Where events go.
    ///   - network: Makes the requests.
    ///   - authorization: Reads a source's `authorization_file`; asked for each request, so a token can be renewed.
    ///   - time: The clocks.
    ///   - logger: Where lines go.
    ///   - whenEventsChange: Called when a poll has stored new or changed events.
    public init(
        sources: [EngineSource], engine: Engine, store: EventStore, network: @escaping Network,
        authorization: @escaping @Sendable (_ file: String) throws(Failure) -> Secret, time: TimeSource, logger: Logger,
        whenEventsChange: @escaping @Sendable () -> Void = {}
    ) {
        self.sources = sources
        sourceNames = Set(sources.map { $0.settings.name })
        self.engine = Mutex(engine)
        self.store = store
        self.network = network
        self.authorization = authorization
        self.time = time
        self.whenEventsChange = whenEventsChange
        log = PollLog(logger: logger)
        let (stream, inbox) = AsyncStream.makeStream(of: Input.self)
        inputs = stream
        self.inbox = inbox
        writer = StoreWriter(store: store) { inbox.yield($0) }
    }

    /// Polls until `stop`; everything under way has ended when it returns.
    public func run() async {
        var fetches: [FetchID: Task<Void, Never>] = [:]
        var alarm: (at: Duration, task: Task<Void, Never>)?
        var polledBytes = 0
        inbox.yield(.tick)
        for await input in inputs {
            if let id = input.fetchID { fetches[id] = nil }
            if case .wrote(_, .stepped(let result)) = input, result.new + result.changed > 0 { whenEventsChange() }
            let (effects, wake) = engine.withLock { ($0.handle(input, at: time.now()), $0.nextWake) }
            var isStopped = false
            for effect in effects {
                switch effect {
                case .write(let id, let content): writer.write(id, content)
                case .fetch(let order): fetches[order.id] = Task { await self.fetch(order) }
                case .cancel(let id): fetches.removeValue(forKey: id)?.cancel()
                case .truncate(let asOf): truncate(asOf: asOf)
                case .report(let report):
                    log.ended(report)
                    polledBytes += report.bytes
                    resume(report.source, with: report)
                case .abandoned(let source): resume(source, with: nil)
                case .notice(let notice): log.notice(notice)
                case .stopped: isStopped = true
                }
            }
            if isStopped { break }
            if polledBytes > Self.muchMemory || (polledBytes > Self.someMemory && fetches.isEmpty) {
                polledBytes = 0
                writer.giveMemoryBack()
            }
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
    }

    /// Stops: what is decoded is stored, requests under way have `Engine.grace` to end.
    public func stop() {
        isStopping.withLock { $0 = true }
        inbox.yield(.stop)
    }

    /// Forgets a source's state, or its events too; a poll of it under way is given up first.
    /// - Returns: How many events have gone.
    public func reset(_ source: String, includingEvents: Bool) async throws -> Int {
        _ = await wait(for: source, after: .abandon(source: source))
        return try await writer.perform { [store] in try store.reset(source: source, includingEvents: includingEvents) }
    }

    /// Polls a source now, or waits for its poll under way.
    /// - Returns: The report; nil when nothing can be stored or the program stops.
    public func poll(_ source: String) async -> PollReport? {
        await wait(for: source, after: .poll(source: source))
    }

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
            }
        } catch {
            keep(error, of: order)
            inbox.yield(.failed(order.id, error, facts))
        }
    }

    private func request(_ order: FetchOrder) throws(Failure) -> FetchRequest {
        let settings = sources[order.source].settings
        var request = FetchRequest(url: order.url)
        request.form = order.request.form
        request.validators = order.validators
        request.headers = order.request.headers
        request.proxy = settings.proxy
        request.certificateAuthorityFile = settings.certificateAuthorityFile
        request.allowsFile = settings.url.lowercased().hasPrefix("file:")
        // Credentials and headers of the user's own never go to another host than the one configured.
        guard !order.isForeign else { return request }
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

    /// Decodes one document at a time, away from the cooperative threads: memory stays that of one large feed.
    private func decode(_ response: FeedResponse, for order: FetchOrder) async throws(Failure) -> FeedAnswer {
        let feed = sources[order.source].feed
        let result: Result<FeedAnswer, Failure> = await withCheckedContinuation { continuation in
            decoding.async { [writer] in
                writer.waitForRoom()
                do throws(Failure) {
                    continuation.resume(returning: .success(try feed.decode(response, for: order.context)))
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
        let source = sources[order.source].settings.name
        let at = time.now().wall
        Task { [writer, store, log] in
            do {
                try await writer.perform {
                    try store.keepFailedBody(source: source, url: order.url, at: at, failure: failure, body: excerpt)
                }
            } catch {
                log.cannotKeepBody(source: source, error)
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
            inbox.yield(.truncated)
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
}
