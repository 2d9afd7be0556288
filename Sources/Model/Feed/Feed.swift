public import Foundation

/// A kind of feed, bound to one source: a pure value that plans requests and decodes their answers.
///
/// It performs no I/O and is stateless. What it must remember goes into `FeedState`, which is stored in one transaction
/// with the events of the same answer. Indexes, pages and tokens are handled by follow-up requests.
public protocol Feed: Sendable {
    /// The kind's description for the configuration; the same for all sources of the kind.
    static var kind: FeedKind { get }

    /// Binds the kind to a source.
    /// - Throws: `FeedSettingsError` when options contradict each other or the URL does not fit the kind.
    init(_ settings: SourceSettings) throws(FeedSettingsError)

    /// The first requests of a poll. Each begins a chain of its own, which succeeds or fails independently. If there
    /// are none, the poll fails with fault `operator` and code `nothing_to_ask`.
    func requests(for poll: PollContext) -> [FeedRequest]

    /// Decodes an answer into events, issues and follow-up requests; it may run on any thread.
    ///
    /// A faulty item becomes an issue and does not fail the document.
    /// - Throws: `Failure` with fault `feed` and a code of the format, for a document that is unusable as a whole.
    func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer

    /// The state to store after a failed request; nil (the default) leaves it unchanged.
    ///
    /// It is called when the server refused a request with 4xx (a `since_id` that is too old), and after the last try
    /// for a document that is not essential. With a state, such a document is requested again and its chain goes on.
    func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState?

    /// Warnings that `check` prints, such as of a window shorter than twice the interval; default: none.
    var advice: [String] { get }

    /// How the stream is held open; nil (the default) for a feed that is polled.
    ///
    /// The chain of a stream leads to a request with the same terms (`FeedRequest.stream`). `decode` gets each batch of
    /// lines as a body, and its answer is stored at once. What the chain held back before is not stored.
    var stream: StreamTerms? { get }

    /// Name, in lower case, of the response header with the end of a rate limit in seconds since 1970. It is read on a
    /// 429 without Retry-After. Nil (the default): there is none.
    var rateLimitResetHeader: String? { get }

    /// What its settings allow of reads that cost money; nil (the default): it makes none.
    var paidReads: PaidReads? { get }
}

extension Feed {
    /// Returns nil: the state stays unchanged.
    public func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState? { nil }
    /// Empty: nothing to warn of.
    public var advice: [String] { [] }
    /// Nil: the feed is polled.
    public var stream: StreamTerms? { nil }
    /// Nil: there is no such header.
    public var rateLimitResetHeader: String? { nil }
    /// Nil: all reads are free.
    public var paidReads: PaidReads? { nil }
}

/// What a source may read that costs money.
public struct PaidReads: Sendable, Hashable {
    /// The most in a calendar month (UTC), 0 or more.
    public var monthlyCap: Int
    /// The most in one poll, 1 or more; nil for a stream.
    public var perPoll: Int?

    /// Creates limits with these values, which are not checked.
    public init(monthlyCap: Int, perPoll: Int?) {
        self.monthlyCap = monthlyCap
        self.perPoll = perPoll
    }
}

/// A setting that the kind of feed cannot work with; the configuration is then refused (`SettingsErrors`).
public struct FeedSettingsError: Error, Sendable, Hashable {
    /// The key at fault: a key of the source or of the kind's options.
    public var key: String
    /// The value found, as text.
    public var found: String
    /// The accepted values in words for people.
    public var accepted: String

    /// Creates an error with these texts.
    public init(key: String, found: String, accepted: String) {
        self.key = key
        self.found = found
        self.accepted = accepted
    }
}

/// What a feed may use to plan requests and to decode answers, apart from its settings.
public struct PollContext: Sendable {
    /// Wall time of the poll, as the machine's clock gives it.
    public var now: Date
    /// Wall time at which the source last succeeded; nil before the first success.
    public var lastSuccess: Date?
    /// The stored state, with the changes that earlier answers of this poll made.
    public var state: FeedState
    /// Secrets configured or learned in this run of the program, and never stored, by name: `bearer`, `key`, `secret`.
    public var secrets: [String: Secret]

    /// Creates a context; by default that of a first poll, without state and secrets.
    public init(now: Date, lastSuccess: Date? = nil, state: FeedState = FeedState(), secrets: [String: Secret] = [:]) {
        self.now = now
        self.lastSuccess = lastSuccess
        self.state = state
        self.secrets = secrets
    }
}

