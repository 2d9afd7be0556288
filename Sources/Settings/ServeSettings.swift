/// Where `visiventd serve` listens, whom it answers, and what its map page may show.
public struct ServeSettings: Sendable, Hashable {
    /// The port that `visiventd-serve.service` allows: 8423.
    public static let standardPort = 8423

    /// The addresses it listens at, at least one; default 127.0.0.1:8423.
    public var listen = [ListenAddress.tcp("127.0.0.1", standardPort)]
    /// The names and addresses, beside localhost, loopback and the address connected to, that a request may give as its
    /// Host: in lower case, without port and brackets; default none.
    public var hosts: [String] = []
    /// The origins, such as `https://maps.example.org`, whose pages may read the answers (CORS), in lower case; default
    /// none.
    public var origins: [String] = []
    /// The origins, such as `https://news.example.org`, whose pages may show the map in a frame, in lower case; default
    /// none.
    public var frameAncestors: [String] = []
    /// The proxies whose `X-Forwarded-For` says who asks, beside whoever uses a Unix socket; default none.
    public var trustedProxies: [AddressRange] = []
    /// What the path of each address begins with, such as `/quakes`: letters, digits, `-`, `_`, `.` and single slashes,
    /// none at its end; empty, the default: nothing.
    public var basePath = ""
    /// The absolute path of the folder with the map page's files; nil, the default: `share/visiventd/page` beside the
    /// folder of the program.
    public var page: String?
    /// The base maps that readers of the page may choose, with distinct names; default none.
    public var basemaps: [BasemapSettings] = []
    /// The overlays that readers of the page may choose, with distinct names; default none.
    public var overlays: [OverlaySettings] = []
    /// Whether `/configuration` shows the configuration to those who may read the record; default false.
    public var showsConfiguration = false
    /// Whether `/health` and `/metrics` speak of watches and targets; default false.
    public var showsWatches = false
}

extension ServeSettings {
    /// Hints of `visiventd check`, one sentence each; empty with the default.
    public var advice: [String] {
        var all = listen.compactMap { address -> String? in
            guard case .tcp(let host, _) = address, IPLiteral(host)?.isLoopback == false, hosts.isEmpty else {
                return nil
            }
            return "serve.listen: other machines reach \(address), but serve.hosts names none of this machine's names: "
                + "requests that give one are refused (421), and everyone who reaches it reads the record"
        }
        if !basePath.isEmpty, hosts.isEmpty {
            all.append(
                "serve.base_path: a proxy passes the name of its site on, but serve.hosts names none: such requests are "
                    + "refused (421)")
        }
        return all
    }
}

/// An address to listen at.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A numeric address and a port, 0…65535; 0: the kernel chooses one.
    case tcp(String, Int)
    /// The absolute path of a Unix socket, at most 107 bytes (unix(7)).
    case unix(String)

    /// What `init` accepts, as a phrase.
    public static let accepted = "a numeric ADDRESS:PORT such as 127.0.0.1:8423 or [::1]:8423, or unix:/PATH"

    /// Reads `ADDRESS:PORT`, with an IPv6 address in brackets, or `unix:/PATH`; nil for other text, names included.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else {
                return nil
            }
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Quantity.integer(String(text[text.index(after: colon)...])),
            (0...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard let address = IPLiteral(host), host.contains(":") == isBracketed else { return nil }
        self = .tcp(address.description, port)
    }

    /// The address as `init` reads it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
