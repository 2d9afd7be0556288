public import Foundation
public import Model

/// Identifies a request under way.
public struct FetchID: Sendable, Hashable {
    let number: Int
}

/// Identifies a write under way.
public struct WriteID: Sendable, Hashable {
    let number: Int
    /// The number of its poll; nil if it belongs to none. After a failed write the later writes of the poll must fail,
    /// too: they would commit validators and state of answers whose events are not stored.
    public let poll: Int?
}

/// An input of the engine, sent by the shell.
public enum Input: Sendable {
    /// The time of `Engine.nextWake` has come. A tick at any other time is harmless.
    case tick
    /// A complete response was fetched and decoded.
    case answered(FetchID, FeedAnswer, FetchFacts)
    /// The head of a stream has arrived.
    case opened(FetchID, FetchFacts)
    /// Lines of a stream were decoded. An empty first batch tells that a line has arrived.
    case streamed(FetchID, FeedAnswer, FetchFacts)
    /// The server answered 304 (not modified).
    case unchanged(FetchID, FetchFacts)
    /// The server redirected the request to another URL.
    case redirected(FetchID, to: String, isPermanent: Bool, FetchFacts)
    /// Fetching or decoding failed, or a stream ended.
    case failed(FetchID, Failure, FetchFacts)
    /// A write was committed.
    case wrote(WriteID, StoreResult)
    /// A write failed without an effect; the reason is for people. A transient failure is the store's (full disk,
    /// lock), any other is caused by the data.
    case writeFailed(WriteID, String, isTransient: Bool)
    /// A truncation run ended, successfully or not.
    case truncated
    /// An input about the configuration.
    case reload(ReloadInput)
    /// The free bytes in the database's file system. The shell sends it, if known, before each input that
    /// `wantsFreeSpace`.
    case freeSpace(Int64)
    /// Polls a source now. Answered by `Effect.report` or `.abandoned`, for a poll already under way at its end.
    case poll(source: String)
    /// The shell is about to remove a source's state. Its poll is abandoned, and an open stream is closed.
    /// `Effect.readyForReset` follows when nothing of the source is written any more.
    ///
    /// The source is not polled until each `abandon` has had its `resetDone`.
    case abandon(source: String)
    /// A reset is over, successfully or not.
    case resetDone(source: String)
    /// Stops the engine. Requests under way have `Engine.shutdownTimeout` to end; `Effect.stopped` follows.
    case stop

    /// Whether `freeSpace` should precede the input: a poll may begin, or space may have been freed.
    public var wantsFreeSpace: Bool {
        switch self {
        case .tick, .poll, .truncated: true
        default: false
        }
    }
}

/// Facts of a response apart from its content.
public struct FetchFacts: Sendable, Hashable {
    /// Validators of the response; empty if it has none.
    public var validators: Validators
    /// The server's Date header; nil if there is none.
    public var serverDate: Date?
    /// The max-age of Cache-Control; nil if there is none.
    public var maxAge: Duration?
    /// Bytes received on the wire.
    public var bytes: Int
    /// When the request was sent, as uptime, after the connection was made; nil: unknown.
    public var sent: Duration?

    /// Creates facts; by default nothing is known.
    public init(
        validators: Validators = Validators(), serverDate: Date? = nil, maxAge: Duration? = nil, bytes: Int = 0,
        sent: Duration? = nil
    ) {
        self.validators = validators
        self.serverDate = serverDate
        self.maxAge = maxAge
        self.bytes = bytes
        self.sent = sent
    }
}