/// What a feed remembers between polls: texts by key (`since_id`).
public struct FeedState: Sendable, Hashable, Codable {
    /// The texts by key; the kind of feed chooses the keys.
    public var values: [String: String]

    /// Creates a state; by default empty.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// The text of a key; nil if there is none. Nil removes the key.
    public subscript(key: String) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }
}

/// A request that a feed plans. It is stored while it is pending, so it never contains a secret.
public struct FeedRequest: Sendable, Hashable, Codable {
    /// Authorization beyond the source's own headers and authorization file; the raw value is stored.
    public enum Authorization: String, Sendable, Codable {
        /// No further authorization; `header(with:)` is nil.
        case none
        /// `Authorization: Bearer` with the secret `bearer` of the poll.
        case bearer
        /// HTTP Basic with the secrets `key` and `secret` of the poll, percent-encoded.
        case basic

        /// The whole value of the Authorization header; nil for `none`, and where a secret is missing.
        public func header(with secrets: [String: Secret]) -> Secret? {
            switch self {
            case .none: return nil
            case .bearer: return secrets["bearer"].map { Secret("Bearer " + $0.value) }
            case .basic:
                guard let key = secrets["key"], let secret = secrets["secret"] else { return nil }
                let pair = Data("\(key.value.percentEncoded):\(secret.value.percentEncoded)".utf8)
                return Secret("Basic " + pair.base64EncodedString())
            }
        }
    }

    /// Absolute http, https or file URL, with its query.
    public var url: String
    /// The purpose of the request, which tells its answer from others: `feed`, `document`, `page`, `token`.
    public var role: String
    /// The topic of the request; nil where the source has none.
    public var topic: String?
    /// Further request headers of the kind by name (`Accept`); default: none.
    public var headers: [String: String]
    /// A form to POST (`application/x-www-form-urlencoded`), encoded already. Without `form` and `json` (the default)
    /// the request is a GET.
    public var form: String?
    /// A JSON text to POST (`application/json`); nil, the default: none.
    public var json: String?
    /// The authorization beyond the source's own; default: none.
    public var authorization: Authorization
    /// Whether ETag and Last-Modified of the last complete answer are sent; default true.
    public var isConditional: Bool
    /// Whether a permanent failure fails the whole chain; default true. It is false for a document of an index.
    public var isEssential: Bool
    /// How often a follow-up request is made in all, 1 or more; default 5. Each try follows a failure that is retryable
    /// (`Failure.isRetryable`), one try a poll. The first request of a chain is made once a poll.
    public var maximumTries: Int
    /// The most paid reads it may cost; 0 (the default) is free. For a stream: how many reads are reserved at a time.
    public var cost: Int
    /// The most paid reads of the source in a calendar month (UTC); nil where the request is free.
    public var monthlyCap: Int?
    /// The feed's notes for decoding the answer, by key; stored with the request. Default: none.
    public var notes: [String: String]
    /// How the answer is held open; nil (the default) for a document.
    public var stream: StreamTerms?

    /// Creates a request with these values, which are not checked; by default a free conditional GET.
    public init(
        url: String, role: String = "feed", topic: String? = nil, headers: [String: String] = [:],
        form: String? = nil, json: String? = nil, authorization: Authorization = .none, isConditional: Bool = true,
        isEssential: Bool = true, maximumTries: Int = 5, cost: Int = 0, monthlyCap: Int? = nil,
        notes: [String: String] = [:], stream: StreamTerms? = nil
    ) {
        self.url = url
        self.role = role
        self.topic = topic
        self.headers = headers
        self.form = form
        self.json = json
        self.authorization = authorization
        self.isConditional = isConditional
        self.isEssential = isEssential
        self.maximumTries = maximumTries
        self.cost = cost
        self.monthlyCap = monthlyCap
        self.notes = notes
        self.stream = stream
    }
}

/// A complete answer to a `FeedRequest`: a successful HTTP answer, a whole file, or a batch of a stream's lines.
public struct FeedResponse: Sendable {
    /// The answered request, with its role, topic and notes.
    public var request: FeedRequest
    /// The URL of the body, after redirects.
    public var url: String
    /// Response headers, with names in lower case; repeated ones are joined by ", ".
    public var headers: [String: String]
    /// The body after content decoding; of a stream whole lines.
    public var body: Data

