import Engine
import Feeds
import Fetching
import Foundation
import Model
import Reading
import Synchronization

/// Makes the engine's requests, has the feed decode the answers, and follows streams.
final class FetchWorker: Sendable {
    private let network: Network
    private let authorization: @Sendable (_ file: String) throws(Failure) -> Secret
    private let time: TimeSource
    private let writer: StoreWriter
    private let work: BlockingWork
    private let failures: FailedBodyRecorder
    private let watch: ShellWatch
    private let report: @Sendable (Input) -> Void
    private let decoding: WorkQueue
    private let decodingStreams: WorkQueue
    /// Tells open streams that their last batch is stored.
    private let stored = Mutex<[FetchID: AsyncStream<Void>.Continuation]>([:])

    /// Names of the decoding queues' work, for `BlockingWork`.
    private static let decodingName = "a decoder"
    private static let streamDecodingName = "a stream's decoder"
    /// The most CPU time for a document. The largest documents that sources send take about a second.
    private static let mostWork = Duration.seconds(10)

    /// - Parameters:
    ///   - authorization: Reads a source's `authorization_file`.
    ///   - writer: Its free room is awaited before a document is decoded.
    ///   - work: Takes the beginning and end of decoding.
    ///   - failures: Stores bodies that cannot be used.
    ///   - report: Takes the outcome of each request.
    init(
        network: @escaping Network, authorization: @escaping @Sendable (_ file: String) throws(Failure) -> Secret,
        time: TimeSource, writer: StoreWriter, work: BlockingWork, failures: FailedBodyRecorder, watch: ShellWatch,
        report: @escaping @Sendable (Input) -> Void
    ) {
        self.network = network
        self.authorization = authorization
        self.time = time
        self.writer = writer
        self.work = work
        self.failures = failures
        self.watch = watch
        self.report = report
        decoding = time.queue("visiventd.decode")
        decodingStreams = time.queue("visiventd.decode.streams")
    }

    /// Makes a request and reports its outcome.
    func run(_ order: FetchOrder) async {
        var facts = FetchFacts()
        let sent = SendTime()
        var request = order.fetch
        do throws(Failure) {
            if let file = order.authorizationFile { request.authorization = try await secret(in: file) }
            request.whenSent = { [time] in sent.uptime = time.now().uptime }
            switch try await network(request) {
            case .body(let body):
                facts = body.facts
                var answer = try await decode(
                    FeedResponse(request: order.request, url: body.url, headers: body.headers, body: body.data),
                    for: order)
                if !answer.issues.isEmpty { answer.scrub(by: order.scrubber(of: request)) }
                report(.answered(order.id, answer, sent.added(to: facts)))
            case .notModified(let found): report(.unchanged(order.id, sent.added(to: found)))
            case .redirect(let url, _, let isPermanent, let found):
                report(.redirected(order.id, to: url, isPermanent: isPermanent, sent.added(to: found)))
            case .stream(let body):
                report(.opened(order.id, sent.added(to: FetchFacts(serverDate: body.serverDate))))
                try await follow(body, for: order, scrubber: order.scrubber(of: request))
            }
        } catch {
            let failure = error.scrubbed(by: order.scrubber(of: request))
            failures.keep(failure, of: order)
            report(.failed(order.id, failure, sent.added(to: facts)))
        }
    }

    /// Reads an `authorization_file`. Each read has a queue of its own, so one that hangs, as on a network mount, holds
    /// up its own request alone.
    private func secret(in file: String) async throws(Failure) -> Secret {
        let queue = time.queue("visiventd.secret")
        let result = await queue.value { [authorization] in
            Result { () throws(Failure) in try authorization(file) }
        }
        return try result.get()
    }

    /// Passes a stream's lines to the feed in batches, and its answers to the engine, until the stream ends.
    private func follow(
        _ body: FetchedStream, for order: FetchOrder, scrubber: Scrubber
    ) async throws(Failure) {
        guard let terms = order.request.stream else {
            body.close()
            throw Failure(.ours, .stream, "a stream was not asked for")
        }
        if var failure = Failure.page(inPlaceOfStream: body.headers) {
            let page = try? await body.next()
            body.close()
            failure.excerpt = page.map { Data($0.prefix(64 << 10)) }
            throw failure
        }
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        stored.withLock { $0[order.id] = turn }
        defer { stored.withLock { $0[order.id] = nil } }
        let reader = StreamReader(body: body, terms: terms, time: time)
        try await reader.run { [watch, report] batch, bytes async throws(Failure) in
            var answer = FeedAnswer()
            if batch.lines > 0 {
                answer = try await self.decode(
                    FeedResponse(request: order.request, url: body.url, headers: body.headers, body: batch.data),
                    for: order)
            }
            answer.report(tooLong: batch.tooLong, besides: batch.lines)
            answer.scrub(by: scrubber)
            if let unrecognized = answer.unrecognized {
                self.failures.keep(unrecognized, of: order)
                answer.unrecognized?.excerpt = nil  // it is stored
            }
            watch.cut(order.id, batch.data)
            report(.streamed(order.id, answer, FetchFacts(bytes: bytes)))
            // A closed stream is read to its end, which is near.
            for await _ in turns { break }
        }
    }

    /// Lets an open stream read on.
    func readOn(_ id: FetchID) { _ = stored.withLock { $0[id]?.yield() } }

    /// Decodes one document at a time, off the cooperative threads, so memory stays that of one large feed. Batches of
    /// a stream are small and do not wait for documents.
    private func decode(_ response: FeedResponse, for order: FetchOrder) async throws(Failure) -> FeedAnswer {
        let result: Result<FeedAnswer, Failure> = await withCheckedContinuation { continuation in
            decodeWhenRoom(response, for: order) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Decodes on a queue; a document waits until the writer has room.
    private func decodeWhenRoom(
        _ response: FeedResponse, for order: FetchOrder,
        _ take: @escaping @Sendable (Result<FeedAnswer, Failure>) -> Void
    ) {
        let isStream = order.request.stream != nil
        (isStream ? decodingStreams : decoding).async { [self] in
            guard isStream || writer.hasRoom(orCall: { self.decodeWhenRoom(response, for: order, take) }) else {
                return
            }
            let name = isStream ? Self.streamDecodingName : Self.decodingName
            work.begin(name)
            defer { work.end(name) }
            take(
                Result { () throws(Failure) in
                    try order.feed.decode(response, for: order.context, within: WorkLimit(Self.mostWork))
                })
        }
    }
}

/// The time when a request was sent, set on the fetcher's thread.
final class SendTime: Sendable {
    private let time = Mutex<Duration?>(nil)

    var uptime: Duration? {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Facts with the time of sending.
    func added(to facts: FetchFacts) -> FetchFacts {
        var facts = facts
        facts.sent = uptime
        return facts
    }
}
