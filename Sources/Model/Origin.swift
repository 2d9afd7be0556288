/// Scheme, host and port of a URL in one spelling. They identify a host for politeness and credentials.
public struct Origin: Sendable, Hashable {
    /// `host`, with `:port` unless that is the scheme's own; empty for URLs without one.
    public private(set) var host: String
    /// The scheme; empty for a text that is no URL.
    public private(set) var scheme: String

    /// Reads a URL; any text is taken.
    public init(_ url: String) {
        let parts = URLParts(url)
        scheme = parts?.scheme ?? ""
        host = parts?.host ?? ""
        // A dot at the end means the same host (RFC 3986 §3.2.2), and zeros before a port the same port.
        if host.count > 1, host.hasSuffix(".") { host.removeLast() }
        let port = parts?.port?.drop { $0 == "0" } ?? ""
        if !port.isEmpty, port != (scheme == "https" ? "443" : "80") { host += ":\(port)" }
    }
}
