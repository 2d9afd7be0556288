import Foundation
import Model
import Reading

/// An Atom or RSS index of CAP documents, such as the National Weather Service's.
///
/// It gives no events but requests. Which documents have been asked for is remembered in the feed's state under `seen`:
/// a hash of URL and `updated` for each entry that the index still lists, so the memory is as bounded as the index.
/// `incomplete` says that entries were left for the next poll, which must read the index though it may be unchanged;
/// `missing` has the hashes of documents that were not there, or not usable, when they were asked for first.
struct CAPIndex {
    /// An entry that links to a document.
    struct Entry {
        /// The document.
        var url: String
        /// The entry's `updated` (Atom) or `pubDate` (RSS), word for word; empty when there is none.
        var updated: String

        /// What is remembered of a document that has been asked for.
        func mark(reading: String) -> String { FNV64.hex("\(url) \(updated) \(reading)") }
    }

    /// Entries in the order of the document.
    private(set) var entries: [Entry] = []
    /// Entries without a link.
    private(set) var issues: [FeedIssue] = []

    /// Most entries of an index that are looked at, newest first.
    private static let mostEntries = 5000

    /// Reads the index; nil when the root is neither Atom nor RSS.
    /// - Parameter url: where it came from, for relative links.
    init?(_ root: XMLNode, url: String) {
        let nodes: [XMLNode]
        switch root.name {
        case "feed": nodes = root.children("entry")
        case "rss": nodes = root.child("channel")?.children("item") ?? []
        case "RDF": nodes = root.children("item")
        default: return nil
        }
        for (number, node) in nodes.enumerated() {
            guard let link = Self.absolute(Self.link(of: node), against: url) else {
                let title = node.child("title")?.trimmed ?? ""
                issues.append(FeedIssue("no_link", at: "entry \(number + 1)", found: title, costsItem: true))
                continue
            }
            // The National Weather Service says "no active warnings" in an entry that links to the index itself.
            if link == url { continue }
            let updated = node.child("updated") ?? node.child("pubDate") ?? node.child("date")
            entries.append(Entry(url: link, updated: updated?.trimmed ?? ""))
        }
    }

    // MARK: Plan

    /// The entries to ask for now, newest first and each URL once, and the state once they have all been answered.
    ///
    /// - Parameters:
    ///   - state: what was remembered so far; what the index no longer lists is forgotten.
    ///   - reading: how documents are read; what was read in another way is asked for again.
    ///   - most: most entries to ask for.
    func plan(state: FeedState, reading: String, most: Int) -> (entries: [Entry], state: FeedState) {
        let dated = entries.enumerated().map { offset, entry in
            (offset: offset, entry: entry, date: DateReader.any(entry.updated) ?? Date.distantPast)
        }
        let newestFirst = dated.sorted { ($1.date, $0.offset) < ($0.date, $1.offset) }
        let seen = Set((state[Self.seenKey] ?? "").split(separator: " "))
        var urls: Set<String> = []
        var marks: [String] = []
        var asked: [Entry] = []
        var isIncomplete = false
        for (_, entry, _) in newestFirst.prefix(Self.mostEntries) where urls.insert(entry.url).inserted {
            let mark = entry.mark(reading: reading)
            if !seen.contains(Substring(mark)) {
                if asked.count == most {
                    isIncomplete = true
                    continue
                }
                asked.append(entry)
            }
            marks.append(mark)
        }
        var state = state
        state[Self.seenKey] = marks.isEmpty ? nil : marks.joined(separator: " ")
        state[Self.incompleteKey] = isIncomplete ? "1" : nil
        let listed = Set(marks)
        let missing = (state[Self.missingKey] ?? "").split(separator: " ").filter { listed.contains(String($0)) }
        state[Self.missingKey] = missing.isEmpty ? nil : missing.joined(separator: " ")
        return (asked, state)
    }

    /// Whether the last poll left entries of the index for later.
    /// - Parameter state: the state of the whole source, where keys begin with their topic and U+001F.
    static func wasIncomplete(_ state: FeedState, topic: String?) -> Bool {
        state[(topic.map { $0 + "\u{1F}" } ?? "") + incompleteKey] != nil
    }

    /// The state after a document was not there or could not be used: the first time it is forgotten, so that the next poll asks again.
    static func state(_ state: FeedState, missing mark: String) -> FeedState {
        var state = state
        var missing = (state[missingKey] ?? "").split(separator: " ").map { String($0) }
        guard !missing.contains(mark) else { return state }
        missing.append(mark)
        state[missingKey] = missing.joined(separator: " ")
        let seen = (state[seenKey] ?? "").split(separator: " ").filter { $0 != mark }
        state[seenKey] = seen.isEmpty ? nil : seen.joined(separator: " ")
        state[incompleteKey] = "1"
        return state
    }

    private static let seenKey = "seen"
    private static let incompleteKey = "incomplete"
    private static let missingKey = "missing"

    // MARK: Links

    /// The link of an entry: one of type application/cap+xml, else an alternate one (not HTML if possible), else the
    /// text of an RSS link, else the id.
    private static func link(of entry: XMLNode) -> String? {
        var best: (rank: Int, link: String)?
        for link in entry.children("link") {
            let type = link.attribute("type")?.lowercased() ?? ""
            let relation = link.attribute("rel") ?? "alternate"
            guard let target = link.attribute("href") ?? link.trimmed else { continue }
            let isCAP = type.hasPrefix("application/cap+xml")
            guard isCAP || relation == "alternate" else { continue }
            let rank = isCAP ? 0 : type.hasSuffix("html") ? 2 : 1
            if rank < best?.rank ?? Int.max { best = (rank, target) }
        }
        return best?.link ?? entry.child("id")?.trimmed ?? entry.child("guid")?.trimmed
    }

    /// The http or https URL a link means where it stands; nil when it is none.
    private static func absolute(_ link: String?, against base: String) -> String? {
        if let url = HTMLText.webURL(link) { return url }
        guard let link, let base = URL(string: base) else { return nil }
        return HTMLText.webURL(URL(string: link, relativeTo: base)?.absoluteString)
    }
}
