import Foundation
import Model

/// A configured service in the scheduler, and when it may be asked.
struct ScheduledService: Sendable {
    let plan: ProviderPlan
    var breaker = CircuitBreaker()
    /// The uptime from which its gap allows the next request.
    private(set) var free: Duration
    /// Set while its quota is used up.
    private(set) var quota: Quota?

    struct Quota: Sendable {
        /// When the next day or month begins, as far as the wall clock is right.
        var end: Date
        /// The uptime at which a reservation is tried again: within the hour, since the wall clock may be wrong.
        var retry: Duration
    }

    private static let quotaCheck = Duration.seconds(3600)

    /// The gap is kept across restarts. Wall time may have stepped since the last request, so the wait is never longer
    /// than the gap.
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

    /// Why it is not available; nil when it is.
    func obstacle(at now: Moment) -> ProviderReply.Reason? {
        if let until = breaker.until, until > now.uptime { return .failing(until: now.wall(at: until)) }
        if let quota, quota.retry > now.uptime { return .quotaUsedUp(until: quota.end) }
        return nil
    }

    /// A request starts.
    mutating func start(at now: Moment) {
        quota = nil
        free = now.uptime + plan.gap
    }

    /// The request was sent, from when the gap to the next one counts.
    mutating func sent(at uptime: Duration) { free = max(free, uptime + plan.gap) }

    /// The quota is used up until `end`. Returns whether that is news.
    mutating func useUpQuota(until end: Date, at now: Moment) -> Bool {
        let isNews = quota == nil
        let soonest = now.uptime + .seconds(1)
        quota = Quota(end: end, retry: min(max(now.uptime(at: end), soonest), now.uptime + Self.quotaCheck))
        return isNews
    }
}

extension ReservationAnswer {
    /// When the quota that is used up begins anew: with the next day or calendar month in UTC. Nil when granted.
    func quotaEnd(after wall: Date) -> Date? {
        let today = Int64((Double(wall.milliseconds) / 86_400_000).rounded(.down))
        let end: Int64
        switch self {
        case .granted: return nil
        case .dayIsFull: end = today + 1
        case .monthIsFull:
            let (year, month, _) = CivilDate.from(daysSince1970: today)
            end =
                month == 12
                ? CivilDate.daysSince1970(year: year + 1, month: 1, day: 1)
                : CivilDate.daysSince1970(year: year, month: month + 1, day: 1)
        }
        return Date(timeIntervalSince1970: Double(end) * 86_400)
    }
}
