public import Foundation

/// A kind of feed, bound to one source: a pure value that says what to ask and takes each answer.
///
/// It performs no I/O and holds no state of its own; what it must remember goes into `FeedState`, which is stored in
/// the same transaction as the events of the answer it came with. Two-step indexes, pages and tokens are follow-up
/// requests.
public protocol Feed: Sendable {
    /// What the configuration needs to know of the kind.
    static var kind: FeedKind { get }

    /// Binds the kind to a source.
    /// - Throws: `FeedSettingsError` when options contradict each other or the URL does not fit the kind.
    init(_ settings: SourceSettings) throws(FeedSettingsError)

    /// The first requests of a poll; each begins a chain of its own, which fails or succeeds by itself.
    func requests(for poll: PollContext) -> [FeedRequest]

    /// Turns the answer to one of its requests into events, issues and follow-up requests.
    ///
    /// A faulty item becomes an issue; `Failure` (fault `feed`) is for a document that is unusable as a whole.
    func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer

    /// What to forget after the server refused a request (a `since_id` that is too old), or after the last try for a
    /// document that is not essential, which is then asked for again; nil: nothing.
    func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState?

    /// Advice on the settings that `check` prints as warnings, such as a window shorter than twice the interval.
    var advice: [String] { get }

    /// How its connection is held open; nil for a feed that is polled.
    ///
    /// The chain of a stream leads to a request with the same terms (`FeedRequest.stream`). Each batch of its lines is
    /// given to `decode` as a body; what follows is stored at once, and what the chain held back before is not kept.
    var stream: StreamTerms? { get }

    /// The response header, in lower case, with the end of a rate limit in seconds since 1970, which counts on a 429
    /// without Retry-After; nil: there is none.
    var rateLimitResetHeader: String? { get }
}

extension Feed {
    public func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState? { nil }
    public var advice: [String] { [] }
    public var stream: StreamTerms? { nil }
    public var rateLimitResetHeader: String? { nil }
}

/// A setting that a kind of feed cannot work with.
public struct FeedSettingsError: Error, Sendable, Hashable {
    /// The key at fault: a key of the source or one of the kind's options.
    public var key: String
    /// What was found.
    public var found: String
    /// What would be accepted.
    public var accepted: String

    /// Creates an error.
    public init(key: String, found: String, accepted: String) {
        self.key = key
        self.found = found
        self.accepted = accepted
    }
}

/// What a feed knows when it plans or decodes.
public struct PollContext: Sendable {
    /// Wall time of the poll.
    public var now: Date
    /// When the source last succeeded; nil before its first success.
    public var lastSuccess: Date?
    /// What the feed stored with its last committed answer, as moved on by this poll's earlier answers.
    public var state: FeedState
    /// What this run of the program learned and must not be stored, such as a bearer token.
    public var secrets: [String: Secret]

    /// Creates a context.
    public init(now: Date, lastSuccess: Date? = nil, state: FeedState = FeedState(), secrets: [String: Secret] = [:]) {
        self.now = now
        self.lastSuccess = lastSuccess
        self.state = state
        self.secrets = secrets
    }
}

/// What a feed remembers from poll to poll, as plain texts by key (`since_id`).
public struct FeedState: Sendable, Hashable, Codable {
    /// The remembered values.
    public var values: [String: String]

    /// Creates a state.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// One remembered value.
    public subscript(key: String) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }
}

/// One request a feed wants made. It is stored while it is pending, so it never contains a secret.
public struct FeedRequest: Sendable, Hashable, Codable {
    /// How the request is authorised beyond the source's own headers and authorization file.
    public enum Authorization: String, Sendable, Codable {
        /// Not at all.
        case none
        /// `Authorization: Bearer` with the poll's secret `bearer`.
        case bearer
        /// HTTP Basic with the poll's secrets `key` and `secret`.
        case basic

