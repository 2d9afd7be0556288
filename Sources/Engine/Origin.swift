import Model

/// Scheme, host and port of a URL, in lower case: what counts as one host for politeness and credentials.
struct Origin: Sendable, Hashable {
    /// `host` or `host:port`; empty for URLs without one.
    var host: String
    /// The scheme.
    var scheme: String

    init(_ url: String) {
        let parts = URLParts(url)
        host = parts?.authority ?? ""
        scheme = parts?.scheme ?? ""
    }
}
