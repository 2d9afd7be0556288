public import Foundation
public import Model

/// What a fetch came to when it did not fail.
public enum FetchOutcome: Sendable {
    /// A whole body: HTTP 200 or 203, 201 to a POST, or a file read to its end.
    case body(FetchedBody)
    /// HTTP 304 to a conditional request, or a file that has not changed.
    ///
    /// `headers` are those of the 304, names in lower case. `validators` are the ones to send next time: those of the
    /// 304, and where it has none, those that were sent (RFC 9111 §3.2).
    case notModified(headers: [String: String], validators: Validators, serverDate: Date?)
    /// HTTP 301, 302, 303, 307 or 308; `to` is absolute, `http` or `https`, and has no fragment. 301 and 308 are
    /// permanent.
    case redirect(to: String, status: Int, isPermanent: Bool, serverDate: Date?)
    /// The head of a 200 or 203 to a request with `stream`; the body comes as it arrives. Whoever takes it closes it.
    case stream(FetchedStream)
}

/// A whole body and what came with it.
public struct FetchedBody: Sendable {
    /// The body after content decoding; it may be empty.
    public var data: Data
    /// Response headers, names in lower case; repeated ones joined by ", ". Values are read as ISO-8859-1, so that no
    /// byte is lost.
    public var headers: [String: String]
    /// What to send with the next request.
    public var validators: Validators
    /// The URL it came from.
    public var url: String
    /// For how long the server calls it fresh (`Cache-Control: max-age`).
    public var maxAge: Duration?
    /// The server's clock (Date header).
    public var serverDate: Date?
    /// Bytes of the body on the wire, before content decoding.
    public var wireBytes: Int
    /// `1.0`, `1.1`, `2` or `3`; nil for a file.
    public var httpVersion: String?

    /// Creates a body.
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
