public import Foundation

/// A question for the services; all events that ask it share one job.
public struct GeocodeJob: Sendable, Hashable {
    /// Row of the job; nil when a person asks.
    public var id: Int64?
    /// The question to the services.
    public var query: PlaceQuery
    /// Earlier answers by service that have not expired; such a service is not asked again.
    public var answers: [GeocodeProvider: ProviderAnswer]
    /// The name of the source whose event asks, of several that of the event seen first; nil when a person asks.
    public var source: String?

    /// Creates a job with these values; by default a person's question without earlier answers.
    public init(
        id: Int64? = nil, query: PlaceQuery, answers: [GeocodeProvider: ProviderAnswer] = [:], source: String? = nil
    ) {
        self.id = id
        self.query = query
        self.answers = answers
        self.source = source
    }
}

/// The limits of a service and how long its answers are kept.
public struct ProviderPlan: Sendable, Hashable {
    /// The service that the limits are for.
    public var provider: GeocodeProvider
    /// Least time between two requests, 0s…1h.
    public var gap: Duration
    /// Most requests in a day (UTC); nil, the default: no limit.
    public var dailyQuota: Int?
    /// Most requests in a calendar month (UTC); nil, the default: no limit.
    public var monthlyQuota: Int?
    /// How long a place is kept, 1h…3660d; default 30 days.
    public var keepsPlaces: Duration
    /// How long "no such place" is kept, 1h…3660d; default 30 days.
    public var keepsMisses: Duration
    /// Time for one request as a whole, 1s…10m; default 20 s.
    public var timeout: Duration

    /// Creates a plan with these values, which the configuration checks; by default without quotas.
    public init(
        provider: GeocodeProvider, gap: Duration, dailyQuota: Int? = nil, monthlyQuota: Int? = nil,
        keepsPlaces: Duration = .seconds(30 * 86_400), keepsMisses: Duration = .seconds(30 * 86_400),
        timeout: Duration = .seconds(20)
    ) {
        self.provider = provider
        self.gap = gap
        self.dailyQuota = dailyQuota
        self.monthlyQuota = monthlyQuota
        self.keepsPlaces = keepsPlaces
        self.keepsMisses = keepsMisses
        self.timeout = timeout
    }
}

/// A request to a service that is counted against its quotas. It is stored, with synchronous=FULL, before it is sent.
public struct ProviderReservation: Sendable, Hashable {
    /// The service to be asked.
    public var provider: GeocodeProvider
    /// Wall time of the request; quotas count by day and calendar month (UTC).
    public var at: Date
    /// Most requests in the day of `at`; nil: no limit.
    public var dailyQuota: Int?
    /// Most requests in the month of `at`; nil: no limit.
    public var monthlyQuota: Int?
    /// The name of the source that asks; nil: a person.
    public var source: String?

    /// Creates a reservation with these values, which are not checked; by default a person's without quotas.
    public init(
        provider: GeocodeProvider, at: Date, dailyQuota: Int? = nil, monthlyQuota: Int? = nil, source: String? = nil
    ) {
        self.provider = provider
        self.at = at
        self.dailyQuota = dailyQuota
        self.monthlyQuota = monthlyQuota
        self.source = source
    }

    /// Most requests of one source in the day of `at`: half of the day's quota, rounded up; nil: no limit.
    public var share: Int? { dailyQuota.map { $0 - $0 / 2 } }
}

/// The result of a `ProviderReservation`; unless granted, no request may be made.
public enum ReservationAnswer: Sendable, Hashable {
    /// The request was counted and stored, and may be made.
    case granted
    /// The day's quota is used up; nothing was counted.
    case dayIsFull
    /// The month's quota is used up; nothing was counted.
    case monthIsFull
    /// The source has used up its share of the day's quota; nothing was counted.
    case shareIsFull
}

/// The requests made to a service so far.
public struct ProviderUsage: Sendable, Hashable {
    /// When the last request was made (wall time); nil: never.
    public var lastRequest: Date?
    /// Requests in the present day (UTC), 0 or more; default 0.
    public var today: Int
    /// Requests in the present calendar month (UTC), 0 or more; default 0.
    public var thisMonth: Int

    /// Creates a usage with unchecked numbers; by default no requests.
    public init(lastRequest: Date? = nil, today: Int = 0, thisMonth: Int = 0) {
        self.lastRequest = lastRequest
        self.today = today
        self.thisMonth = thisMonth
    }
}

/// The outcome of work on a job, to be stored.
public struct GeocodeSettlement: Sendable, Hashable {
    /// The job that was worked on, as it was taken.
    public var job: GeocodeJob
    /// Wall time of the outcome.
    public var at: Date
    /// A new answer to be kept; nil when an earlier answer decided.
    public var fresh: Fresh?
    /// The job's new state.
    public var end: End

    /// The new state of a job and of its events.
    public enum End: Sendable, Hashable {
        /// Located: all events of the job get this location.
        case located(Location)
        /// Unresolved: every configured service answered, and none knows the place.
        case unresolved
        /// Waiting: another service is still to be asked.
        case waiting
    }

    /// A service's new answer.
    public struct Fresh: Sendable, Hashable {
        /// The service that answered.
        public var provider: GeocodeProvider
        /// The service's answer.
        public var answer: ProviderAnswer
        /// When the stored answer expires (wall time).
        public var expires: Date

        /// Creates an answer to keep with these values, which are not checked.
        public init(provider: GeocodeProvider, answer: ProviderAnswer, expires: Date) {
            self.provider = provider
            self.answer = answer
            self.expires = expires
        }
    }

    /// Creates a settlement with these values, which are not checked; by default without a new answer.
    public init(job: GeocodeJob, at: Date, fresh: Fresh? = nil, end: End) {
        self.job = job
        self.at = at
        self.fresh = fresh
        self.end = end
    }
}
