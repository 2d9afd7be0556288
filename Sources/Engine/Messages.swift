public import Foundation
public import Model

/// Identifies a request under way; unique within an engine's life.
public struct FetchID: Sendable, Hashable {
    let number: Int
}

/// Identifies a write under way; unique within an engine's life.
public struct WriteID: Sendable, Hashable {
    let number: Int
    /// The number of its poll; nil if it belongs to none. After a failed write the later writes of the poll must fail,
    /// too: they would commit validators and state of answers whose events are not stored.
    public let poll: Int?
}

/// An input of the engine, sent by the shell. Inputs about unknown requests and writes change nothing.
public enum Input: Sendable {
    /// The time of `Engine.nextWake` has come. A tick at any other time is harmless.
    case tick
    /// A complete response was fetched and decoded; ends the request.
    case answered(FetchID, FeedAnswer, FetchFacts)
    /// The head of a stream has arrived; `streamed` and in the end `failed` follow.
    case opened(FetchID, FetchFacts)
    /// Lines of a stream were decoded. An empty first batch tells that a line has arrived.
    case streamed(FetchID, FeedAnswer, FetchFacts)
    /// The server answered 304 (not modified); ends the request.
    case unchanged(FetchID, FetchFacts)
    /// The server redirected the request to another, absolute URL; ends the request. The engine orders the next hop,
    /// or fails the poll after `EngineLimits.maximumRedirects`.
    case redirected(FetchID, to: String, isPermanent: Bool, FetchFacts)
    /// Fetching or decoding failed, or a stream ended; ends the request. The source backs off, unless the fault is
    /// ours or a stream is opened again at once.
    case failed(FetchID, Failure, FetchFacts)
    /// A write was committed, with its result; ends the write.
    case wrote(WriteID, StoreResult)
    /// A write failed without an effect; the reason is for people. A transient failure is the store's (full disk,
    /// lock), any other is caused by the data.
    case writeFailed(WriteID, String, isTransient: Bool)
    /// A truncation run ended, successfully or not; none begins before.
    case truncated
    /// An input about the configuration; without a `ReloadPlan` it changes nothing.
    case reload(ReloadInput)
    /// An input about pictures; without a `PicturePlan` it changes nothing.
    case picture(PictureInput)
    /// A host has asked for a pause until a wall time, in answer to something that the engine did not order.
    case hostPaused(host: String, until: Date)
    /// The free bytes in the database's file system. The shell sends it, if known, before inputs that
    /// `wantsFreeSpace`.
    case freeSpace(Int64)
    /// Polls a source now. Answered by `Effect.report` or `.abandoned`, for a poll already under way at its end.
    case poll(source: String)
    /// The shell is about to remove a source's state. Its poll is abandoned, and an open stream is closed.
    /// `Effect.readyForReset` follows when nothing of the source is written any more.
    ///
    /// The source is not polled until each `abandon` has had its `resetDone`.
    case abandon(source: String)
    /// A reset is over, successfully or not; answers one `abandon`. The source is polled again from its stored state.
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

/// An action that the engine asks of the shell, to be carried out in the order of `Engine.handle`.
public enum Effect: Sendable {
    /// Write to the store; answered by `wrote` or `writeFailed`. Writes of one source keep their order.
    case write(WriteID, StoreWrite)
    /// Make a request and decode its response; answered by one of `answered`, `unchanged`, `redirected` and `failed`,
    /// or by `opened` and what follows it.
    case fetch(FetchOrder)
    /// Cancel a request; its outcome is ignored. A stream is closed: lines already received and its end are still
    /// reported. An unknown request needs nothing.
    case cancel(FetchID)
    /// The last batch of an open stream is stored: its lines may be read on.
    case readOn(FetchID)
    /// Remove the events that have expired as of this wall time; answered by `truncated`, also after a failure.
    case truncate(asOf: Date)
    /// Carry out a step of a reload; answered by `Input.reload`, unless the step is `ended`.
    case reload(ReloadStep)
    /// Carry out an action about pictures, answered by `Input.picture`.
    case picture(PictureEffect)
    /// A poll has ended and is stored, or its stream is open (then `PollEnd.dueReason` is `stream`). Clients that wait
    /// for the source are answered.
    case report(PollReport)
    /// A poll was abandoned or cannot begin, for no fault of its source: the store fails, disk space, descriptors or
    /// memory are short, the host wants to be left alone, the source is edited, reset or not configured, or the program
    /// stops. The failure says which; clients that wait are answered.
    case abandoned(source: String, because: Failure)
    /// A host (`Origin.host`) has asked for a pause until a wall time, which may matter to others who ask it.
    case hostPaused(host: String, until: Date)
    /// No poll of the source writes any more after `abandon`, so its state may be removed.
    case readyForReset(source: String)
    /// A line for the log; nothing else follows from it.
    case notice(Notice)
    /// After `stop`: nothing is under way any more, or the store's time to finish is over.
    case stopped

