import Feeds
import Foundation
package import Model
import Settings

/// A list of feeds as the sources of a file of `conf.d`. Feeds that are configured already are left out.
package struct FeedImport: Sendable, Hashable {
    /// The text of the file: sources of kind `rss` in the order of the list, under comments with their headings.
    package private(set) var text: String
    /// How many sources it has.
    package private(set) var count = 0
    /// What was left out, a line for people each: `line 12, BBC News: …`. No address is quoted.
    package private(set) var leftOut: [String] = []

    /// Names the feeds, and leaves out what cannot be a source.
    /// - Parameters:
    ///   - list: The feeds.
    ///   - sources: The sources that are configured.
    ///   - origin: What the list is called in the first comment; on one line.
    package init(_ list: FeedList, besides sources: [SourceSettings], from origin: String) {
        text = "# Made by visiventd import of \(origin.safeToShow). Edit it as you like.\nsources:\n"
        var names = Set(sources.map { $0.name })
        // What each address belongs to, in words.
        var known: [String: String] = [:]
        for source in sources {
            for url in source.urls() { known[Self.identity(of: url.url)] = "is configured as \(source.name)" }
        }
        var hosts: [String: Int] = [:]
        var groups: [String] = []
        for feed in list.feeds {
            let url = Self.address(of: feed.url)
            let identity = Self.identity(of: url)
            let obstacle =
                URLParts(url)?.isWeb == true
                ? SourceURL.problem(with: url)?.found : "found no address of http or https"
            if let reason = obstacle ?? known[identity] {
                leftOut.append("line \(feed.line)\(feed.title.isEmpty ? "" : ", \(feed.title)"): \(reason)")
                continue
            }
            known[identity] = "is in the list before, in line \(feed.line)"
            if feed.groups != groups {
                groups = feed.groups
                text += "\n" + (groups.isEmpty ? "" : "  # \(groups.joined(separator: " / "))\n")
            }
            let host = URLParts(url)?.host ?? ""
            let name = Self.name(of: feed.title, host: host, besides: names)
            names.insert(name)
            text += "  - name: \(name)" + (feed.title.isEmpty || feed.title == name ? "" : "   # \(feed.title)") + "\n"
            text += "    kind: \(SyndicationFeed.kind.name)\n    url: \"\(url)\"\n"
            // Feeds of one host come one after the other.
            let before = hosts[host, default: 0]
            hosts[host] = before + 1
            if before > 0 { text += "    offset: \(3 + before % 57)m\n" }
            count += 1
        }
    }

    /// The address as a source takes it: without `feed:` in front, and with braces, which would be placeholders,
    /// percent-encoded.
    private static func address(of text: String) -> String {
        var url = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if url.lowercased().hasPrefix("feed:") {
            url = String(url.dropFirst(5))
            if url.hasPrefix("//") { url = "http:" + url }
        }
        return url.replacing("{", with: "%7B").replacing("}", with: "%7D")
    }

    /// What two addresses of one feed have in common: all but scheme, fragment and a slash at the end.
    private static func identity(of url: String) -> String {
        guard let parts = URLParts(url) else { return url }
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        return parts.authority + path + (parts.query.map { "?\($0)" } ?? "")
    }

    /// A name for a feed that no source has: of the letters and digits of its title, else its host.
    private static func name(of title: String, host: String, besides names: Set<String>) -> String {
        var word = ""
        for scalar in title.decomposed.lowercased().unicodeScalars {
            switch scalar.value {
            case 0x30...0x39, 0x61...0x7A: word.unicodeScalars.append(scalar)
            // Accents and apostrophes part no words.
            case 0x27, 0x2019, 0x300...0x36F: continue
            default: if word.last != "-", !word.isEmpty { word += "-" }
            }
        }
        let allowed = host.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        var name = String((word.contains { $0 != "-" } ? word : allowed).prefix(56))
        while name.last == "-" { name.removeLast() }
        // YAML would read the second as no name.
        if ["", "null"].contains(name) { name = "feed" }
        guard names.contains(name) else { return name }
        var number = 2
        while names.contains("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
