import Model
public import Store

/// A GET request without a body, as an HTTP server hands it over. The server makes a HEAD of it by leaving the content.
public struct APIRequest: Sendable {
    /// The path from its first slash, percent-encoded, without the query.
    public var path: String
    /// The query as it came, without its question mark; nil: none.
    public var query: String?
    /// The fields of the head by names in lower case; repeated ones joined by commas.
    public var headers: [String: String]
    /// The last change that the server has noticed; nil: it does not know.
    public var change: ChangeMark?
    /// The place that the parameter `near` names; nil: it has not been looked for.
    var place: Coordinate?

    /// Creates a request with these values, which are not checked; by default without a query, headers and change.
    public init(path: String, query: String? = nil, headers: [String: String] = [:], change: ChangeMark? = nil) {
        self.path = path
        self.query = query
        self.headers = headers
        self.change = change
    }

    /// The address of the service, without a slash at its end: `http://localhost:8423`. A proxy that speaks TLS tells so
    /// by `X-Forwarded-Proto: https`.
    var base: String {
        let scheme = headers["x-forwarded-proto"] == "https" ? "https" : "http"
        let host = headers["host"] ?? ""
        let isSound = !host.isEmpty && host.utf8.allSatisfy(Self.isInHost)
        return "\(scheme)://\(isSound ? host : "localhost")"
    }

    /// Letters, digits and the marks of names, ports and IPv6 addresses, so that no host can end a quoted link.
    private static func isInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
        default: false
        }
    }

    /// The decoded segments of the path; an empty last one is left out. Nil for escapes that are no UTF-8.
    package var segments: [String]? {
        var segments: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let segment = QueryItem.decoded(part, plusIsSpace: false) else { return nil }
            segments.append(segment)
        }
        if segments.last == "" { segments.removeLast() }
        return segments
    }
}
