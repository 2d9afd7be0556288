import ArgumentParser
import Foundation
import Model
import Store

/// `visiventd authors`
struct Authors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show who wrote the matching events, with counts.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var filter: EventOptions

    @ArgumentParser.Option(parsing: .unconditional, help: "How many at the most, from 1.")
    var limit = 50

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit takes 1 or more, found \(limit)") }
    }

    func run() async throws {
        try await reporting {
            let store = try database.store(knowing: filter)
            var table = TextTable([">EVENTS", "LATEST (UTC)", "AUTHOR", "LINK"])
            let authors = try store.authors(try filter.query(now: Date()), limit: limit)
            guard !authors.isEmpty else { return Terminal.complain("no authors match") }
            for author in authors {
                table.add(["\(author.events)", author.latest.wholeSeconds, author.name, author.link ?? ""])
            }
            var output = Output()
            output.table(table, width: Terminal.width)
            output.flush()
        }
    }
}
