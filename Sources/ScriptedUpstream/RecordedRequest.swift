public import Foundation

/// A request that a `ScriptedUpstream` received.
public struct RecordedRequest: Sendable {
    /// Method in upper case: `GET`, `POST`.
    public var method: String
    /// Path as sent, percent-encoding kept; an absolute URL when the upstream was asked as a proxy.
    public var path: String
    /// Query as sent, without the question mark; empty when there is none.
    public var query: String
    /// Request headers, names in lower case.
    public var headers: [String: String]
    /// Request body; empty when there is none.
    public var body: Data
    /// When the request was complete, on the monotonic clock.
    public var instant: ContinuousClock.Instant

    /// Creates a request.
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

    /// Path and query as they stood in the request line.
    public var target: String { query.isEmpty ? path : "\(path)?\(query)" }
}
