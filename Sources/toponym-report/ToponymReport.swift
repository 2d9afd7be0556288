import ArgumentParser
import Foundation
import Gazetteer

/// The program `toponym-report`: measures on a marked corpus how well places are found and resolved.
@main
struct ToponymReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toponym-report",
        abstract: "Measure how well places are resolved, on a corpus with marked toponyms.",
        discussion: """
            The corpus is in the format of TR-News. Its documents are split by a hash of their id: rules are made on \
            the half 'dev', the half 'test' is what counts, so errors are listed for 'dev' alone.

            Example:
              toponym-report --table cities.db --corpus TR-News.xml
            """)

    @Option(help: "The city table.")
    var table: String

    @Option(help: "The corpus.")
    var corpus: String

    @Option(help: "Which documents: dev, test or all (both, one after the other).")
    var half = Half.all

    @Option(help: "How many errors of the half 'dev' to list.")
    var errors = 0

    @Flag(help: "Take the source's country from the article's web address (.ca, .uk), as if it were configured.")
    var sourceCountry = false

    enum Half: String, ExpressibleByArgument, CaseIterable {
        case dev, test, all
    }

    func run() throws {
        let cities = try CityTable(path: table)
        let documents = try Corpus.read(path: corpus, sourceCountry: sourceCountry)
        let resolver = Resolver(cities)
        let sections: [any ReportSection] = [
            GoldSpans(resolver), EndToEnd(PlaceFinder(cities, resolver: resolver)),
        ]
        for (half, isDevelopment) in [(Half.dev, true), (.test, false)] where self.half == half || self.half == .all {
            let part = documents.filter { $0.isDevelopment == isDevelopment }
            for section in sections {
                print("\(section.title), \(half.rawValue): \(part.count) documents")
                print(try section.report(part, errors: isDevelopment ? errors : 0))
            }
        }
    }
}

/// One table of the report.
protocol ReportSection {
    /// The heading of the table.
    var title: String { get }
    /// The table as lines of text.
    /// - Parameter errors: Most errors listed below the table.
    func report(_ documents: [CorpusDocument], errors: Int) throws -> String
}