    /// Creates a response; `url` defaults to that of the request.
    public init(request: FeedRequest, url: String? = nil, headers: [String: String] = [:], body: Data) {
        self.request = request
        self.url = url ?? request.url
        self.headers = headers
        self.body = body
    }
}

/// The result of decoding one response; the store takes it in one transaction.
public struct FeedAnswer: Sendable {
    /// Events in the order of the document; none by default. Of versions of one event the last updated counts, of
    /// equals the first.
    public var events: [Event]
    /// Withdrawals by the provider, applied after `events`.
    public var withdrawals: [Withdrawal]
    /// Unusable items and other faults of the document; `report(_:)` limits their number.
    public var issues: [FeedIssue]
    /// Requests that continue the chain; none end it. Its validators and state are stored with the answer to the last
    /// of them.
    public var followUps: [FeedRequest]
    /// Whether the document was complete; default true. Otherwise its validators are not stored.
    public var isWhole = true
    /// The feed's new state; nil leaves it unchanged.
    public var state: FeedState?
    /// What absence from the answer proves; nil when it proves nothing.
    public var coverage: Coverage?
    /// Secrets learned, by name; kept until the program ends.
    public var secrets: [String: Secret]
    /// The interval that the document asks for (RSS `ttl`); nil: none. The fetcher reads Cache-Control.
    public var requestedInterval: Duration?
    /// The earliest time of the next request to the source (rate limits); nil: no limit.
    public var notBefore: Date?
    /// Paid reads that the answer cost; default 0.
    public var cost: Int
    /// The topic of the answer, where the source has several; set by the engine, else nil.
    public var topic: String?
    /// The URLs of the request and of its redirects, which must all prove a claim (`Authority`); set by the engine.
    public var route: [String] = []
    /// Why the provider will close the stream; nil if it does not say so. The stream is then closed and opened again.
    public var closing: Failure?
    /// Set when the provider's format was recognized in no line of a stream's batch, else nil. If the stream has
    /// delivered no message yet, it is closed and the poll fails.
    public var unrecognized: Failure?
    /// Counts of links and control messages by word (`other_documents`), for `decode --count`.
    public var tallies: [String: Int] = [:]

    /// The index in `issues` of the last one that `report(_:)` appended, by reason.
    private var lastIssues: [String: Int] = [:]

    /// Creates an answer with these values, which are not checked; by default an empty one.
    public init(
        events: [Event] = [], withdrawals: [Withdrawal] = [], issues: [FeedIssue] = [],
        followUps: [FeedRequest] = [], state: FeedState? = nil, coverage: Coverage? = nil,
        secrets: [String: Secret] = [:], cost: Int = 0
    ) {
        self.events = events
        self.withdrawals = withdrawals
        self.issues = issues
        self.followUps = followUps
        self.state = state
        self.coverage = coverage
        self.secrets = secrets
        self.cost = cost
    }
}

extension FeedAnswer {
    /// The most issues that are kept one by one.
    private static let issueCap = 1_000

    /// Appends an issue. After 1000 issues, one whose reason was seen before is only counted.
    public mutating func report(_ issue: FeedIssue) {
        if issues.count >= Self.issueCap, let same = lastIssues[issue.reason], same < issues.count,
            issues[same].reason == issue.reason
        {
            issues[same].times += issue.times
        } else {
            lastIssues[issue.reason] = issues.count
            issues.append(issue)
        }
    }

    /// Reports lines of a stream's batch that were skipped because they are too long. A batch without others is
    /// `unrecognized`.
    /// - Parameters:
    ///   - lengths: Their lengths in bytes.
    ///   - lines: The number of the batch's other lines.
    public mutating func report(tooLong lengths: [Int], besides lines: Int) {
        if lines == 0, let length = lengths.first {
            unrecognized = Failure(.feed, .lineTooLong, "the stream sends a line of \(length) bytes")
        }
        for length in lengths {
            report(FeedIssue("line_too_long", at: "stream", found: "\(length) bytes", costsItem: true))
        }
    }
}

/// An event that the provider takes back.
public struct Withdrawal: Sendable, Hashable {
    /// The provider's act behind a withdrawal; the raw value is the word in the database and in outputs.
    public enum Reason: String, Sendable {
        /// The provider deleted the event.
        case deleted
        /// The provider cancelled or superseded the event.
        case cancelled
    }

