public import Foundation
public import Model

/// The result of a fetch that did not fail. Any other status is a `Failure`.
public enum FetchOutcome: Sendable {
    /// A whole body: HTTP 200 or 203, 201 to a POST, or a whole file.
    case body(FetchedBody)
    /// HTTP 304 to a conditional request, or an unchanged file.
    ///
    /// `headers` are those of the 304, as `FetchedBody.headers`. `validators` are those for the next request: from the
    /// 304, or, where it has none, those that were sent (RFC 9111 §3.2). `serverDate` is as `FetchedBody.serverDate`.
    case notModified(headers: [String: String], validators: Validators, serverDate: Date?)
    /// HTTP 301, 302, 303, 307 or 308, which was not followed. `to` is an absolute http or https URL without fragment.
    /// 301 and 308 are permanent. `serverDate` is as `FetchedBody.serverDate`.
    case redirect(to: String, status: Int, isPermanent: Bool, serverDate: Date?)
    /// The head of a 200 or 203, or of a 201 to a POST, to a request with `stream`. The body arrives later; the caller
    /// must close the stream.
    case stream(FetchedStream)
}

/// A whole body with the facts about its transfer.
public struct FetchedBody: Sendable {
    /// The body after content decoding; may be empty.
    public var data: Data
    /// Response headers, with names in lower case; repeated ones are joined by ", ". Values are read as ISO-8859-1,
    /// which keeps every byte. Empty for a file.
    public var headers: [String: String]
    /// ETag and Last-Modified for the next request, byte for byte; nil where missing or above 4 KiB. A file has an ETag
    /// made of its size, inode and time of change.
    public var validators: Validators
    /// The URL of the request. An http or https one is without fragment and percent-encoded as it was sent.
    public var url: String
    /// How long the server calls the body fresh (`Cache-Control: max-age`, RFC 9111 §5.2.2.1), 0 s to a year of 365
    /// days; nil if it does not say, and for a file.
    public var maxAge: Duration?
    /// The server's clock: Date plus Age (RFC 9110 §6.6.1, RFC 9111 §5.1); nil if there is no readable date.
    public var serverDate: Date?
    /// Bytes of the body before content decoding; for a file its size.
    public var wireBytes: Int
    /// Version of HTTP: `1.0`, `1.1`, `2` or `3`; nil for a file.
    public var httpVersion: String?

    /// Creates a body with these values, which are not checked; `wireBytes` defaults to the size of `data`.
    public init(
        data: Data, headers: [String: String] = [:], validators: Validators = Validators(), url: String,
        maxAge: Duration? = nil, serverDate: Date? = nil, wireBytes: Int? = nil, httpVersion: String? = nil
    ) {
        self.data = data
        self.headers = headers
        self.validators = validators
        self.url = url
        self.maxAge = maxAge
        self.serverDate = serverDate
        self.wireBytes = wireBytes ?? data.count
        self.httpVersion = httpVersion
    }
}