        /// The value of the Authorization header; nil where a secret is missing, and for `none`.
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

    /// Absolute URL.
    public var url: String
    /// The feed's own word for what it asks for, to tell answers apart: `feed`, `document`, `page`, `token`.
    public var role: String
    /// The topic it stands for, where the source has several.
    public var topic: String?
    /// Further request headers the kind needs (`Accept`).
    public var headers: [String: String]
    /// A form to POST (`application/x-www-form-urlencoded`); without it and `json` it is a GET.
    public var form: String?
    /// A JSON text to POST.
    public var json: String?
    /// How it is authorised.
    public var authorization: Authorization
    /// Whether ETag and Last-Modified of the last complete answer are sent.
    public var isConditional: Bool
    /// Whether its failure for good fails the chain. A document of an index is not: it costs itself alone.
    public var isEssential: Bool
    /// How often it is made in all while its failures are transient ones, 1 or more.
    public var maximumTries: Int
    /// The most paid reads it can cost; 0 is free. Of a stream: how many are reserved at a time.
    public var cost: Int
    /// The most paid reads that the source may make in a calendar month (UTC); nil where it costs nothing.
    public var monthlyCap: Int?
    /// The feed's own notes for decoding the answer.
    public var notes: [String: String]
    /// How the answer is held open; nil: it is a document like any other.
    public var stream: StreamTerms?

    /// Creates a request; by default a free conditional GET.
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

/// A complete and whole answer to a `FeedRequest`: HTTP 200, a file read to its end, or a batch of a stream's lines.
public struct FeedResponse: Sendable {
    /// The request it answers.
    public var request: FeedRequest
    /// Where it came from after redirects.
    public var url: String
    /// Response headers, names in lower case; repeated ones joined by ", ".
    public var headers: [String: String]
    /// The body after content decoding.
    public var body: Data

    /// Creates a response.
    public init(request: FeedRequest, url: String? = nil, headers: [String: String] = [:], body: Data) {
        self.request = request
        self.url = url ?? request.url
        self.headers = headers
        self.body = body
    }
}

/// What a feed made of one response.
public struct FeedAnswer: Sendable {
    /// Events in the order of the document; the same event may occur twice, the later one then counts.
    public var events: [Event]
    /// Events the provider takes back, applied after `events`.
    public var withdrawals: [Withdrawal]
    /// Items that could not be used, and other oddities.
    public var issues: [FeedIssue]
    /// Requests that continue this chain; the chain's validators and state are stored with the last of them.
    public var followUps: [FeedRequest]
    /// Whether the document was complete; of one that breaks off no validators are kept, so it is asked for again.
    public var isWhole = true
    /// The feed's new state; nil leaves it as it is.
    public var state: FeedState?
    /// What the answer proves by what it does not contain; nil when absence proves nothing.
    public var coverage: Coverage?
    /// Secrets learned, kept for this run of the program only.
    public var secrets: [String: Secret]
    /// The interval the server asks for (ttl); Cache-Control is read by the fetcher.
    public var requestedInterval: Duration?
    /// The source must not be asked before this time (rate limits).
    public var notBefore: Date?
    /// Paid reads the answer really cost.
    public var cost: Int
    /// The topic it is the answer for, where the source has several; set by the engine.
    public var topic: String?
    /// Why the provider is about to close the stream, if it says so; the stream is then closed and opened again.
    public var closing: Failure?
    /// Set when no line of a stream's batch was recognized as the provider's, with what was found. If the stream has
    /// brought no message yet, it is closed and the poll fails.
    public var unrecognized: Failure?
    /// Links and control messages found, for `decode --count`: counts by word.
    public var tallies: [String: Int]

