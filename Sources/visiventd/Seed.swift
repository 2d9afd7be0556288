import ArgumentParser
import Control
import Fetching
import Foundation
import Gazetteer
import Model
import Reading
import SQLite
import Store

/// `visiventd seed`
struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill the city table and the points of interest.",
        discussion: """
            Tables are read from files, from http(s) URLs or from standard input (-), plain or packed with gzip or \
            zip, and known by their content. The table in use stays in use until the new one is whole; a running \
            daemon then takes that up by itself.
            """,
        subcommands: [SeedCities.self, SeedRegions.self, SeedVolcanoes.self])
}

/// `visiventd seed cities`
struct SeedCities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cities",
        abstract: "Fill the city table with cities.",
        discussion: """
            Accepted are MaxMind's worldcitiespop.txt and GeoNames' cities500.txt, cities1000.txt, cities15000.txt and \
            allCountries.txt; tables of regions may come in the same go. The cities that were in the table before are \
            replaced, its regions and countries stay.

            Examples:
              visiventd seed cities \\
                  https://download.geonames.org/export/dump/cities1000.zip
              visiventd seed cities cities15000.txt admin1CodesASCII.txt countryInfo.txt
              zcat worldcitiespop.txt.gz | visiventd seed cities -
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var inputs: SeedInputs

    @Flag(help: "Keep the cities of the table; one with the same GeoNames number is replaced.")
    var add = false

    func run() async throws {
        try await reporting(table.hints) {
            try await inputs.seed(table, isAdding: add) { formats in
                guard InputFormat.cities.isDisjoint(with: formats) else { return nil }
                return "there is no table of cities among the inputs (\(names(formats))); use: visiventd seed regions"
            }
        }
    }
}

/// `visiventd seed regions`
struct SeedRegions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions",
        abstract: "Fill the city table with regions and countries.",
        discussion: """
            Accepted are GeoNames' admin1CodesASCII.txt, admin2Codes.txt and countryInfo.txt, one or several in one \
            go. Each replaces what the table had of its kind; all else in the table stays, and regions are placed in \
            the middle of its cities.

            Example:
              visiventd seed regions admin1CodesASCII.txt admin2Codes.txt countryInfo.txt
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var inputs: SeedInputs

    func run() async throws {
        try await reporting(table.hints) {
            try await inputs.seed(table, isAdding: false) { formats in
                guard !InputFormat.regions.isSuperset(of: formats) else { return nil }
                return "there is a table of cities among the inputs (\(names(formats))); use: visiventd seed cities"
            }
        }
    }
}

private func names(_ formats: [InputFormat]) -> String { formats.map(\.rawValue).joined(separator: ", ") }

private typealias Download = (name: String, body: FetchedStream)

/// The inputs of a seeding.
struct SeedInputs: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Files, http(s) URLs or - for standard input.", valueName: "input"), completion: .file())
    var inputs: [String]

    func validate() throws {
        guard inputs.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("standard input can be read only once")
        }
        for input in inputs { try mustBeInput(input) }
    }

    /// Seeds the table and prints the summary.
    /// - Parameter complaint: Returns the fault of inputs with these formats; nil without one.
    func seed(
        _ options: TableOptions, isAdding: Bool, complaint: ([InputFormat]) -> String?
    ) async throws {
        let (path, limits) = try options.load()
        // SQLite's temporary files go beside the table, since /tmp may be memory. SQLite reads the variable at its
        // first use.
        setenv("SQLITE_TMPDIR", URL(fileURLWithPath: path).deletingLastPathComponent().path, 1)
        let stops = SignalStop {
            UnfinishedFiles.removeAll()
            return "stopped; the city table stays as it was"
        }
        defer { stops.end() }
        var downloads: [Download] = []
        defer { for download in downloads { download.body.close() } }
        do {
            var sources: [SeedInput] = []
            for input in inputs { sources.append(try await Self.open(input, limits, &downloads)) }
            try FolderOwner.become(ofFolderOf: path)
            let seeder = try Seeder(sources, into: path, isAdding: isAdding)
            if let problem = complaint(seeder.formats) {
                throw GazetteerError(.unknownFormat, "\(problem); nothing has been written")
            }
            let progress = SeedProgressLine(names: sources.map(\.name))
            let report = try seeder.run(at: Date()) { progress.show($0) }
            progress.clear()
            SeedSummary.print(report, path: path)
        } catch let error as GazetteerError where error.code == .unreadableInput {
            // A broken download is a network failure, which says whether to try again.
            for download in downloads {
                if let failure = download.body.failure { throw failure.of(download.name) }
            }
            throw error
        }
    }

    private static func open(
        _ input: String, _ limits: FetchLimits, _ downloads: inout [Download]
    ) async throws -> SeedInput {
        if input == "-" {
            return try opening("standard input") { () throws(ReadingError) in
                try ByteStream(descriptor: dup(STDIN_FILENO), name: "standard input")
            }
        }
        let lower = input.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
            return try opening(input) { () throws(ReadingError) in try ByteStream(path: input) }
        }
        let name = input.withoutQuery
        let body: FetchedStream
        do throws(Failure) {
            body = try await Fetcher.download(input, limits: limits)
        } catch {
            throw error.of(name)
        }
        downloads.append((name, body))
        return try opening(name) { () throws(ReadingError) in
            try ByteStream(name: name, totalBytes: body.totalBytes) { () throws(ReadingError) -> Data? in
                do throws(Failure) {
                    return try body.blockingNext()
                } catch {
                    throw ReadingError(code: "cut_short", message: error.message)
                }
            }
        }
    }

    private static func opening(
        _ name: String, _ open: () throws(ReadingError) -> ByteStream
    ) throws(GazetteerError) -> SeedInput {
        do throws(ReadingError) {
            return SeedInput(name: name, stream: try open())
        } catch {
            throw GazetteerError(.unreadableInput, "\(error.message); nothing has been written")
        }
    }
}
