public import Foundation
public import Model

/// The result of a fetch that did not fail. Any other status is a `Failure`.
public enum FetchOutcome: Sendable {
    /// A whole body: HTTP 200 or 203, 201 to a POST, any 2xx with `takesAnySuccess`, or a whole file.
    case body(FetchedBody)
    /// HTTP 304 to a conditional request, or an unchanged file.
    ///
    /// The validators are those for the next request: from the 304, or, where it has none, those that were sent
    /// (RFC 9111 §3.2). Of the other facts the server's date and `maxAge` are given.
    case notModified(FetchFacts)
    /// HTTP 301, 302, 303, 307 or 308, which was not followed. `to` is an absolute http or https URL without fragment.
    /// 301 and 308 are permanent. Of the facts only the server's date is given.
    case redirect(to: String, status: Int, isPermanent: Bool, FetchFacts)
    /// The head of a 200 or 203, or of a 201 to a POST, to a request with `stream`. The body arrives later; the caller
    /// must close the stream.
    case stream(FetchedStream)
}

/// A whole body with the facts of its transfer.
public struct FetchedBody: Sendable {
    /// The body after content decoding; may be empty.
    public var data: Data
    /// Response headers, with names in lower case; repeated ones are joined by ", ". Values are read as ISO-8859-1,
    /// which keeps every byte. Empty for a file.
    public var headers: [String: String]
    /// The URL of the request. An http or https one is without fragment and percent-encoded as it was sent.
    public var url: String
    /// Validators, times and size; the time of sending is left out.
    public var facts: FetchFacts
    /// Version of HTTP: `1.0`, `1.1`, `2` or `3`; nil for a file.
    public var httpVersion: String?
    /// The HTTP status; default 200, also of a file.
    public var status: Int

    /// Creates a body with these values, which are not checked; by default nothing else is known of it.
    public init(
        data: Data, headers: [String: String] = [:], url: String, facts: FetchFacts = FetchFacts(),
        httpVersion: String? = nil, status: Int = 200
    ) {
        self.data = data
        self.headers = headers
        self.url = url
        self.facts = facts
        self.httpVersion = httpVersion
        self.status = status
    }
}