    /// Creates an answer.
    public init(
        events: [Event] = [], withdrawals: [Withdrawal] = [], issues: [FeedIssue] = [],
        followUps: [FeedRequest] = [], state: FeedState? = nil, coverage: Coverage? = nil,
        secrets: [String: Secret] = [:], requestedInterval: Duration? = nil, notBefore: Date? = nil, cost: Int = 0,
        tallies: [String: Int] = [:]
    ) {
        self.events = events
        self.withdrawals = withdrawals
        self.issues = issues
        self.followUps = followUps
        self.state = state
        self.coverage = coverage
        self.secrets = secrets
        self.requestedInterval = requestedInterval
        self.notBefore = notBefore
        self.cost = cost
        self.tallies = tallies
    }
}

extension FeedAnswer {
    /// Issues kept one by one.
    private static let issueCap = 1_000

    /// Adds an issue; of very many, those with a reason seen before are only counted.
    public mutating func report(_ issue: FeedIssue) {
        if issues.count >= Self.issueCap, let same = issues.lastIndex(where: { $0.reason == issue.reason }) {
            issues[same].times += issue.times
        } else {
            issues.append(issue)
        }
    }
}

/// The provider takes an event back.
public struct Withdrawal: Sendable, Hashable {
    /// On what evidence.
    public enum Reason: String, Sendable {
        /// The provider deleted it.
        case deleted
        /// The provider cancelled or superseded it.
        case cancelled
    }

    /// Provider of the event.
    public var provider: String
    /// The event's upstream id. When `takesFamily`, ids that begin with it and a space are meant too.
    public var id: String
    /// Whether all events `id …` of one alert go together.
    public var takesFamily: Bool
    /// On what evidence.
    public var reason: Reason
    /// When the provider said so; a version of the event that is newer stays.
    public var time: Date?
    /// The words of the evidence, kept with the event (`Cancel KSTO1055887203`).
    public var evidence: String
    /// Whether text and details must be erased everywhere (Twitter's delete).
    public var erases: Bool
    /// Upstream ids that take the place of what is withdrawn and stay.
    public var replacements: [String]

    /// Creates a withdrawal.
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

/// What a complete snapshot proves: events of `provider` inside the window that are not among `present` are gone.
public struct Coverage: Sendable, Hashable {
    /// Whose events are covered.
    public var provider: String
    /// When the provider made the snapshot; one that is not newer than the last changes nothing at all.
    public var generated: Date
    /// The window of event times in which absence counts ("well inside"); nil for a snapshot that proves no absence
    /// (incomplete), which is still subject to `generated`.
    public var window: ClosedRange<Date>?
    /// Ids of all items read, those refused included as far as their id could be read, with their aliases.
    public var present: [String]

    /// Creates a coverage.
    public init(provider: String, generated: Date, window: ClosedRange<Date>?, present: [String]) {
        self.provider = provider
        self.generated = generated
        self.window = window
        self.present = present
    }
}

/// Something in a document that was not as it should be.
public struct FeedIssue: Sendable, Hashable, CustomStringConvertible {
    /// A short stable word to count by: `no_id`, `bad_date`, `bad_coordinate`.
    public var reason: String
    /// Where: `item 12`, `feature us7000abcd`, `line 3`.
    public var position: String
    /// What was found, cut to 200 characters and free of control characters.
    public var found: String
    /// Whether the item was lost by it; otherwise it was kept without the faulty part.
    public var costsItem: Bool
    /// How often it occurred; more than 1 stands for further ones like it at other places.
    public var times = 1

    /// Creates an issue.
    public init(_ reason: String, at position: String, found: String = "", costsItem: Bool = false) {
        self.reason = reason
        self.position = position
        self.found = String(String.UnicodeScalarView(found.unicodeScalars.lazy.filter { $0.value >= 32 }.prefix(200)))
        self.costsItem = costsItem
    }

    public var description: String {
        "\(position): \(reason)" + (found.isEmpty ? "" : ": found \"\(found)\"") + (costsItem ? " (item refused)" : "")
            + (times > 1 ? " (and \(times - 1) more like it)" : "")
    }
}
