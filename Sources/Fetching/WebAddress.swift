import CCurl
import Model

/// A URL taken apart by libcurl, which is also what will use it.
///
/// Credentials and politeness go by `URLParts`, so what libcurl might read otherwise is refused.
struct WebAddress {
    /// The URL as it is sent, without a fragment and with blanks and other bytes percent-encoded.
    let url: String
    /// In lower case.
    let scheme: String
    /// Host and port, for messages: `example.org:443`.
    let authority: String
    /// Nil in a URL that has none. Numeric IPv4 addresses are in their usual form, however they were written.
    let host: String?
    /// Percent-decoded; nil when it holds a zero byte.
    let path: String?

    /// Takes `url` apart; nil when it is no absolute URL, names a user, or has a host that could be read in two ways.
    init?(_ url: String) {
        guard Self.isUnambiguous(url) else { return nil }
        self.init(ccurl_url_parse(url, nil))
    }

    /// Resolves the value of a Location header against this URL; nil when it is unusable.
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

    /// Whether all read the same host and port out of a URL, as given and as libcurl has written it anew.
    private static func isUnambiguous(_ url: String) -> Bool {
        URLParts(url).map { $0.isSound || !$0.isWeb } ?? false
    }

    /// Whether it is `http` or `https`.
    var isWeb: Bool { scheme == "http" || scheme == "https" }
}
