import Reading

/// The parts of an http or https URL that tell one document from another (RFC 3986 §3).
///
/// It knows where they stand and copies them on access only: most addresses are merely asked whose they are.
struct WebAddress {
    private let text: String
    private let parts: Parts

    /// Offsets into the UTF-8 text.
    private struct Parts {
        /// Host without user and port.
        let host: Range<Int>
        /// Path without slashes at its end.
        let path: Range<Int>
        /// Where scheme, authority and path end.
        let end: Int

        init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            let start = bytes.reads("https://", at: 0) ? 8 : bytes.reads("http://", at: 0) ? 7 : 0
            guard start > 0 else { return nil }
            let pathStart = bytes[start...].firstIndex { $0 == slash || $0 == question || $0 == hash } ?? bytes.count
            end = bytes[pathStart...].firstIndex { $0 == question || $0 == hash } ?? bytes.count
            var host = start..<pathStart
            if let at = bytes[host].lastIndex(of: UInt8(ascii: "@")) { host = (at + 1)..<pathStart }
            if let colon = bytes[host].firstIndex(of: UInt8(ascii: ":")) { host = host.lowerBound..<colon }
            guard !host.isEmpty else { return nil }
            self.host = host
            var pathEnd = end
            while pathEnd > pathStart, bytes[pathEnd - 1] == slash { pathEnd -= 1 }
            path = pathStart..<pathEnd
        }
    }

    /// Returns nil for anything but http and https URLs with a host.
    init?(_ text: String) {
        var text = text
        guard let parts = text.withUTF8({ Parts($0) }) else { return nil }
        self.text = text
        self.parts = parts
    }

    /// Host in lower case, without user and port.
    var host: String { part(parts.host).lowercased() }

    /// Path from its first `/`, without slashes at the end; empty for the root.
    var path: String { part(parts.path) }

    /// Scheme, authority and path as given.
    var location: String { part(0..<parts.end) }

    /// Query without its `?`; nil when there is none.
    var query: String? {
        let rest = text.utf8.dropFirst(parts.end)
        guard rest.first == question else { return nil }
        return String(decoding: rest.dropFirst().prefix { $0 != hash }, as: UTF8.self)
    }

    private func part(_ range: Range<Int>) -> String {
        String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }

    /// Whether the host is `domain`, which is in lower case, or lies below it.
    func isBelow(_ domain: StaticString) -> Bool {
        let start = parts.host.upperBound - domain.utf8CodeUnitCount
        guard start >= parts.host.lowerBound else { return false }
        return text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.reads(domain, at: start)
                && (start == parts.host.lowerBound || bytes[start - 1] == UInt8(ascii: "."))
        } ?? false
    }

    /// Whether the host is the given one, which is in lower case.
    func isAt(_ host: StaticString) -> Bool {
        parts.host.count == host.utf8CodeUnitCount && isBelow(host)
    }

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
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let hash = UInt8(ascii: "#")
