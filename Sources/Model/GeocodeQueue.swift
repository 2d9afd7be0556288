public import Foundation

/// A question for the services with all events that wait for its answer.
public struct GeocodeJob: Sendable, Hashable {
    /// Row of the job; nil when a person asks and no event waits.
    public var id: Int64?
    /// The question.
    public var query: PlaceQuery
    /// What services have answered before, as far as it may still be used.
    public var answers: [GeocodeProvider: ProviderAnswer]

    /// Creates a job.
    public init(id: Int64? = nil, query: PlaceQuery, answers: [GeocodeProvider: ProviderAnswer] = [:]) {
        self.id = id
        self.query = query
        self.answers = answers
    }
}

/// How a service may be used.
public struct ProviderPlan: Sendable, Hashable {
    /// The service.
    public var provider: GeocodeProvider
    /// Least time between two requests.
    public var gap: Duration
    /// Most requests in a day (UTC); nil: no limit.
    public var dailyQuota: Int?
    /// Most requests in a calendar month (UTC); nil: no limit.
    public var monthlyQuota: Int?
    /// How long a place may be kept.
    public var keepsPlaces: Duration
    /// How long "no such place" is believed.
    public var keepsMisses: Duration

    /// Creates a plan.
    public init(
        provider: GeocodeProvider, gap: Duration, dailyQuota: Int? = nil, monthlyQuota: Int? = nil,
        keepsPlaces: Duration = .seconds(30 * 86_400), keepsMisses: Duration = .seconds(30 * 86_400)
    ) {
        self.provider = provider
        self.gap = gap
        self.dailyQuota = dailyQuota
        self.monthlyQuota = monthlyQuota
        self.keepsPlaces = keepsPlaces
        self.keepsMisses = keepsMisses
    }
}

/// A request to a service about to be made: stored, with synchronous=FULL, before it is sent.
public struct ProviderReservation: Sendable, Hashable {
    /// The service.
    public var provider: GeocodeProvider
    /// Wall time; quotas count by day and calendar month in UTC.
    public var at: Date
    /// Most requests in a day; nil: no limit.
    public var dailyQuota: Int?
    /// Most requests in a month; nil: no limit.
    public var monthlyQuota: Int?

    /// Creates a reservation.
    public init(provider: GeocodeProvider, at: Date, dailyQuota: Int? = nil, monthlyQuota: Int? = nil) {
        self.provider = provider
        self.at = at
        self.dailyQuota = dailyQuota
        self.monthlyQuota = monthlyQuota
    }
}

/// Whether a reserved request may be made.
public enum ReservationAnswer: Sendable, Hashable {
    /// It is counted.
    case granted
    /// The day's quota is used up.
    case dayIsFull
    /// The month's quota is used up.
    case monthIsFull
}

/// What has been asked of a service so far.
public struct ProviderUsage: Sendable, Hashable {
    /// When it was asked last; nil: never.
    public var lastRequest: Date?
    /// Requests this day (UTC).
    public var today: Int
    /// Requests this calendar month (UTC).
    public var thisMonth: Int

    /// Creates a usage; by default none.
    public init(lastRequest: Date? = nil, today: Int = 0, thisMonth: Int = 0) {
        self.lastRequest = lastRequest
        self.today = today
        self.thisMonth = thisMonth
    }
}

/// What is to be stored of a job, in one transaction.
public struct GeocodeSettlement: Sendable, Hashable {
    /// The job.
    public var job: GeocodeJob
    /// Wall time.
    public var at: Date
    /// An answer that has just come from a service, with the time until which it may be kept; nil when what is kept
    /// decides.
    public var fresh: Fresh?
    /// What becomes of the job.
    public var end: End

    /// What becomes of a job.
    public enum End: Sendable, Hashable {
        /// All events that wait for it are there.
        case located(Location)
        /// Every configured service has answered, and none knows the place.
        case unresolved
        /// Other services are still to be asked.
        case waiting
    }

    /// An answer to keep.
    public struct Fresh: Sendable, Hashable {
        /// Who gave it.
        public var provider: GeocodeProvider
        /// What it says.
        public var answer: ProviderAnswer
        /// Until when it may be used.
        public var expires: Date

        /// Creates an answer to keep.
        public init(provider: GeocodeProvider, answer: ProviderAnswer, expires: Date) {
            self.provider = provider
            self.answer = answer
            self.expires = expires
        }
    }

    /// Creates a settlement.
    public init(job: GeocodeJob, at: Date, fresh: Fresh? = nil, end: End) {
        self.job = job
        self.at = at
        self.fresh = fresh
        self.end = end
    }
}
