import Model

/// Scheme, host and port of a URL, in lower case. They identify a host for politeness and credentials.
struct Origin: Sendable, Hashable {
    /// `host` or `host:port`; empty for URLs without one.
    var host: String
    /// The scheme; empty for a text that is no URL.
    var scheme: String

    init(_ url: String) {
        let parts = URLParts(url)
        host = parts?.authority ?? ""
        scheme = parts?.scheme ?? ""
    }
}