    /// Provider of the withdrawn event, as `Event.provider`.
    public var provider: String
    /// Upstream id of the event. With `takesFamily`, ids that begin with it and a space are withdrawn, too.
    public var id: String
    /// Whether all events `id …` of one alert are withdrawn together; default false.
    public var takesFamily: Bool
    /// The provider's act: deleted or cancelled.
    public var reason: Reason
    /// When the provider withdrew the event; a newer version stays. Nil: unknown; no version stays.
    public var time: Date?
    /// The evidence in words, stored with the event (`Cancel KSTO1055887203`).
    public var evidence: String
    /// Whether text and details are erased everywhere (Twitter's delete); default false.
    public var erases: Bool
    /// Upstream ids of the events that replace the withdrawn one and stay; default: none.
    public var replacements: [String]

    /// Creates a withdrawal with these values, which are not checked; by default of one event, without erasure.
    public init(
        provider: String, id: String, takesFamily: Bool = false, reason: Reason, time: Date? = nil, evidence: String,
        erases: Bool = false, replacements: [String] = []
    ) {
        self.provider = provider
        self.id = id
        self.takesFamily = takesFamily
        self.reason = reason
        self.time = time
        self.evidence = evidence
        self.erases = erases
        self.replacements = replacements
    }
}

/// What a complete snapshot proves: events of `provider` inside the window that are not in `present` are gone.
public struct Coverage: Sendable, Hashable {
    /// Provider of the covered events, as `Event.provider`; absence says nothing about others.
    public var provider: String
    /// When the provider made the snapshot. The whole answer is ignored unless the snapshot is newer than the last one;
    /// after an edit of the source or with another decoder version an equal time is enough.
    public var generated: Date
    /// The window of event times, both ends included, in which absence counts; nil for an incomplete snapshot, which
    /// proves no absence. `generated` applies to both.
    public var window: ClosedRange<Date>?
    /// Ids and aliases of all items read, including refused ones whose id was readable.
    public var present: [String]

    /// Creates a coverage with these values, which are not checked.
    public init(provider: String, generated: Date, window: ClosedRange<Date>?, present: [String]) {
        self.provider = provider
        self.generated = generated
        self.window = window
        self.present = present
    }
}

/// A fault of a document that does not make it unusable as a whole.
public struct FeedIssue: Sendable, Hashable, CustomStringConvertible {
    /// A short stable word for counting: `no_id`, `bad_date`, `bad_coordinate`.
    public var reason: String
    /// The place of the fault: `item 12`, `feature us7000abcd`, `line 3`.
    public var position: String
    /// The faulty text, without characters below U+0020 and cut to 200 Unicode scalars; empty if there is none.
    public var found: String
    /// Whether the item was refused; otherwise it was kept without the faulty part.
    public var costsItem: Bool
    /// How often the fault occurred, from 1 (the default) on. The further ones have the same reason at other places.
    public var times = 1

    /// What the reason of a document that was given up begins with, before the code of its failure.
    public static let document = "document_"

    /// Creates an issue; by default the item was kept. Characters below U+0020 are removed from `found`, which is cut
    /// to 200 Unicode scalars.
    public init(_ reason: String, at position: String, found: String = "", costsItem: Bool = false) {
        self.reason = reason
        self.position = position
        self.found = Self.shown(found)
        self.costsItem = costsItem
    }

    /// Whether an item was refused for a fault of its own, not for what it is: a CAP message of a status that is not
    /// asked for (`status_test`), or a message of somebody else's rule.
    public var isFault: Bool {
        guard costsItem, reason.hasPrefix("status_") else { return costsItem && reason != "other_rule" }
        return ["status_unknown", "status_missing"].contains(reason)
    }

    private static func shown(_ found: String) -> String {
        if found.utf8.count <= 200, found.utf8.allSatisfy({ $0 >= 32 }) { return found }
        var (kept, count) = ([UInt8](), 0)
        for scalar in found.unicodeScalars where scalar.value >= 32 {
            kept.append(scalar: scalar)
            count += 1
            if count == 200 { break }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The issue on one line: `POSITION: REASON: found "FOUND" (item refused) (and N more like it)`, without the parts
    /// that do not apply. Characters that a terminal might act on are not replaced.
    public var description: String {
        "\(position): \(reason)" + (found.isEmpty ? "" : ": found \"\(found)\"") + (costsItem ? " (item refused)" : "")
            + (times > 1 ? " (and \(times - 1) more like it)" : "")
    }
}
