import CCurl
import Model

/// A URL parsed by libcurl, which also uses it.
///
/// Credentials and politeness rely on `URLParts`, so a URL that libcurl might parse differently is refused.
struct WebAddress {
    /// The URL as it is sent: without fragment, with spaces and other bytes percent-encoded.
    let url: String
    /// The scheme in lower case.
    let scheme: String
    /// Host and port, for messages: `example.org:443`.
    let authority: String
    /// The host; nil if there is none. Numeric IPv4 addresses have their usual form, however they were written.
    let host: String?
    /// The path, percent-decoded; nil if it holds a zero byte.
    let path: String?

    /// Parses `url`; fails if it is not absolute, names a user, or has an ambiguous host.
    init?(_ url: String) {
        guard Self.isUnambiguous(url) else { return nil }
        self.init(ccurl_url_parse(url, nil))
    }

    /// Resolves the value of a Location header against this URL; nil if it is unusable.
    func resolving(_ location: String) -> WebAddress? {
        let bytes = HeaderText.bytes(location)
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        let terminated = (bytes + [0]).map { CChar(truncatingIfNeeded: $0) }
        return WebAddress(ccurl_url_parse(terminated, url))
    }

    private init?(_ parsed: OpaquePointer?) {
        guard let parsed else { return nil }
        defer { curl_url_cleanup(parsed) }
        func part(_ part: CURLUPart) -> String? {
            guard let text = ccurl_url_part(parsed, part) else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        guard let url = part(CURLUPART_URL), let scheme = part(CURLUPART_SCHEME),
            Self.isUnambiguous(url)
        else { return nil }
        self.url = url
        self.scheme = scheme.lowercased()
        host = part(CURLUPART_HOST)
        authority = (host ?? "") + (part(CURLUPART_PORT).map { ":" + $0 } ?? "")
        path = part(CURLUPART_PATH)
    }

    /// Whether every parser finds the same host and port; checked for the URL as given and as libcurl rewrites it.
    private static func isUnambiguous(_ url: String) -> Bool {
        URLParts(url).map { $0.isSound || !$0.isWeb } ?? false
    }

    /// Whether the scheme is `http` or `https`.
    var isWeb: Bool { scheme == "http" || scheme == "https" }
}