/// An action that the engine asks of the shell.
public enum Effect: Sendable {
    /// Write to the store; answered by `wrote` or `writeFailed`. Writes of one source keep their order.
    case write(WriteID, StoreWrite)
    /// Make a request and decode its response.
    case fetch(FetchOrder)
    /// Cancel a request; its outcome is ignored. A stream is closed, and lines already received are still reported.
    case cancel(FetchID)
    /// Remove the events that have expired as of this time; answered by `truncated`.
    case truncate(asOf: Date)
    /// Carry out a step of a reload.
    case reload(ReloadStep)
    /// A poll has ended and is stored, or its stream is open (then `PollEnd.dueReason` is `stream`).
    case report(PollReport)
    /// A poll was abandoned or cannot begin, for no fault of its source: the store fails, disk space, descriptors or
    /// memory are short, the source is edited, reset or not configured, or the program stops.
    case abandoned(source: String, because: Failure)
    /// No poll of the source writes any more after `abandon`, so its state may be removed.
    case readyForReset(source: String)
    /// A line for the log.
    case notice(Notice)
    /// After `stop`: nothing is under way any more, or the store's time to finish is over.
    case stopped

    /// Whether `Engine.summary` may have changed.
    public var changesSummary: Bool {
        switch self {
        case .report, .abandoned: true
        case .notice(.storePaused), .notice(.storeResumed), .notice(.writeRefused), .notice(.pollPostponed),
            .notice(.pollsStopped), .notice(.pollsResumed):
            true
        default: false
        }
    }
}

/// A request to make: one hop of a feed's request.
public struct FetchOrder: Sendable {
    /// The identity of the request.
    public var id: FetchID
    /// The name of its source.
    public var source: String
    /// The source's feed, which decodes the response.
    public var feed: any Feed
    /// The feed's request.
    public var request: FeedRequest
    /// The request as it is sent. Its URL is that of the feed's request or of a redirect.
    public var fetch: FetchRequest
    /// The file with the Authorization header, read for each request; nil if `fetch` is complete.
    public var authorizationFile: String?
    /// The context for the feed's decoder.
    public var context: PollContext

    /// The URL of this hop.
    public var url: String { fetch.url }
}

/// The report of a poll that has ended, or of an open stream.
public struct PollReport: Sendable {
    /// The source's name.
    public var source: String
    /// When it was due.
    public var due: Date
    /// When it began.
    public var started: Date
    /// How long it took.
    public var duration: Duration
    /// Its changes to the stored events; for an open stream since the last report.
    public var result: StepResult
    /// Bytes received on the wire.
    public var bytes: Int
    /// Requests made.
    public var requests: Int
    /// How many of them were answered 304.
    public var notModified: Int
    /// Issues of its documents, at most 50.
    public var issues: [FeedIssue]
    /// How it ended.
    public var end: PollEnd
    /// How long the source had been failing before this poll succeeded; nil if it had not.
    public var recoveredAfter: Duration?
    /// Whether this is the first poll in a row with issues in place of events (`PollEnd.remark`).
    public var isNewlyOdd: Bool
}

/// A line for the log.
public enum Notice: Sendable, Hashable {
    /// A poll begins.
    case pollStarted(source: String, due: Date)
    /// The store cannot be written; all polls pause until then.
    case storePaused(reason: String, until: Date)
    /// The store can be written again.
    case storeResumed
    /// The store refuses a source's data; the source backs off.
    case writeRefused(source: String, reason: String, until: Date)
    /// A poll could not be made because this machine lacks a resource; it begins again then.
    case pollPostponed(source: String, failure: Failure, until: Date)
    /// Wall time and a server's Date header disagree by this number of seconds (server minus ours).
    case clockDoubted(seconds: Double)
    /// Wall time and the servers agree again.
    case clockTrusted
    /// Truncation was skipped because wall time is not trusted.
    case truncationSkipped
    /// Free space in bytes is below twice the floor: paid reads stop.
    case paidReadsStopped(free: Int64, floor: Int64)
    /// Free space in bytes is below the floor: no poll begins.
    case pollsStopped(free: Int64, floor: Int64)
    /// Free space in bytes is enough for polls again.
    case pollsResumed(free: Int64)
    /// Free space in bytes is enough for paid reads again.
    case paidReadsResumed(free: Int64)
    /// A document of an index was given up, after its last try or a permanent failure.
    case documentGivenUp(source: String, url: String, failure: Failure)
}