    /// Whether `Engine.summary` may have changed by it, so that a status line is due; false for other effects even if
    /// it has.
    public var changesSummary: Bool {
        switch self {
        case .report, .abandoned: true
        case .notice(.storePaused), .notice(.storeResumed), .notice(.writeRefused), .notice(.pollPostponed),
            .notice(.pollsStopped), .notice(.pollsResumed), .notice(.clockDoubted), .notice(.clockTrusted):
            true
        default: false
        }
    }
}

/// A request to make: one hop of a feed's request.
public struct FetchOrder: Sendable {
    /// The identity of the request, by which inputs name it.
    public var id: FetchID
    /// The name of its source.
    public var source: String
    /// The source's feed, which decodes the response.
    public var feed: any Feed
    /// The feed's request, the same for all its hops.
    public var request: FeedRequest
    /// The request as it is sent. Its URL is that of the feed's request or of a redirect.
    public var fetch: FetchRequest
    /// Path of the file with the Authorization header, read for each request; nil if `fetch` is complete.
    public var authorizationFile: String?
    /// The context for the feed's decoder: time, state and secrets as of the order.
    public var context: PollContext

    /// The absolute URL of this hop.
    public var url: String { fetch.url }

    /// A scrubber of what must not be kept of answers.
    /// - Parameter sent: The request as it was sent: `fetch` with its Authorization header.
    public func scrubber(of sent: FetchRequest) -> Scrubber {
        sent.scrubber(besides: Array(context.secrets.values), redirectedFrom: request.url)
    }
}

/// The report of a poll that has ended, well or not, or of an open stream.
public struct PollReport: Sendable {
    /// The source's name.
    public var source: String
    /// Wall time at which it was due.
    public var due: Date
    /// Wall time at which it began.
    public var started: Date
    /// Time from its beginning to this report, by the uptime.
    public var duration: Duration
    /// Its changes to the stored events; for an open stream since the last report.
    public var result: StepResult
    /// Bytes received on the wire.
    public var bytes: Int
    /// Requests made, redirects included.
    public var requests: Int
    /// How many of the requests were answered 304; at most `requests`.
    public var notModified: Int
    /// Issues of its documents in the order found, at most 50; more are dropped.
    public var issues: [FeedIssue]
    /// How it ended: success or failure, and when and why the next poll is due.
    public var end: PollEnd
    /// How many failures were left out of the log before this one, which is told; nil: no failure is told. A source
    /// that fails again within 30 minutes is told later, if it still fails then.
    public var leftOutFailures: Int?
    /// How long the source had been failing before this poll succeeded, from the first failure; nil if it had not.
    public var recoveredAfter: Duration?
    /// Whether the recovery is told: the failure was.
    public var tellsRecovery: Bool
    /// Whether this is the first poll in a row with issues in place of events (`PollEnd.remark`).
    public var isNewlyOdd: Bool
    /// The parts of its source that have brought nothing for longer than their tolerance, from this poll on.
    public var toldShortfalls: [Shortfall]
    /// The parts that had done so, and of which it has brought something.
    public var mended: [Shortfall]
    /// The most paid reads of its source in a month; nil: it makes none.
    public var monthlyCap: Int?
}

/// A line for the log. Times are wall times.
public enum Notice: Sendable, Hashable {
    /// A poll begins that was due at this time; a requested one is due at once.
    case pollStarted(source: String, due: Date)
    /// A poll that is due waits for its host, or that of a redirect, which wants no request before this time.
    case pollWaits(source: String, host: String, until: Date)
    /// The store cannot be written, for this reason for people; all polls pause until then, 30 s to 16 min later.
    case storePaused(reason: String, until: Date)
    /// The store can be written again; polls that are due begin.
    case storeResumed
    /// The store refuses a source's data, for this reason for people; the source backs off until then.
    case writeRefused(source: String, reason: String, until: Date)
    /// A poll could not be made because this machine lacks a resource, such as descriptors; it begins again then. It
    /// does not count as a failure of the source.
    case pollPostponed(source: String, failure: Failure, until: Date)
    /// Wall time is not trusted any more: a server's Date header differs by this number of seconds (server minus
    /// ours), more than 600 either way, or less if wall time is before the last trusted time. Truncation goes by the
    /// uptime meanwhile.
    case clockDoubted(seconds: Double)
    /// Wall time is trusted again: a server's Date header differs by at most 600 s.
    case clockTrusted
    /// Truncation was skipped because wall time is not trusted and no earlier run is known; the next try is one
    /// interval later.
    case truncationSkipped
    /// Free space in bytes is below twice the floor: paid reads stop and streams are closed.
    case paidReadsStopped(free: Int64, floor: Int64)
    /// Free space in bytes is below the floor: no poll begins. Polls under way go on.
    case pollsStopped(free: Int64, floor: Int64)
    /// Free space in bytes is at least 9/8 of the floor, so polls begin again.
    case pollsResumed(free: Int64)
    /// Free space in bytes is at least 9/4 of the floor, so paid reads begin again.
    case paidReadsResumed(free: Int64)
    /// A CAP sender that another source had shown first belongs to this one now, as the operator has written.
    case senderTaken(String, by: String)
}
