/// One exchange with one server: a conditional GET, or a POST of a form or of JSON. Redirects are not followed.
public struct FetchRequest: Sendable {
    /// Absolute URL, `http` or `https`; `file` where `allowsFile`. It must not name a user or password.
    public var url: String
    /// Further request headers by name. Text within ISO-8859-1 is sent in it, any other as UTF-8.
    public var headers: [String: String]
    /// A form to POST (`application/x-www-form-urlencoded`); without it and `json` it is a GET.
    public var form: String?
    /// A JSON text to POST.
    public var json: String?
    /// What to send as If-None-Match and If-Modified-Since, byte for byte; empty is an unconditional request.
    public var validators: Validators
    /// The whole value of the Authorization header. It goes to this URL only; whoever follows a redirect decides anew.
    public var authorization: Secret?
    /// A proxy, such as `http://proxy.example.org:3128` or `socks5h://…`; nil is none. The environment's proxies are
    /// never used.
    public var proxy: String?
    /// A PEM file whose authorities are trusted in place of the system's; nil is the system's.
    public var certificateAuthorityFile: String?
    /// The configured URL from which a redirect or an index has led to another host; nil: `url` is the configured one.
    ///
    /// With it, the connected address must be a public one, or in a zone (this machine, the same link, private) in which
    /// the configured host is, too. Through a proxy only a host that is itself a numeric address, or `localhost`, can be
    /// judged.
    public var home: String?
    /// Whether a `file` URL may be read; to be set only for a URL from the configuration, never for one from a feed.
    public var allowsFile: Bool
    /// How the answer is held open; its body is then given as it arrives, without limits of size and time. nil: the
    /// body is collected.
    public var stream: StreamTerms?
    /// Whether the body is given as it arrives, as with `stream`, and the content coding gzip is left to its reader.
    package var isDownload = false
    /// Whether the body is given as it arrives.
    package var isHeldOpen: Bool { stream != nil || isDownload }
    /// The response header, in lower case, with the end of a rate limit in seconds since 1970, which counts on a 429
    /// without Retry-After; nil: there is none.
    public var rateLimitResetHeader: String?
    /// Whether a connection that was kept must not be used.
    public var needsNewConnection = false
    /// Called when the connection is there and the request is sent, which is later than `fetch` by what a name, a
    /// connection and TLS take; again where a server wants HTTP/1.1 in place of 2, never for a file. It comes on the
    /// fetcher's thread, so it must be quick.
    public var whenSent: (@Sendable () -> Void)?

    /// Creates a request; by default an unconditional GET.
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
