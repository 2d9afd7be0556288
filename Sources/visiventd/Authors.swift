import ArgumentParser
import Foundation
import Model
import Store

/// `visiventd authors`
struct Authors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show who wrote the matching events, with counts.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var filter: EventOptions

    @ArgumentParser.Option(help: "How many at the most.")
    var limit = 50

    func run() async throws {
        try await reporting {
            let store = try EventStore(path: try database.path(), mode: .readOnly)
            var table = TextTable([">EVENTS", "LATEST (UTC)", "AUTHOR", "LINK"])
            for author in try store.authors(try filter.query(now: Date()), limit: limit) {
                table.add(["\(author.events)", author.latest.wholeSeconds, author.name, author.link ?? ""])
            }
            var output = Output()
            output.table(table, width: Terminal.width)
            output.flush()
        }
    }
}
