/// Why a source is due when it is, as the database, `status` and the log have it.
public enum DueReason: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Its refresh interval.
    case interval
    /// A back-off after failures.
    case backOff
    /// The server asked to be left alone until then, and the poll failed.
    case retryAfter
    /// The server asked to be left alone until then, and the poll succeeded.
    case rateLimit
    /// The server's interval, which is longer than the source's and which the source follows.
    case serverInterval
    /// The poll has left documents to ask for.
    case work
    /// The resource is gone (410).
    case gone
    /// Its stream is open, and is noted again then.
    case stream
    /// Its stream is opened again. Without a due time: it was open when the program last ended.
    case reconnect
    /// The month's paid reads are used up.
    case spendCap
    /// A word that this version does not know, as it was stored.
    case unknown(String)

    /// All known ones.
    public static let allCases: [DueReason] = [
        .interval, .backOff, .retryAfter, .rateLimit, .serverInterval, .work, .gone, .stream, .reconnect, .spendCap,
    ]

    /// Reads a stored word; one that is not known is kept.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// The word as it is stored and shown.
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
