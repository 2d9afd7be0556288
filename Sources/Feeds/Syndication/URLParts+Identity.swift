import Model

extension URLParts {
    /// An http or https URL with a host; nil for any other text.
    static func web(_ text: String) -> URLParts? {
        guard let parts = URLParts(text), parts.isWeb, parts.hasHost else { return nil }
        return parts
    }

    /// The path without trailing slashes; empty for the root.
    var trimmedPath: String {
        let path = path
        return path.utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { String(path[...$0]) } ?? ""
    }

    /// Whether it is FeedBurner's redirect, which counts clicks and contains the topic.
    var isDetour: Bool { path.hasPrefix("/~r/") }

    /// The URL without its fragment and without tracking parameters (`utm_source`, `feedName`).
    ///
    /// Other parameters stay, since `article.php?id=7` and `article.php?id=8` are different documents.
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
}
