public import Foundation

/// A request that a `ScriptedUpstream` received.
public struct RecordedRequest: Sendable {
    /// The method in upper case, such as `GET`.
    public var method: String
    /// The path as sent, with its percent-encoding; an absolute URL in a request to a proxy.
    public var path: String
    /// The query as sent, without the question mark; empty without one.
    public var query: String
    /// The request headers, with names in lower case.
    public var headers: [String: String]
    /// The request body; empty without one.
    public var body: Data
    /// When the whole request had arrived, on the monotonic clock.
    public var instant: ContinuousClock.Instant

    /// Creates a request with these values, which are not checked; by default a GET without headers that arrives now.
    public init(
        method: String = "GET", path: String, query: String = "", headers: [String: String] = [:],
        body: Data = Data(), instant: ContinuousClock.Instant = .now
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.instant = instant
    }

    /// Path and query as in the request line, such as `/feed.xml?page=2`; without a query, the path alone.
    public var target: String { query.isEmpty ? path : "\(path)?\(query)" }
}
