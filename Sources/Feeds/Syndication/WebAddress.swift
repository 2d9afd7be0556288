/// The parts of an http or https URL that tell one document from another (RFC 3986 §3).
struct WebAddress {
    /// Host in lower case, without user and port.
    let host: String
    /// Path from its first `/`, without slashes at the end; empty for the root.
    let path: String
    /// Scheme, authority and path as given.
    let location: String
    /// Query without its `?`; nil when there is none.
    let query: String?

    /// Returns nil for anything but http and https URLs with a host.
    init?(_ text: String) {
        let scheme = text.prefix(8).lowercased()
        let length = scheme == "https://" ? 8 : scheme.hasPrefix("http://") ? 7 : 0
        guard length > 0 else { return nil }
        let rest = text.utf8.dropFirst(length)
        let pathStart = rest.firstIndex { $0 == Self.slash || $0 == Self.question || $0 == Self.hash } ?? rest.endIndex
        let pathEnd = rest[pathStart...].firstIndex { $0 == Self.question || $0 == Self.hash } ?? rest.endIndex
        var authority = rest[..<pathStart]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[authority.index(after: at)...] }
        if let colon = authority.firstIndex(of: UInt8(ascii: ":")) { authority = authority[..<colon] }
        guard !authority.isEmpty else { return nil }
        host = String(Substring(authority)).lowercased()
        var path = rest[pathStart..<pathEnd]
        while path.last == Self.slash { path = path.dropLast() }
        self.path = String(Substring(path))
        location = String(text[..<pathEnd])
        if pathEnd < rest.endIndex, rest[pathEnd] == Self.question {
            query = String(Substring(rest[rest.index(after: pathEnd)...].prefix { $0 != Self.hash }))
        } else {
            query = nil
        }
    }

    /// Whether the host is `domain` or lies below it.
    func isBelow(_ domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    /// Whether it is FeedBurner's detour, which counts clicks and names the topic.
    var isDetour: Bool { path.hasPrefix("/~r/") }

    /// The URL without its fragment and without parameters that only count visitors (`utm_source`, `feedName`).
    ///
    /// Other parameters stay, since `article.php?id=7` is another document than `article.php?id=8`.
    var identity: String {
        guard let query else { return location }
        let kept = query.split(separator: "&").filter { parameter in
            let name = parameter.prefix { $0 != "=" }.lowercased()
            return !(name.hasPrefix("utm_") || name.hasPrefix("at_") || Self.counters.contains(name))
        }
        return kept.isEmpty ? location : location + "?" + kept.joined(separator: "&")
    }

    private static let counters: Set<String> = [
        "feedtype", "feedname", "xtor", "cmp", "cmpid", "ito", "ns_mchannel", "ns_campaign", "ns_source", "fbclid",
        "gclid",
    ]

    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let hash = UInt8(ascii: "#")
}
