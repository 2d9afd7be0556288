public import Foundation

/// Why a fetch or a whole document came to nothing, and whose fault that is.
///
/// The fault decides what follows: retry and back-off, the log level and what `status` shows.
public struct Failure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// Whose fault it is.
    public enum Fault: String, Sendable, Codable {
        /// No answer came, or it was cut short: name look-up, connection, time-out, TLS.
        case network
        /// The server answered with a refusal or an error.
        case server
        /// The body is not what the kind of feed promises.
        case feed
        /// A setting is wrong or missing: a bad token, an unreadable file.
        case `operator`
        /// This machine or program: a full disk, no descriptors left.
        case ours
    }

    /// Whose fault it is.
    public var fault: Fault
    /// A short stable word to count by: of `Code`, or of a format, a reader, a service or a status (`not_json`, `http_500`).
    /// A stored one that this version does not know is kept as it is.
    public var code: String
    /// One sentence for people, with what was found and where; never a secret, never a URL's query.
    public var message: String
    /// The HTTP status when the server answered.
    public var status: Int?
    /// The earliest time at which the server wants to be asked again.
    public var retryAfter: Date?
    /// The first bytes of the body that failed (at most 64 KiB are kept by whoever makes the failure).
    public var excerpt: Data?
    /// Whether something else stood in the document's place for a while: a web page of a server at work on itself, or of a
    /// portal that wants a login. It is not stored.
    public var isPlaceholder = false

    private enum CodingKeys: String, CodingKey {
        case fault, code, message, status, retryAfter, excerpt
    }

    /// Creates a failure with one of the program's own words.
    public init(
        _ fault: Fault, _ code: Code, _ message: String, status: Int? = nil, retryAfter: Date? = nil,
        excerpt: Data? = nil
    ) {
        self.init(fault, code.rawValue, message, status: status, retryAfter: retryAfter, excerpt: excerpt)
    }

    /// Creates a failure with a word of a format, a reader, a service or a status.
    public init(
        _ fault: Fault, _ code: String, _ message: String, status: Int? = nil, retryAfter: Date? = nil,
        excerpt: Data? = nil
    ) {
        self.fault = fault
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
        self.excerpt = excerpt
    }

    public var description: String { "\(message) (\(fault.rawValue): \(code))" }
}

extension Failure {
    /// Whether it has that word.
    public func hasCode(_ code: Code) -> Bool { self.code == code.rawValue }

    /// Whether the same request may succeed later, though nothing is changed.
    public var isTransient: Bool {
        switch fault {
        case .network, .ours: true
        case .server: status.map { $0 >= 500 || [408, 425, 429].contains($0) } ?? true
        case .feed, .operator: false
        }
    }

    /// Whether what was asked for may be had later.
    public var isRetryable: Bool { isTransient || isPlaceholder }

    /// Whether the request has not left this machine, or not come further than a proxy.
    public var isUnsent: Bool {
        let codes: [Code] = [
            .nameNotFound, .connectionRefused, .unreachable, .connect, .connectTimeout, .tls, .proxy, .proxyRefused,
            .refusedAddress,
        ]
        return codes.contains { hasCode($0) }
    }
}
