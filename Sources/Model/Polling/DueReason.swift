/// Why a source is due at its time; the raw value is the word in the database, in `status` and in the log.
public enum DueReason: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The schedule: the first due time of this run and every multiple of the refresh interval after it.
    case interval
    /// A back-off after failed polls.
    case backOff
    /// A pause that the server asked for in a poll that failed.
    case retryAfter
    /// A pause that the server asked for in a poll that succeeded.
    case rateLimit
    /// The server's interval, which is longer than the source's and is followed.
    case serverInterval
    /// Requests that the last poll left over (`SourceRecord.work`).
    case work
    /// The resource is gone (410); the next poll is a day later.
    case gone
    /// The stream is open; at that time this is recorded again.
    case stream
    /// The stream is opened again. Without a due time: the stream was open when the program last ended.
    case reconnect
    /// The month's cap of paid reads is reached.
    case spendCap
    /// A stored word unknown to this version, kept as it is.
    case unknown(String)

    /// All reasons but `unknown`, in the order of the cases.
    public static let allCases: [DueReason] = [
        .interval, .backOff, .retryAfter, .rateLimit, .serverInterval, .work, .gone, .stream, .reconnect, .spendCap,
    ]

    /// Reads a stored word; any other word becomes `unknown`, so reading never fails.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// The word in the database and in outputs, such as `back-off`; of `unknown` the stored one.
    public var rawValue: String {
        switch self {
        case .interval: "interval"
        case .backOff: "back-off"
        case .retryAfter: "retry-after"
        case .rateLimit: "rate-limit"
        case .serverInterval: "server-interval"
        case .work: "work"
        case .gone: "gone"
        case .stream: "stream"
        case .reconnect: "reconnect"
        case .spendCap: "spend-cap"
        case .unknown(let word): word
        }
    }

    /// The word itself, `rawValue`.
    public var description: String { rawValue }
}
