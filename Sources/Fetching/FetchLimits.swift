/// Limits of time and size for a fetch.
public struct FetchLimits: Sendable, Hashable {
    /// Time for name look-up, connection, proxy and TLS together; default 10 s.
    public var connectTimeout: Duration
    /// Time for the whole fetch; default 120 s. Streams and downloads have no such limit.
    public var totalTimeout: Duration
    /// Time without a whole header line or a byte of the body, once connected; default 30 s.
    public var stallTimeout: Duration
    /// Bytes of a body after content decoding; default 64 MiB.
    public var maximumBodyBytes: Int
    /// Bytes of a body on the wire, before content decoding; default 32 MiB.
    public var maximumTransferBytes: Int
    /// Bytes of all header lines of an answer, including interim ones (1xx) and trailers; default 64 KiB. libcurl
    /// itself accepts no line above 100 KiB.
    public var maximumHeaderBytes: Int
    /// The User-Agent header, which should name the program and a contact; default `visiventd`.
    public var userAgent: String

    /// Creates limits; every limit has a default.
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
