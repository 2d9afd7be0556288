/// Limits of requests, redirects and free disk space. Values are not checked.
public struct EngineLimits: Sendable, Hashable {
    /// Requests under way at the same time; default 64. A request older than 2 s no longer counts, so stalled hosts do
    /// not block others. At most 8 times as many are under way in all.
    public var concurrency: Int
    /// Requests under way at the same time to one host, 1 or more; default 1. Open streams do not count.
    public var perHostConcurrency: Int
    /// Least time between the starts of two requests to one host, 0 or more; default 1 s.
    public var perHostGap: Duration
    /// Redirects followed for one request, 0 or more; default 5. A further one fails the request.
    public var maximumRedirects: Int
    /// Free bytes below which no poll begins; paid reads need twice as many. Default 0: no limit.
    public var minimumFreeBytes: Int64

    /// How long a request counts against `concurrency`.
    static let slotTime = Duration.seconds(2)
    /// The most requests under way of any age, as a multiple of `concurrency`.
    static let openFactor = 8

    /// Creates limits; the defaults are those of the configuration, except for `minimumFreeBytes` (256 MiB there).
    public init(
        concurrency: Int = 64, perHostConcurrency: Int = 1, perHostGap: Duration = .seconds(1),
        maximumRedirects: Int = 5, minimumFreeBytes: Int64 = 0
    ) {
        self.concurrency = concurrency
        self.perHostConcurrency = perHostConcurrency
        self.perHostGap = perHostGap
        self.maximumRedirects = maximumRedirects
        self.minimumFreeBytes = minimumFreeBytes
    }
}
