public import Foundation
public import Model

/// Names one request under way.
public struct FetchID: Sendable, Hashable {
    let number: Int
}

/// Names one write under way.
public struct WriteID: Sendable, Hashable {
    let number: Int
    /// The poll it belongs to; nil: none. When a write of a poll fails, its later ones must fail too: they would commit
    /// validators and state of answers whose events are not stored.
    public let poll: Int?
}

/// What the shell tells the engine.
public enum Input: Sendable {
    /// Time has passed (`Engine.nextWake`), or the engine is to look around.
    case tick
    /// A response was fetched, complete and whole, and decoded.
    case answered(FetchID, FeedAnswer, FetchFacts)
    /// The head of a stream has come.
    case opened(FetchID, FetchFacts)
    /// Lines of a stream were decoded; the first batch may be empty, then it says that a line has come.
    case streamed(FetchID, FeedAnswer, FetchFacts)
    /// The server said 304.
    case unchanged(FetchID, FetchFacts)
    /// The server sent the request elsewhere.
    case redirected(FetchID, to: String, isPermanent: Bool, FetchFacts)
    /// Fetching or decoding came to nothing, or a stream has ended.
    case failed(FetchID, Failure, FetchFacts)
    /// A write is in the store.
    case wrote(WriteID, StoreResult)
    /// A write failed and has left nothing behind; the reason is for people. A transient one is the store's (a full
    /// disk, a lock), another is that of the data written.
    case writeFailed(WriteID, String, isTransient: Bool)
    /// Truncation ended, well or not.
    case truncated
    /// Something of the configuration.
    case reload(ReloadInput)
    /// So many bytes are free where the database is. To be told before each input that `wantsFreeSpace`.
    case freeSpace(Int64)
    /// Somebody wants a source polled now.
    case poll(source: String)
    /// A source's state is about to be forgotten: its poll under way is given up, an open stream closed.
    /// `Effect.readyForReset` says when nothing of it is written any more.
    ///
    /// The source is not polled until each `abandon` has had its `resetDone`.
    case abandon(source: String)
    /// The source's state has been forgotten, or could not be.
    case resetDone(source: String)
    /// The program is to stop; requests under way have `Engine.shutdownTimeout` to end.
    case stop

    /// Whether `freeSpace` is to be told before it: a poll may begin with it, or space may have come free.
    public var wantsFreeSpace: Bool {
        switch self {
        case .tick, .poll, .truncated: true
        default: false
        }
    }
}

/// What is known of a response besides what it says.
public struct FetchFacts: Sendable, Hashable {
    /// Validators of the response.
    public var validators: Validators
    /// The server's Date header.
    public var serverDate: Date?
    /// How long the server says the response stays fresh (Cache-Control max-age).
    public var maxAge: Duration?
    /// Bytes received on the wire.
    public var bytes: Int
    /// When the request was sent, as uptime: later than it was ordered by what the connection took.
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

/// What the engine wants done.
public enum Effect: Sendable {
    /// Write this; writes of one source keep their order.
    case write(WriteID, StoreWrite)
    /// Make this request, decode the answer.
    case fetch(FetchOrder)
    /// Give this request up; its result does not matter any more. A stream is closed, and what has come of it handed in.
    case cancel(FetchID)
    /// Truncate as of this time; answered by `truncated`.
    case truncate(asOf: Date)
    /// Do something with the configuration.
    case reload(ReloadStep)
    /// A poll has ended and is in the store; or its stream is open, which `PollEnd.dueReason` says.
    case report(PollReport)
    /// A poll that somebody may wait for was given up or cannot begin, for no fault of its source: nothing can be stored,
    /// disk, descriptors or memory are short, the source is edited, reset or no longer configured, or the program stops.
    case abandoned(source: String, because: Failure)
    /// After `abandon`: no poll of the source writes any more, so its state may be forgotten.
    case readyForReset(source: String)
    /// Something worth a line in the log.
    case notice(Notice)
    /// Nothing is under way any more after `stop`.
    case stopped

    /// Whether `Engine.summary` may say something else than before.
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

/// One request to make: one hop of a feed's request.
public struct FetchOrder: Sendable {
    /// Its name.
    public var id: FetchID
    /// The name of its source.
    public var source: String
    /// The source's kind, which decodes the answer.
    public var feed: any Feed
    /// What the feed asked for.
    public var request: FeedRequest
    /// How it is asked. Its URL is the request's, or where a redirect has led.
    public var fetch: FetchRequest
    /// The file that holds the Authorization header, read for each request; nil: `fetch` has all that is sent.
    public var authorizationFile: String?
    /// For the feed's decoder.
    public var context: PollContext

    /// Where it is sent.
    public var url: String { fetch.url }
}

/// A poll that has ended.
public struct PollReport: Sendable {
    /// The source's name.
    public var source: String
    /// When it was due.
    public var due: Date
    /// When it began.
    public var started: Date
    /// How long it took.
    public var duration: Duration
    /// What it did to the stored events.
    public var result: StepResult
    /// Bytes received on the wire.
    public var bytes: Int
    /// Requests made.
    public var requests: Int
    /// How many of them were answered 304.
    public var notModified: Int
    /// What was odd about the documents.
    public var issues: [FeedIssue]
    /// How it ended.
    public var end: PollEnd
    /// How long the source had been failing when it recovered in this poll; nil: it had not.
    public var recoveredAfter: Duration?
    /// Whether it is the first in a row whose documents held no event, but something odd (`PollEnd.remark`).
    public var isNewlyOdd: Bool
}

/// Something worth a line in the log.
public enum Notice: Sendable, Hashable {
    /// A poll begins.
    case pollStarted(source: String, due: Date)
    /// The store cannot be written; all polls wait until then.
    case storePaused(reason: String, until: Date)
    /// The store can be written again.
    case storeResumed
    /// The store refuses what a source has brought; the source backs off.
    case writeRefused(source: String, reason: String, until: Date)
    /// A poll could not be made for want of something on this machine, and begins again then.
    case pollPostponed(source: String, failure: Failure, until: Date)
    /// Wall time and a server's Date header disagree by that many seconds (server minus ours).
    case clockDoubted(seconds: Double)
    /// Wall time and the servers agree again.
    case clockTrusted
    /// Truncation was put off because the clock is not to be trusted.
    case truncationSkipped
    /// Free space is below twice the floor: paid reads are not made any more.
    case paidReadsStopped(free: Int64, floor: Int64)
    /// Free space is below the floor: no poll begins any more.
    case pollsStopped(free: Int64, floor: Int64)
    /// There is space enough for polls again.
    case pollsResumed(free: Int64)
    /// There is space enough for paid reads again.
    case paidReadsResumed(free: Int64)
    /// A document of a poll was given up.
    case documentGivenUp(source: String, url: String, failure: Failure)
}
