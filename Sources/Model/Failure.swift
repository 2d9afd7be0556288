public import Foundation

/// Why a fetch or a whole document failed, and whose fault it is.
///
/// The fault decides about retries, back-off, the log level and what `status` shows.
public struct Failure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The party at fault; the raw value is the word in the database, in logs and in outputs.
    public enum Fault: String, Sendable, Codable {
        /// No complete answer arrived: name look-up, connection, time-out, TLS. It may pass by itself.
        case network
        /// The server refused the request, reported an error or broke the protocol.
        case server
        /// The body does not have the format that the kind of feed promises.
        case feed
        /// A wrong or missing setting: a bad token, an unreadable file. It stays until the operator acts.
        case `operator`
        /// A fault of this machine or program: a full disk, no free descriptor, a stop. It may pass by itself.
        case ours
    }

    /// The party at fault; it decides, with `status`, about a retry.
    public var fault: Fault
    /// A short stable word for counting: a `Code`, or a word of a format, a reader, a service or a status (`not_json`,
    /// `http_500`). A stored word unknown to this version is kept.
    public var code: String
    /// One sentence for people that names what was found and where. It never holds a secret or a URL's query.
    public var message: String
    /// The HTTP status; nil when the server gave none.
    public var status: Int?
    /// The earliest time at which the server accepts another request; nil when it does not say.
    public var retryAfter: Date?
    /// The beginning of the failed body: at most 64 KiB of a document, 2 KiB of a refused request's answer. Nil: none.
    public var excerpt: Data?
    /// Whether a web page came in place of the document, as from a login portal; default false, not stored.
    public var isPlaceholder = false
    /// The credential that this process lacks, because systemd has passed it none; default nil, not stored.
    public var missingCredential: String?

    private enum CodingKeys: String, CodingKey {
        case fault, code, message, status, retryAfter, excerpt
    }

    /// Creates a failure with a code of the program's own. The message is not checked for secrets.
    public init(
        _ fault: Fault, _ code: Code, _ message: String, status: Int? = nil, retryAfter: Date? = nil,
        excerpt: Data? = nil
    ) {
        self.init(fault, code.rawValue, message, status: status, retryAfter: retryAfter, excerpt: excerpt)
    }

    /// Creates a failure with a code of a format, a reader, a service or a status (`not_json`, `http_503`). The message
    /// is not checked for secrets.
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

    /// The failure on one line for people: `MESSAGE (FAULT: CODE)`.
    public var description: String { "\(message) (\(fault.rawValue): \(code))" }
}

extension Failure {
    /// Whether the failure has the given code, whatever its fault.
    public func hasCode(_ code: Code) -> Bool { self.code == code.rawValue }

    /// Whether the same request may succeed later without any change: every network fault and fault of this machine; of
    /// the server's faults those without status and 408, 425, 429 and 5xx.
    public var isTransient: Bool {
        switch fault {
        case .network, .ours: true
        case .server: status.map { $0 >= 500 || [408, 425, 429].contains($0) } ?? true
        case .feed, .operator: false
        }
    }

    /// Whether the same document may be available later: the failure is transient, or a web page came in its place.
    public var isRetryable: Bool { isTransient || isPlaceholder }

    /// Whether nobody was asked for want of something that the operator supplies: a secret, or what is to be asked.
    public var isUnasked: Bool { hasCode(.secret) || hasCode(.nothingToAsk) }

    /// Whether the request, or the one that a redirect led to, did not leave this machine, or got no further than a
    /// proxy: by `code`, such as `name_not_found`, `connect`, `tls` or `bad_url`.
    public var isUnsent: Bool {
        let codes: [Code] = [
            .nameNotFound, .connectionRefused, .unreachable, .connect, .connectTimeout, .tls, .proxy, .proxyRefused,
            .refusedAddress, .badHeader, .badURL, .caFile, .secret, .curlSetup, .noDescriptors,
        ]
        return codes.contains { hasCode($0) }
    }
}
