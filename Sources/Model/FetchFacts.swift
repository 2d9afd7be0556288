public import Foundation

/// Facts of a response apart from its content, from the fetcher through the engine.
public struct FetchFacts: Sendable, Hashable {
    /// ETag and Last-Modified, to be sent with the next request; nil where missing or above 4 KiB. A file has an ETag
    /// made of its size, inode and time of change.
    public var validators: Validators
    /// The server's clock: Date plus Age (RFC 9110 §6.6.1, RFC 9111 §5.1), in whole seconds; nil if there is no
    /// readable date.
    public var serverDate: Date?
    /// How long the server calls the body fresh (`Cache-Control: max-age`, RFC 9111 §5.2.2.1), 0 s to a year of 365
    /// days; nil if it does not say, for a redirect, and for a file.
    public var maxAge: Duration?
    /// Bytes of the body before content decoding; of a file its size, of a stream those since the last batch.
    public var bytes: Int
    /// When the request was sent, as uptime, after the connection was made; nil: unknown. The fetcher leaves it out.
    public var sent: Duration?

    /// Creates facts with these values, which are not checked; by default nothing is known.
    public init(
        validators: Validators = Validators(), serverDate: Date? = nil, maxAge: Duration? = nil, bytes: Int = 0,
        sent: Duration? = nil
    ) {
        self.validators = validators
        self.serverDate = serverDate
        self.maxAge = maxAge
        self.bytes = bytes
        self.sent = sent
    }
}
