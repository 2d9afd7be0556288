import Foundation
import Model
import Reading

/// An Atom or RSS index of CAP documents, such as the National Weather Service's.
///
/// It gives requests, not events. The feed's state remembers requested documents under `seen`, as a hash of URL and
/// `updated` for each entry that the index still lists, so it is as bounded as the index. `incomplete` marks entries
/// left for the next poll, which must read the index even if it is unchanged. `late` has the hashes of documents that
/// could not be fetched.
struct CAPIndex {
    /// An entry that links to a document.
    struct Entry {
        /// The document's URL, absolute.
        var url: String
        /// The entry's `updated` (Atom) or `pubDate` (RSS), verbatim; empty when missing.
        var updated: String

        /// The hash by which the state remembers the document.
        func mark(reading: String) -> String { FNV64.hex("\(url) \(updated) \(reading)") }
    }

    /// Entries in document order.
    private(set) var entries: [Entry] = []
    /// One issue for each entry without a link.
    private(set) var issues: [FeedIssue] = []

    /// The most entries of an index that are considered, the newest.
    private static let maximumEntries = 5000

    /// Reads the index; nil when the root is neither Atom nor RSS.
    /// - Parameter url: The index' own URL, the base of relative links.
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
            // The National Weather Service announces "no active warnings" in an entry that links to the index itself.
            if link == url { continue }
            let updated = node.child("updated") ?? node.child("pubDate") ?? node.child("date")
            entries.append(Entry(url: link, updated: updated?.trimmed ?? ""))
        }
    }

    // MARK: Plan

    /// The entries to request now, newest first and each URL once; the marks of those that failed before; and the state
    /// to store once all have been answered.
    ///
    /// - Parameters:
    ///   - state: The state so far. Documents that the index no longer lists are dropped from it.
    ///   - reading: The key for how documents are read. With another key all documents are due again.
    ///   - most: The most entries to request.
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
        // Failed documents come last; otherwise they would block the others for ever.
        let wanted = listed.filter { !seen.contains($0.mark) }
        let asked = (wanted.filter { !late.contains($0.mark) } + wanted.filter { late.contains($0.mark) }).prefix(most)
        let left = Set(wanted.map(\.mark)).subtracting(asked.map(\.mark))
        var state = state
        state.set(Self.seenKey, listed.map(\.mark).filter { !left.contains($0) })
        state.set(Self.lateKey, late.sorted())
        state[Self.incompleteKey] = left.isEmpty ? nil : "1"
        return (asked.map(\.entry), late, state)
    }

    /// Whether the last poll left entries of the index for a later one.
    /// - Parameter state: The state of the whole source, its keys prefixed by the topic and U+001F.
    static func wasIncomplete(_ state: FeedState, topic: String?) -> Bool {
        state[(topic.map { $0 + "\u{1F}" } ?? "") + incompleteKey] != nil
    }

    /// The state after a failed document: it is no longer `seen`, so the next poll requests it again. Nil after a
    /// second failure, unless the failure is transient.
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

    /// The link of an entry: one of type application/cap+xml, else an alternate one (preferably not HTML), else the
    /// text of an RSS link, else the id.
    private static func link(of entry: XMLNode) -> String? {
        var best: (rank: Int, link: String)?
        for link in entry.children("link") {
            let type = link.attribute("type")?.lowercased() ?? ""
            guard let target = link.attribute("href") ?? link.trimmed else { continue }
            let isCAP = type.hasPrefix("application/cap+xml")
            guard isCAP || link.relation == "alternate" else { continue }
            let rank = isCAP ? 0 : type.hasSuffix("html") ? 2 : 1
            if rank < best?.rank ?? Int.max { best = (rank, target) }
        }
        return best?.link ?? entry.child("id")?.trimmed ?? entry.child("guid")?.trimmed
    }

    /// The absolute http or https URL of a link; nil for anything else.
    private static func absolute(_ link: String?, against base: String) -> String? {
        if let url = HTMLText.webURL(link) { return url }
        guard let link, let base = URL(string: base) else { return nil }
        return HTMLText.webURL(URL(string: link, relativeTo: base)?.absoluteString)
    }
}

extension FeedState {
    /// The space-separated words under a key; empty for a missing one.
    fileprivate func words(_ key: String) -> [String] { (self[key] ?? "").split(separator: " ").map { String($0) } }

    fileprivate mutating func set(_ key: String, _ words: [String]) {
        self[key] = words.isEmpty ? nil : words.joined(separator: " ")
    }
}
