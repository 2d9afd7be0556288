import Foundation
import Model

/// A configured service and the times at which it may be asked.
struct ScheduledService: Sendable {
    let plan: ProviderPlan
    var breaker = CircuitBreaker()
    /// Which of its failures are told.
    var flaps = FlapDamper()
    /// The uptime from which its gap allows the next request.
    private(set) var free: Duration
    /// Set while its quota is used up.
    private(set) var quota: Quota?

    /// The sources whose shares of the daily quota are used up, or were.
    private(set) var fullShares: [String: Quota] = [:]

    struct Quota: Sendable {
        /// When the next day or month begins, by wall time.
        var end: Date
        /// The uptime of the next attempt to reserve, at most an hour ahead because wall time may be wrong.
        var retry: Duration
    }

    private static let quotaCheck = Duration.seconds(3600)

    /// Keeps the gap across a restart. The wait is never longer than the gap, because wall time may have stepped.
    init(_ plan: ProviderPlan, lastRequest: Date?, at now: Moment) {
        self.plan = plan
        free = now.uptime
        if let lastRequest {
            let passed = Duration.milliseconds(now.wall.milliseconds - lastRequest.milliseconds)
            free = now.uptime + max(.zero, plan.gap - max(.zero, passed))
        }
    }

    var provider: GeocodeProvider { plan.provider }

    /// The uptime from which breaker and quota allow a request.
    var availableFrom: Duration { max(breaker.until ?? .zero, quota?.retry ?? .zero) }

    func isAvailable(at now: Moment) -> Bool { availableFrom <= now.uptime }

    /// Whether a source, or a person (nil), has a share left.
    func hasShare(for source: String?, at now: Moment) -> Bool {
        source.flatMap { fullShares[$0] }.map { $0.retry <= now.uptime } ?? true
    }

    /// The reason why it is not available; nil if it is.
    func obstacle(at now: Moment) -> ProviderReply.Reason? {
        if let until = breaker.until, until > now.uptime { return .failing(until: now.wall(at: until)) }
        if let quota, quota.retry > now.uptime { return .quotaUsedUp(until: quota.end) }
        return nil
    }

    /// Notes the start of a request.
    mutating func start(at now: Moment) {
        quota = nil
        free = now.uptime + plan.gap
    }

    /// Notes when the request was sent; the gap counts from then.
    mutating func sent(at uptime: Duration) { free = max(free, uptime + plan.gap) }

    /// Notes that a source's share is used up until `end`. Returns whether it was not known before.
    mutating func useUpShare(of source: String, until end: Date, at now: Moment) -> Bool {
        let isNews = fullShares[source]?.end != end
        fullShares[source] = Quota(end: end, retry: Self.retry(end, at: now))
        return isNews
    }

    /// The next attempt to reserve after a quota that ends by wall time: an hour ahead at most.
    private static func retry(_ end: Date, at now: Moment) -> Duration {
        min(max(now.uptime(at: end), now.uptime + .seconds(1)), now.uptime + quotaCheck)
    }

    /// Notes that the quota is used up until `end`. Returns whether it was not known before.
    mutating func useUpQuota(until end: Date, at now: Moment) -> Bool {
        let isNews = quota == nil
        quota = Quota(end: end, retry: Self.retry(end, at: now))
        return isNews
    }
}

extension ReservationAnswer {
    /// When the used-up quota is renewed: at the next day or calendar month (UTC). Nil if granted.
    func quotaEnd(after wall: Date) -> Date? {
        switch self {
        case .granted: nil
        case .dayIsFull, .shareIsFull: wall.nextDay
        case .monthIsFull: wall.nextMonth
        }
    }
}
