/// How many requests at a time, and how far apart.
public struct EngineLimits: Sendable, Hashable {
    /// Requests under way at the same time; one older than `slotTime` no longer counts, so that stalled hosts, however
    /// many, do not keep others waiting.
    public var concurrency: Int
    /// Requests under way at the same time to one host.
    public var perHostConcurrency: Int
    /// Least time between the starts of two requests to one host.
    public var perHostGap: Duration
    /// Redirects followed for one request.
    public var maximumRedirects: Int
    /// Bytes that must be free for polls to begin, and twice as many for reads that cost money; 0: no matter.
    public var minimumFreeBytes: Int64

    /// How long a request counts against `concurrency`.
    static let slotTime = Duration.seconds(2)
    /// Requests under way whatever their age, as a multiple of `concurrency`.
    static let openFactor = 8

    /// Creates limits; the defaults are those of the configuration.
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
