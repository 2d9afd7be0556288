package import Model

/// Which refused items of an answer are kept, for people who look for an event that is missing.
///
/// 1. Of a poll at most a hundred: first the events that were not accepted, then the items that could not be read.
/// 2. An event whose words its provider has deleted is not kept.
/// 3. Names, aliases and titles are cut. An item without an id is known by what was found in it, or by its position.
///
/// The store keeps the last hundred of a source, one of each name: an item that comes again for the same reason changes
/// nothing, and one that has become an event goes.
package enum Refusals {
    /// The most refused items that are kept of a source, and that are taken from a poll.
    package static let most = 100

    /// A refused item as it is kept.
    package struct Item: Sendable, Hashable {
        /// The provider; empty if the item could not be read.
        package let provider: String
        /// The id, or what stands for it.
        package let id: String
        /// The aliases, each between line feeds; nil: none.
        package let aliases: String?
        /// The title, or a sample of what could not be read.
        package let title: String
        /// Why it was refused.
        package let reason: String

        fileprivate init(_ id: String, of provider: String, aliases: String?, title: String, reason: String) {
            self.provider = cut(provider)
            self.id = cut(id)
            self.aliases = aliases
            self.title = String(title.unicodeScalars.prefix(200))
            self.reason = reason
        }
    }

    /// The items of an answer that are kept.
    /// - Parameters:
    ///   - refused: The events that were not accepted.
    ///   - room: How many more the poll may have, 0 or more.
    ///   - isDeleted: Whether the provider has deleted the words of an event.
    package static func kept(
        _ refused: [(event: Event, reason: String)], _ issues: [FeedIssue], room: Int,
        isDeleted: (Event) throws -> Bool
    ) rethrows -> [Item] {
        var items: [Item] = []
        for (event, reason) in refused where items.count < room {
            if try isDeleted(event) { continue }
            items.append(
                Item(
                    event.id, of: event.provider, aliases: listed(event.aliases), title: event.title, reason: reason))
        }
        for issue in issues.lazy.filter(\.costsItem).prefix(room - items.count) {
            let id = issue.found.isEmpty ? issue.position : issue.found
            items.append(Item(id, of: "", aliases: nil, title: issue.sample, reason: issue.reason))
        }
        return items
    }

    /// The first 1024 bytes of a name, in whole scalars.
    package static func cut(_ name: String) -> String {
        guard let end = name.utf8.index(name.startIndex, offsetBy: 1024, limitedBy: name.endIndex) else { return name }
        return String(name.unicodeScalars[..<end])
    }

    /// The aliases between line feeds, at most 2 KiB; a message has fewer. Nil: there are none.
    private static func listed(_ aliases: [String]) -> String? {
        var list = "\n"
        for alias in aliases where list.utf8.count + alias.utf8.count < 2048 { list += alias + "\n" }
        return list == "\n" ? nil : list
    }
}
