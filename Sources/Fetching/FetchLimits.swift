/// How long a fetch may take and how much it may bring.
public struct FetchLimits: Sendable, Hashable {
    /// For the name look-up, the connection and TLS together; 10 s by default.
    public var connectTimeout: Duration
    /// For the whole fetch; 120 s by default.
    public var totalTimeout: Duration
    /// Without a whole header line or a byte of the body, once connected; 30 s by default.
    public var stallTimeout: Duration
    /// Bytes of a body after content decoding; 64 MiB by default.
    public var maximumBodyBytes: Int
    /// Bytes of a body on the wire, before content decoding; 32 MiB by default.
    public var maximumTransferBytes: Int
    /// Bytes of all header lines of an answer, interim ones (1xx) and trailers included; 64 KiB by default. libcurl
    /// itself takes no line above 100 KiB.
    public var maximumHeaderBytes: Int
    /// The User-Agent header, which should identify the program and a contact.
    public var userAgent: String

    /// Creates limits.
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
