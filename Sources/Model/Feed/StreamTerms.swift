/// How a provider's stream is held: what is expected of it while it is open, and when it is opened again.
public struct StreamTerms: Sendable, Hashable, Codable {
    /// The most bytes of a line; a longer one is passed over and counted.
    public var longestLine: Int
    /// Time without a single byte after which the connection counts as dead; a little more than the provider's
    /// keep-alive takes.
    public var silence: Duration
    /// How many lines make a batch full, which is then stored.
    public var batchLines: Int
    /// How long after its first line a batch is stored at the latest.
    public var batchTime: Duration
    /// How long to wait after connections that could not be made, broke or fell silent.
    public var afterBreaks: Waits
    /// How long to wait after errors that the server answers, without what it says itself.
    public var afterErrors: Waits
    /// How long to wait after the answer that requests are too many (429).
    public var afterLimits: Waits

    /// Creates terms; a line of 1 MiB, batches of 100 lines or 2 s.
    public init(
        longestLine: Int = 1 << 20, silence: Duration, batchLines: Int = 100, batchTime: Duration = .seconds(2),
        afterBreaks: Waits, afterErrors: Waits, afterLimits: Waits
    ) {
        self.longestLine = longestLine
        self.silence = silence
        self.batchLines = batchLines
        self.batchTime = batchTime
        self.afterBreaks = afterBreaks
        self.afterErrors = afterErrors
        self.afterLimits = afterLimits
    }

    /// Waits that grow with each attempt in a row.
    public struct Waits: Sendable, Hashable, Codable {
        /// The first wait.
        public var first: Duration
        /// The longest.
        public var longest: Duration
        /// Whether each is twice the one before; otherwise each is longer by the first.
        public var doubles: Bool

        /// Creates waits.
        public init(first: Duration, longest: Duration, doubles: Bool) {
            self.first = first
            self.longest = longest
            self.doubles = doubles
        }

        /// The wait before attempt number `attempt` (1…).
        public func wait(attempt: Int) -> Duration {
            // Beyond some number only the longest is left; it also keeps the sum in range.
            let attempt = max(1, min(attempt, 10_000))
            return min(longest, doubles ? first * (1 << min(attempt - 1, 20)) : first * attempt)
        }
    }
}
