import ArgumentParser
import Foundation
import Model
import Presenting
import Reading
import Serving
import Store

/// `visiventd authors`
struct Authors: AsyncParsableCommand {
    /// Output formats.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, ndjson, csv
    }

    static let configuration = CommandConfiguration(abstract: "Show who wrote the matching events, with counts.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var filter: EventOptions

    @Option(
        parsing: .unconditional, help: "How many at the most, from 1. (default: 50)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number from 1") })
    var limit: Int = 50

    @Option(help: "table, ndjson or csv.")
    var format: Format = .table

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit takes 1 or more, found \(limit)") }
    }

    func run() async throws {
        try await reporting(database.hints) {
            let (store, query) = try database.opened(for: filter, now: Date())
            let authors = try store.authors(query, limit: limit)
            var output = Output()
            switch format {
            case .table:
                guard !authors.isEmpty else { return Terminal.printError("no authors match") }
                var table = TextTable([">EVENTS", "LATEST (UTC)", "AUTHOR", "LINK"])
                for author in authors {
                    table.add(["\(author.events)", author.latest.wholeSeconds, author.name, author.link ?? ""])
                }
                output.table(table, width: Terminal.width)
            case .ndjson: for author in authors { output.json(author.json) }
            case .csv:
                output.line("author_name,author_link,events,latest")
                for author in authors {
                    let cells: [String?] = [author.name, author.link, "\(author.events)", author.latest.timestamp]
                    output.line { $0.append(cells: cells) }
                }
            }
            output.flush()
        }
    }
}
