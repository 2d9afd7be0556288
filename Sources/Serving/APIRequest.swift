import Model
public import Store

/// A GET request without a body, as an HTTP server hands it over. The server makes a HEAD of it by leaving the content.
public struct APIRequest: Sendable {
    /// The path below `basePath`, from its first slash, percent-encoded, without the query.
    public var path: String
    /// The query as it came, without its question mark; nil: none.
    public var query: String?
    /// The fields of the head by names in lower case; repeated ones joined by commas.
    public var headers: [String: String]
    /// The last change that the server has noticed; nil: it does not know.
    public var change: ChangeMark?
    /// The place that the parameter `near` names; nil: it has not been looked for.
    var place: Coordinate?
    /// What all addresses of the service begin with, such as `/quakes`; empty: nothing.
    let basePath: String
    /// Whether the request is for an address below `basePath`. If it is not, `path` is as it came.
    let isBelowBase: Bool

    /// Creates a request with these values, which are not checked; by default without a query, headers and change.
    ///
    /// Each address has one form: a path without the base path counts only where the proxy says, by
    /// `X-Forwarded-Prefix`, that it has taken that away. With two forms, a rule of the proxy for the one would miss
    /// the other.
    /// - Parameters:
    ///   - path: The path as it came.
    ///   - basePath: What all addresses begin with (`ServeSettings.basePath`); by default nothing.
    public init(
        path: String, query: String? = nil, headers: [String: String] = [:], change: ChangeMark? = nil,
        basePath: String = ""
    ) {
        let isWhole = headers["x-forwarded-prefix"] != basePath
        isBelowBase = basePath.isEmpty || !isWhole || path.hasPrefix(basePath + "/")
        self.path = isBelowBase && isWhole ? String(path.dropFirst(basePath.count)) : path
        self.basePath = basePath
        self.query = query
        self.headers = headers
        self.change = change
    }

    /// The path as clients know it.
    var fullPath: String { isBelowBase ? basePath + path : path }

    /// The address of the service, without a slash at its end: `http://localhost:8423`. A proxy that speaks TLS tells so
    /// by `X-Forwarded-Proto: https`.
    var base: String {
        let scheme = headers["x-forwarded-proto"] == "https" ? "https" : "http"
        let host = headers["host"] ?? ""
        let isSound = !host.isEmpty && host.utf8.allSatisfy(Self.isInHost)
        return "\(scheme)://\(isSound ? host : "localhost")\(basePath)"
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
