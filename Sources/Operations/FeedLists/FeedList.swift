package import Foundation
import Model
package import Reading

/// A list of feeds as news readers keep it (OPML 1.0 and 2.0, <http://opml.org/spec2.opml>).
package struct FeedList: Sendable, Hashable {
    /// A feed of the list.
    package struct Feed: Sendable, Hashable {
        /// The title on one line, at most 200 characters; empty without one.
        package var title: String
        /// The address of the feed; not checked.
        package var url: String
        /// The headings above it, the outermost first, or else the parts of its first category; each on one line.
        package var groups: [String]
        /// The line in the document, from 1.
        package var line: Int
    }

    /// Largest size of a document in bytes: 4 MiB.
    package static let maximumBytes = 4 << 20
    /// Most feeds of a list.
    package static let maximumFeeds = 2_000
    /// Deepest nesting of elements.
    package static let maximumDepth = 32

    /// The feeds in the order of the document; may be empty.
    package private(set) var feeds: [Feed] = []

    /// Reads an OPML document. Outlines without an address are headings; all others are feeds.
    /// - Throws: `ReadingError` with code `not_opml`, `truncated`, `too_large` for more than `maximumFeeds`, or one of
    ///   `XMLReader.read`.
    package init(opml data: Data) throws(ReadingError) {
        var limits = XMLLimits()
        limits.depth = Self.maximumDepth
        limits.skeletonBytes = Self.maximumBytes
        let document = try XMLReader.read(data, limits: limits)
        guard document.root.name.lowercased() == "opml", let body = document.root.child("body") else {
            throw ReadingError(code: "not_opml", message: "This is no OPML: there is no <body> in an <opml>")
        }
        // A list that was cut off would look like a whole one.
        guard !document.isTruncated else {
            throw ReadingError(code: "truncated", message: "The document ends before <opml> is closed")
        }
        try add(body, below: [])
    }

    private mutating func add(_ parent: XMLNode, below groups: [String]) throws(ReadingError) {
        for outline in parent.children("outline") {
            let names = ["text", "title"].compactMap { outline.attribute($0).map { Self.line($0) } }
            let title = names.first { !$0.isEmpty } ?? ""
            // The attribute is xmlUrl; some programs write it otherwise.
            let url = ["xmlUrl", "xmlurl", "xmlURL"].lazy.compactMap { outline.attribute($0) }.first ?? ""
            guard !url.isEmpty else {
                try add(outline, below: title.isEmpty ? groups : groups + [title])
                continue
            }
            guard feeds.count < Self.maximumFeeds else {
                throw ReadingError(
                    code: "too_large", message: "The list has more than \(Self.maximumFeeds) feeds", line: outline.line)
            }
            let category = outline.attribute("category")?.prefix { $0 != "," }.split(separator: "/") ?? []
            feeds.append(
                Feed(
                    title: title, url: url, groups: groups.isEmpty ? category.map { Self.line(String($0)) } : groups,
                    line: outline.line))
            try add(outline, below: groups)
        }
    }

    /// The text on one line, safe to show, without characters that YAML refuses, and cut.
    private static func line(_ text: String) -> String {
        let words = text.prefix(2_000).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(words.prefix(200)).safeToShow.replacing { scalar, _ in
            [0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
        }
    }
}
