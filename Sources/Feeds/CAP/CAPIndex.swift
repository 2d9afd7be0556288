import Foundation
import Model
import Reading

/// An Atom or RSS index of CAP documents, such as the National Weather Service's.
///
/// It gives no events but requests. Which documents have been asked for is remembered in the feed's state under `seen`:
/// a hash of URL and `updated` for each entry that the index still lists, so the memory is as bounded as the index.
/// `incomplete` says that entries were left for the next poll, which must read the index though it may be unchanged;
/// `late` has the hashes of documents that could not be had when they were asked for.
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
    private static let maximumEntries = 5000

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

    /// The entries to ask for now, newest first and each URL once, the marks of those that could not be had before, and
    /// the state once all have been answered.
    ///
    /// - Parameters:
    ///   - state: what was remembered so far; what the index no longer lists is forgotten.
    ///   - reading: how documents are read; what was read in another way is asked for again.
    ///   - most: most entries to ask for.
    func plan(state: FeedState, reading: String, most: Int) -> (
        entries: [Entry], late: Set<String>, state: FeedState
    ) {
        let dated = entries.enumerated().map { offset, entry in
            (offset: offset, entry: entry, date: DateReader.any(entry.updated) ?? Date.distantPast)
        }
        let newestFirst = dated.sorted { ($1.date, $0.offset) < ($0.date, $1.offset) }
        var urls: Set<String> = []
        let listed = newestFirst.prefix(Self.maximumEntries).filter { urls.insert($0.entry.url).inserted }
            .map { (entry: $0.entry, mark: $0.entry.mark(reading: reading)) }
        let seen = Set(state.words(Self.seenKey))
        let late = Set(state.words(Self.lateKey)).intersection(listed.map(\.mark))
        // Documents that could not be had stand behind the others, whose places they would take for ever.
        let wanted = listed.filter { !seen.contains($0.mark) }
        let asked = (wanted.filter { !late.contains($0.mark) } + wanted.filter { late.contains($0.mark) }).prefix(most)
        let left = Set(wanted.map(\.mark)).subtracting(asked.map(\.mark))
        var state = state
        state.set(Self.seenKey, listed.map(\.mark).filter { !left.contains($0) })
        state.set(Self.lateKey, late.sorted())
        state[Self.incompleteKey] = left.isEmpty ? nil : "1"
        return (asked.map(\.entry), late, state)
    }

    /// Whether the last poll left entries of the index for later.
    /// - Parameter state: the state of the whole source, where keys begin with their topic and U+001F.
    static func wasIncomplete(_ state: FeedState, topic: String?) -> Bool {
        state[(topic.map { $0 + "\u{1F}" } ?? "") + incompleteKey] != nil
    }

    /// The state after a document could not be had: it is forgotten, so that the next poll asks again; nil if that was
    /// so before, unless its failure may pass.
    static func state(_ state: FeedState, late mark: String, isRetryable: Bool) -> FeedState? {
        var late = state.words(lateKey)
        guard isRetryable || !late.contains(mark) else { return nil }
        late.removeAll { $0 == mark }
        late.append(mark)
        let seen = state.words(seenKey).filter { $0 != mark }
        var state = state
        state.set(lateKey, late)
        state.set(seenKey, seen)
        state[incompleteKey] = "1"
        return state
    }

    private static let seenKey = "seen"
    private static let incompleteKey = "incomplete"
    private static let lateKey = "late"

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

extension FeedState {
    /// The words under a key.
    fileprivate func words(_ key: String) -> [String] { (self[key] ?? "").split(separator: " ").map { String($0) } }

    fileprivate mutating func set(_ key: String, _ words: [String]) {
        self[key] = words.isEmpty ? nil : words.joined(separator: " ")
    }
}
