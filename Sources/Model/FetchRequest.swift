public import Foundation

/// One request to one server: a conditional GET, or a POST of a form or JSON. Redirects are not followed.
public struct FetchRequest: Sendable {
    /// Absolute http or https URL, or a `file` URL with `allowsFile`; without user name and password.
    public var url: String
    /// Further request headers by name; empty (the default) for none. A value within ISO-8859-1 is sent in it, any
    /// other as UTF-8. One that cannot be sent fails the fetch with code `bad_header`.
    public var headers: [String: String]
    /// A form to POST (`application/x-www-form-urlencoded`), encoded already. Without `form` and `json` the request is
    /// a GET.
    public var form: String?
    /// A JSON text to POST (`application/json`); nil, the default: none.
    public var json: String?
    /// Values of If-None-Match and If-Modified-Since, byte for byte; empty (the default) for an unconditional request.
    public var validators: Validators
    /// The whole value of the Authorization header; nil: none. It is sent to this URL only; redirects are new requests.
    public var authorization: Secret?
    /// Proxy URL, such as `http://proxy.example.org:3128` or `socks5h://…`; nil: none. Proxies of the environment are
    /// never used.
    public var proxy: String?
    /// Path of a PEM file with the authorities to trust instead of the system's; nil: the system's. If it is unreadable
    /// or no regular file, the fetch fails with code `ca_file`.
    public var certificateAuthorityFile: String?
    /// The configured URL, if a redirect or an index led from it to another host; nil: `url` is the configured one.
    ///
    /// With it, the connected address must be public or in a zone (this machine, the same link, private) of the
    /// configured host. Through a proxy only a numeric address or `localhost` as host can be checked.
    public var home: String?
    /// Whether the connected address must be public, whatever `home` says; default false.
    public var reachesPublicOnly = false
    /// The most bytes of the body, before and after content decoding, where the fetcher's limits allow more; nil, the
    /// default: those limits.
    public var maximumBytes: Int?
    /// Whether a `file` URL may be read; default false: it fails with code `bad_url`. Set it for URLs of the
    /// configuration, never for those of feeds.
    public var allowsFile: Bool
    /// How the answer is held open. Its body is then delivered as it arrives, without limits of size and total time.
    /// Nil: the body is collected.
    public var stream: StreamTerms?
    /// Whether the body is delivered as it arrives, as with `stream`, but gzip-coded bytes are passed on undecoded;
    /// default false.
    package var isDownload = false
    /// Whether the body is delivered as it arrives: for a stream and for a download.
    package var isHeldOpen: Bool { stream != nil || isDownload }
    /// Name, in lower case, of the response header with the end of a rate limit in seconds since 1970, read on a 429
    /// without Retry-After; nil, the default: there is none.
    public var rateLimitResetHeader: String?
    /// Whether the request must use a new connection; default false.
    public var needsNewConnection = false
    /// Whether every status 200…299 is a success, as for messages; default false.
    public var takesAnySuccess = false
    /// A mail to hand over to the server of `url`, `smtp://HOST:PORT` or `smtps://HOST:PORT`, over a connection of its
    /// own; nil, the default: the request is one of HTTP.
    public var mail: Mail?
    /// Called on the fetcher's thread, so it must be quick, when the connection stands and the request is about to be
    /// sent; nil, the default: nothing is called. It is called again if a server wants HTTP/1.1 instead of 2, and never
    /// for a file.
    public var whenSent: (@Sendable () -> Void)?

    /// Creates a request with these values, which the fetch checks; by default an unconditional GET.
    public init(
        url: String, headers: [String: String] = [:], form: String? = nil, json: String? = nil,
        validators: Validators = Validators(), authorization: Secret? = nil, proxy: String? = nil,
        certificateAuthorityFile: String? = nil, home: String? = nil, allowsFile: Bool = false,
        stream: StreamTerms? = nil
    ) {
        self.url = url
        self.headers = headers
        self.form = form
        self.json = json
        self.validators = validators
        self.authorization = authorization
        self.proxy = proxy
        self.certificateAuthorityFile = certificateAuthorityFile
        self.home = home
        self.allowsFile = allowsFile
        self.stream = stream
    }
}

/// A mail for one recipient.
public struct Mail: Sendable, Hashable {
    /// The sender of the envelope.
    public var from: MailAddress
    /// The recipient of the envelope.
    public var to: MailAddress
    /// The mail with its headers, in lines that end with CR LF.
    public var text: Data
    /// The login; nil: without one. It is sent over TLS, or to this machine.
    public var user: String?
    public var password: Secret?
    /// Whether the connection must be encrypted before the mail is sent: by STARTTLS, where the scheme is `smtp`.
    public var requiresTLS = true

    /// Creates a mail with these values; by default without a login.
    public init(from: MailAddress, to: MailAddress, text: Data) { (self.from, self.to, self.text) = (from, to, text) }
}
