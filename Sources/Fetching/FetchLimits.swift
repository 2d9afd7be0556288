/// Limits of time and size for a fetch. A fetch that exceeds one fails.
///
/// The first two times are kept within 1 ms and 24 days; the other values are not checked.
public struct FetchLimits: Sendable, Hashable {
    /// Time for name look-up, connection, proxy and TLS together; default 10 s. Code `connect_timeout`.
    public var connectTimeout: Duration
    /// Time for the whole fetch; default 120 s. Streams and downloads have no such limit. Code `timeout`.
    public var totalTimeout: Duration
    /// Time without a whole header line or a byte of the body, once connected; default 30 s. Code `stalled`. An open
    /// stream has `StreamTerms.silence` instead.
    public var stallTimeout: Duration
    /// Most bytes of a body after content decoding; default 64 MiB. Code `too_large`; none for streams and downloads.
    /// A file must be within this limit and the next.
    public var maximumBodyBytes: Int
    /// Most bytes of a body on the wire, before content decoding; default 32 MiB. Code `too_large`; none for streams
    /// and downloads.
    public var maximumTransferBytes: Int
    /// Most bytes of all header lines of an answer, including interim ones (1xx) and trailers; default 64 KiB. Code
    /// `too_large`. libcurl itself accepts no line above 100 KiB.
    public var maximumHeaderBytes: Int
    /// The User-Agent header, which should name the program and a contact; default `visiventd`.
    public var userAgent: String

    /// Creates limits with these values, which are not checked.
    public init(
        connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(120),
        stallTimeout: Duration = .seconds(30), maximumBodyBytes: Int = 64 << 20,
        maximumTransferBytes: Int = 32 << 20, maximumHeaderBytes: Int = 64 << 10, userAgent: String = "visiventd"
    ) {
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.stallTimeout = stallTimeout
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumTransferBytes = maximumTransferBytes
        self.maximumHeaderBytes = maximumHeaderBytes
        self.userAgent = userAgent
    }
}
