import ArgumentParser
import Foundation
import Model
import Reading
import Store

/// `visiventd refused`
struct Refused: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the items of a source that were refused last, and why.",
        discussion: """
            At most a hundred, the last ones first, each since when it is refused: by the filter (keywords, \
            magnitude), by age (expired, truncated), or for a fault of its own, with what was found in place of a \
            title. An item that becomes an event later is no longer listed.

            To try a filter on a document:
              visiventd decode rss feed.xml --option 'keywords=volcan*,new zealand'
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Argument(help: "Name of the source.", completion: Completions.sources)
    var name: String

    func run() async throws {
        try await reporting(database.hints) {
            let store = try database.store()
            _ = try database.record(of: name, in: store)
            let items = try store.refusedItems(of: name)
            var output = Output()
            guard !json else {
                for item in items { output.json(item.json) }
                return output.flush()
            }
            guard !items.isEmpty else { return Terminal.printError("no refused item of '\(name)' is kept") }
            var table = TextTable(["SINCE (UTC)", "REASON", "TITLE"])
            for item in items { table.add([item.at.wholeSeconds, item.reason, item.title]) }
            output.table(table, width: Terminal.width)
            output.flush()
        }
    }
}

extension RefusedItem {
    /// The item as one JSON object.
    fileprivate var json: String {
        JSONWriter.object([
            "refused_since": at.timestamp, "reason": reason, "title": title, "provider": provider, "upstream_id": id,
        ])
    }
}
