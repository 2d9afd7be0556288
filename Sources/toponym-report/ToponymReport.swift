import ArgumentParser
import Foundation
import Gazetteer
import Model

/// The program `toponym-report`: measures on a marked corpus how well places are found and resolved.
@main
struct ToponymReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toponym-report",
        abstract: "Measure how well places are resolved, on a corpus with marked toponyms.",
        discussion: """
            The corpora are in the format of TR-News or LGL. Their documents are split by a hash of their feed, or of \
            their id where the corpus names no feeds: rules are made on the half 'dev', the half 'test' is what \
            counts, so errors are listed for 'dev' alone.

            Each half is measured without a home of its feeds; then cold, each document after those of its feed \
            before it; then warm, each document after all others of its feed. Documents without a feed are one feed.

            Example:
              toponym-report --table cities.db --corpus TR-News.xml --corpus LGL-dev.xml
            """)

    @Option(help: "The city table.")
    var table: String

    @Option(help: "A corpus; may be given several times.")
    var corpus: [String] = []

    @Option(help: "A capture as KIND=FILE, of which every located event is listed; may be given several times.")
    var pins: [CaptureFile] = []

    @Option(help: "A capture as KIND=FILE, whose titles with a distance from a town are measured.")
    var distances: [CaptureFile] = []

    @Option(help: "A list of volcanoes; may be given several times, as lists spell names differently.")
    var volcanoes: [String] = []

    @Option(help: "A capture of reports on volcanoes as KIND=FILE, which are to be found at their volcano.")
    var reports: [CaptureFile] = []

    @Option(help: "Which documents: dev, test or all (both, one after the other).")
    var half = Half.all

    @Option(help: "How many errors of the half 'dev' to list.")
    var errors = 0

    @Option(help: "A file for the features of all candidates; then nothing else is measured.")
    var features: String?

    @Option(help: "The least probability with which a name means a place.")
    var leastConfidence = Location.leastConfidence

    @Flag(help: "List the homes of the feeds of the half 'dev' with their counts.")
    var homes = false

    @Flag(help: "Take the source's country from the article's web address (.ca, .uk), as if it were configured.")
    var sourceCountry = false

    enum Half: String, ExpressibleByArgument, CaseIterable {
        case dev, test, all
    }

    @Option(help: "What is known of the feeds: alone, cold, warm; default: one after the other.")
    var prior: [FeedPrior] = []

    func run() throws {
        let cities = try CityTable(path: table)
        var resolver = Resolver(cities)
        resolver.leastConfidence = leastConfidence
        let finder = PlaceFinder(cities, resolver: resolver)
        let points = try volcanoes.flatMap { path in
            try VolcanoList(Data(contentsOf: URL(fileURLWithPath: path))).entries.map { $0.point }
        }
        let places = EventPlaces(cities, resolver: resolver, volcanoes: points)
        let sections: [any ReportSection] = [
            GoldSpans(resolver), EndToEnd(finder), Calibration(finder), LookUpTime(finder, places),
        ]
        if let features {
            var lines = ""
            for path in corpus {
                let documents = try Corpus.read(path: path, sourceCountry: sourceCountry)
                let name = path.split(separator: "/").last.map { String($0) } ?? path
                for prior in prior.isEmpty ? FeedPrior.allCases : prior {
                    lines += try FeatureDump(resolver, finder).lines(
                        try prior.applied(to: documents, resolver), named: name, prior)
                }
            }
            return try Data(lines.utf8).write(to: URL(fileURLWithPath: features))
        }
        if !distances.isEmpty {
            print("Distances from towns, \(distances.count) captures")
            print(try DistanceTitles(cities, places).report(distances))
        }
        for capture in reports { print(try VolcanoReports(places).report(capture)) }
        for capture in pins { print(try CapturePins(places).report(capture), terminator: "") }
        for path in corpus {
            let documents = try Corpus.read(path: path, sourceCountry: sourceCountry)
            let name = path.split(separator: "/").last.map { String($0) } ?? path
            if !volcanoes.isEmpty {
                print("\(name): " + (try VolcanoReports(places).pins(in: documents, listing: errors > 0)))
            }
            if homes {
                let part = documents.filter { $0.isDevelopment }
                print(try FeedPrior.homes(of: part, resolver).joined(separator: "\n") + "\n")
            }
            for (half, isDevelopment) in [(Half.dev, true), (.test, false)]
            where self.half == half || self.half == .all {
                for prior in prior.isEmpty ? FeedPrior.allCases : prior {
                    let part = try prior.applied(to: documents, resolver).filter { $0.isDevelopment == isDevelopment }
                    for section in sections {
                        print("\(name), \(half.rawValue), \(prior.rawValue): \(section.title), \(part.count) documents")
                        print(try section.report(part, errors: isDevelopment ? errors : 0))
                    }
                }
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
