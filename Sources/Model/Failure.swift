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
    /// A short stable word to switch on and to count by: `timeout`, `http_500`, `not_json`.
    public var code: String
    /// One sentence for people, with what was found and where; never a secret, never a URL's query.
    public var message: String
    /// The HTTP status when the server answered.
    public var status: Int?
    /// The earliest time at which the server wants to be asked again.
    public var retryAfter: Date?
    /// The first bytes of the body that failed (at most 64 KiB are kept by whoever makes the failure).
    public var excerpt: Data?

    /// Creates a failure.
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
    /// Whether the same request may succeed later, though nothing is changed.
    public var isPassing: Bool {
        switch fault {
        case .network, .ours: true
        case .server: status.map { $0 >= 500 || [408, 425, 429].contains($0) } ?? true
        case .feed, .operator: false
        }
    }

    /// Whether what was asked for may be had later: a web page in its place is one of a server at work on itself, or of a
    /// portal that wants a login.
    public var mayPass: Bool { isPassing || code == "html_page" }

    /// Whether the request has not left this machine, or not come further than a proxy.
    public var isUnsent: Bool {
        let codes = [
            "name_not_found", "connection_refused", "unreachable", "connect", "connect_timeout", "tls", "proxy",
            "proxy_refused", "refused_address",
        ]
        return codes.contains(code)
    }

    /// The code of a request that ended with a connection kept from an earlier one, before any byte of an answer: the
    /// server has probably closed it while the request was on its way, so the same may be asked once more (RFC 9110
    /// §9.2.2).
    public static let lostConnectionCode = "connection_lost"
}
