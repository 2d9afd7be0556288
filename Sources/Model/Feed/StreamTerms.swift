/// How a provider's stream is held open, and when it is opened again.
public struct StreamTerms: Sendable, Hashable, Codable {
    /// The longest line in bytes; longer ones are skipped and counted. Default 1 MiB.
    public var longestLine = 1 << 20
    /// Time without a byte after which the connection counts as dead (code `stalled`): above the provider's keep-alive
    /// interval.
    public var silence: Duration
    /// The most lines in a batch; a full batch is stored. Default 100.
    public var batchLines: Int
    /// The longest time from a batch's first line to its storage; default 2 s.
    public var batchTime: Duration
    /// Waits after connections that failed, broke or fell silent.
    public var afterBreaks: Waits
    /// Waits after errors from the server; a Retry-After counts besides.
    public var afterErrors: Waits
    /// Waits after status 429 (too many requests).
    public var afterLimits: Waits

    /// Creates terms with these values, which are not checked; by default a line has at most 1 MiB, a batch 100 lines
    /// and 2 s.
    public init(
        silence: Duration, batchLines: Int = 100, batchTime: Duration = .seconds(2),
        afterBreaks: Waits, afterErrors: Waits, afterLimits: Waits
    ) {
        self.silence = silence
        self.batchLines = batchLines
        self.batchTime = batchTime
        self.afterBreaks = afterBreaks
        self.afterErrors = afterErrors
        self.afterLimits = afterLimits
    }

    /// Waits that grow with each attempt in a row.
    public struct Waits: Sendable, Hashable, Codable {
        /// The wait before the first attempt; with `doubles` false also the step.
        public var first: Duration
        /// The longest wait; later ones stay at it.
        public var longest: Duration
        /// Whether each wait doubles the one before; otherwise each adds `first`.
        public var doubles: Bool

        /// Creates waits with these values, which are not checked.
        public init(first: Duration, longest: Duration, doubles: Bool) {
            self.first = first
            self.longest = longest
            self.doubles = doubles
        }

        /// The wait before an attempt, numbered from 1 on; at most `longest`.
        public func wait(attempt: Int) -> Duration {
            // Only the longest wait is left beyond this number. The limit also prevents an overflow.
            let attempt = max(1, min(attempt, 10_000))
            return min(longest, doubles ? first * (1 << min(attempt - 1, 20)) : first * attempt)
        }
    }
}
