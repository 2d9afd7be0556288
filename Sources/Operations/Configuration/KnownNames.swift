import Feeds
package import Model
import Settings
package import Store

/// The names that filters may have: those of the configuration, of the kinds of feed and of the database.
package struct KnownNames: Sendable {
    /// A name that none of them has.
    package struct Unknown: Error, Sendable, Hashable {
        /// What it should name: `source`, `category` or `provider`.
        package let what: String
        /// The name itself.
        package let name: String
        /// The known names in alphabetical order, 50 at most, and the number of others.
        package let known: String
        /// The end of a sentence that names the nearest known name; empty if none is near.
        fileprivate let hint: String

        /// The fault in one sentence without a full stop.
        package var words: String { "no \(what) named '\(name)'; known are \(known)\(hint)" }
    }

    private let feeds: [SourceSettings]

    /// Creates the names of these sources, of the kinds, and of each database that is asked.
    /// - Parameter feeds: The configured sources; none without a configuration.
    package init(configured feeds: [SourceSettings]) { self.feeds = feeds }

    /// Refuses names that nothing knows, since a filter for them would find nothing.
    /// - Throws: `Unknown` for the first such name; `StoreError`.
    package func check(
        sources: [String], categories: [Model.Category], providers: [String], in store: EventStore
    ) throws {
        try refuse("source", sources, beside: feeds.map(\.name)) { try store.sources().map(\.name) }
        let own = feeds.compactMap { $0.options["category"]?.text }.map { Model.Category(rawValue: $0).rawValue }
        try refuse("category", categories.map(\.rawValue), beside: own + FeedRegistry.categories) {
            try store.categories()
        }
        // The URL of a feed is the provider of events that no other provider vouches for. It is always accepted, but
        // listed as known only if an event has it: many feeds have no such events.
        let others = providers.filter { name in !feeds.contains { $0.identity == name } }
        try refuse("provider", others, beside: feeds.compactMap(\.provider) + FeedRegistry.providers) {
            try store.providers()
        }
    }

    /// The most names that a refusal lists.
    private static let mostListed = 50

    /// - Parameter stored: Reads the names in the database, which are needed only for names beside `settled`.
    private func refuse(
        _ what: String, _ names: [String], beside settled: [String], _ stored: () throws -> [String]
    ) throws {
        guard !names.allSatisfy({ settled.contains($0) }) else { return }
        let known = try Set(settled + stored()).sorted()
        for name in names where !known.contains(name) {
            let most = Self.mostListed
            let others = known.count > most ? " and \(known.count - most) others" : ""
            throw Unknown(
                what: what, name: name, known: known.prefix(most).joined(separator: ", ") + others,
                hint: what == "category" ? Self.categoryHint(name, known) : NearestWord.hint(for: name, among: known))
        }
    }

    /// The hint for a category. For a single word it names single words first: the nearest of all to quake would be
    /// ice_quake.
    private static func categoryHint(_ name: String, _ known: [String]) -> String {
        let words = name.contains("_") ? [] : known.filter { !$0.contains("_") }
        let hint = NearestWord.hint(for: name, among: words)
        return hint.isEmpty ? NearestWord.hint(for: name, among: known) : hint
    }
}
