/// Why a source is due at its time; the raw value is the word in the database, in `status` and in the log.
public enum DueReason: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The refresh interval.
    case interval
    /// A back-off after failed polls.
    case backOff
    /// A pause that the server asked for in a poll that failed.
    case retryAfter
    /// A pause that the server asked for in a poll that succeeded.
    case rateLimit
    /// The server's interval, which is longer than the source's and is followed.
    case serverInterval
    /// Requests that the last poll left over.
    case work
    /// The resource is gone (410); the next poll is a day later.
    case gone
    /// The stream is open; then that is recorded again.
    case stream
    /// The stream is opened again. Without a due time: the stream was open when the program last ended.
    case reconnect
    /// The month's cap of paid reads is reached.
    case spendCap
    /// A stored word unknown to this version.
    case unknown(String)

    /// All reasons but `unknown`.
    public static let allCases: [DueReason] = [
        .interval, .backOff, .retryAfter, .rateLimit, .serverInterval, .work, .gone, .stream, .reconnect, .spendCap,
    ]

    /// Reads a stored word; another word becomes `unknown`.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// The word in the database and in outputs.
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

    public var description: String { rawValue }
}
