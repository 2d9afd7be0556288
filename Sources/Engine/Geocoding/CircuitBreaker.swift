import Foundation
import Model

/// Stops requests to a service that fails, and lets one request test whether it works again.
///
/// Closed, it allows every request. Three failures in a row open it; a refused key (any fault of the operator, 401,
/// 403), a used-up quota (`quota_exceeded`) or a request to slow down (429, Retry-After) opens it at once. After the
/// wait it is half open: the next request is the probe, because the scheduler has one request under way at a time. An
/// answer closes it; another failure opens it for longer.
///
/// The wait doubles with each opening in a row, spread by ±20 %. In the middle of the spread:
///
/// | openings | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// |---|---|---|---|---|---|---|---|
/// | wait | 30 s | 1 m | 2 m | 4 m | 8 m | 16 m | 30 m |
///
/// After a refused key or a used-up quota the wait is an hour. A longer Retry-After applies, up to a day.
struct CircuitBreaker: Sendable, Hashable {
    /// Failures in a row that open it.
    static let threshold = 3
    /// The first wait.
    static let shortest = Duration.seconds(30)
    /// The longest wait by doubling, in the middle of the spread.
    static let longest = Duration.seconds(1800)
    /// The wait after a failure that only the operator or a new quota period can end.
    static let refusalWait = Duration.seconds(3600)

    /// Failures in a row.
    private(set) var failures = 0
    /// How often it has opened since it was closed.
    private(set) var openings = 0
    /// The uptime at which the wait ends or has ended; nil while it is closed.
    private(set) var until: Duration?
    /// When the first failure in the row came, as uptime.
    private var since: Duration?

    /// Whether a request may be made.
    func allowsRequest(at uptime: Duration) -> Bool { until.map { $0 <= uptime } ?? true }

    /// Notes an answer. Returns how long the service had been failing; nil if the breaker was closed.
    mutating func succeed(at uptime: Duration) -> Duration? {
        defer { self = CircuitBreaker() }
        guard until != nil, let since else { return nil }
        return uptime - since
    }

    /// Notes a failure; `spread` is a random number in 0…1. Returns whether it opened a closed breaker.
    mutating func fail(_ failure: Failure, spread: Double, at now: Moment) -> Bool {
        failures += 1
        since = since ?? now.uptime
        let wasClosed = until == nil
        guard !wasClosed || failures >= Self.threshold || failure.isRefusal || failure.asksForRest else { return false }
        openings += 1
        let doubled = Self.shortest * (1 << min(openings - 1, 16))
        let wait = failure.isRefusal ? Self.refusalWait : min(doubled, Self.longest) * (0.8 + 0.4 * spread)
        let asked = failure.retryAfter.map { min(now.uptime(at: $0), now.uptime + Backoff.longest) }
        until = max(now.uptime + wait, asked ?? .zero)
        return wasClosed
    }
}

extension Failure {
    /// Whether further requests would fail, too, whatever they ask.
    fileprivate var isRefusal: Bool { fault == .operator || status == 401 || status == 403 || hasCode(.quotaExceeded) }

    /// Whether the server asks for a pause.
    fileprivate var asksForRest: Bool { status == 429 || retryAfter != nil }
}
