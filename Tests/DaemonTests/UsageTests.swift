import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Command lines with conflicting options, and invalid inputs.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct UsageTests {
    private func run(_ arguments: [String]) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    @Test(arguments: [["usgs", "feed"], ["usgs"], ["nonsense"], ["--count"], ["--option", "api=v1.1"]])
    func aLastFailureGoesWithNothingThatDecodes(arguments: [String]) async throws {
        let outcome = try await run(["decode", "--last-failure", "news", "--database", "/nonexistent"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--last-failure NAME takes no kind, file, --count or --option"))
    }

    @Test(arguments: ["--config", "-c", "--database"])
    func whatDecodesAFileReadsNeitherConfigurationNorDatabase(option: String) async throws {
        let outcome = try await run(["decode", "usgs", "-", option, "/nonexistent"])
        #expect(outcome.status == 64)
        let name = option == "-c" ? "--config" : option
        #expect(outcome.errors.contains("\(name) does nothing without --last-failure"), "\(outcome.errors)")
    }

    @Test func anOptionOfAKindThatIsNoneIsAnsweredWithThoseThatAre() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.path + "/none.json"
        try Data().write(to: URL(fileURLWithPath: file))
        let outcome = try await run(["decode", "twitter", file, "--option", "apy=v1.1"])
        #expect(outcome.status == 64)
        let words = "--option: unknown key 'apy'; the keys of twitter are mode, query, "
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        let value = try await run(["decode", "twitter", file, "--option", "api=v3"])
        #expect(value.status == 64)
        #expect(value.errors == "visiventd: --option api cannot be 'v3'; accepted: v2, v1.1, premium\n")
    }

    @Test func namesOfSourcesDoNotGoWithAll() async throws {
        let both = try await run(["poll", "--all", "quakes", "news", "--config", "/nonexistent"])
        #expect(both.status == 64)
        #expect(both.errors.contains("--all and names exclude each other: visiventd poll --all polls all"))
        #expect(both.errors.contains(", visiventd poll quakes news these alone\n"), "\(both.errors)")
        let neither = try await run(["poll", "--config", "/nonexistent"])
        #expect(neither.status == 64)
        #expect(neither.errors.contains("expected names of sources, or --all"), "\(neither.errors)")
    }

    @Test(arguments: [("atom", "rss"), ("kmz", "kml"), ("X", "twitter")])
    func aKindThatIsNoneIsAnsweredWithTheOneThatWasPerhapsMeant(kind: String, meant: String) async throws {
        let outcome = try await run(["decode", kind, "/none"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("unknown kind '\(kind)'; known are usgs, "), "\(outcome.errors)")
        #expect(outcome.errors.contains("; did you mean \(meant)?"), "\(outcome.errors)")
    }

    @Test(arguments: [["decode"], ["seed", "cities"]])
    func noLineOfTheHelpLosesItsIndent(command: [String]) async throws {
        let help = try await run(["help"] + command)
        let blocks = help.output.components(separatedBy: "\n\n").prefix { !$0.hasPrefix("USAGE") }
        let lists = blocks.map { block in
            block.split(separator: "\n").drop { !$0.hasPrefix("  ") }
        }
        #expect(lists.contains { $0.count > 1 })
        #expect(lists.allSatisfy { list in list.allSatisfy { $0.hasPrefix("  ") } }, "\(help.output)")
    }

    @Test(arguments: [
        (["--precision", "point,town"], "--precision takes point, city, region, country, found 'town'"),
        (
            ["--evidence", "headline"],
            "--evidence takes place, dateline, author, title, summary, distance, found 'headline'"
        ),
        (["--unlocated", "--precision", "point"], "--unlocated leaves nothing to --precision"),
        (["--unlocated", "--country", "JP"], "--unlocated leaves nothing to --country"),
        (["--country", "Japan"], "--country takes a two-letter code (ISO 3166-1) such as JP, found 'Japan'"),
        (["--country", "uk"], "found 'uk'; did you mean GB?"),
        (["--country", "JP,KR"], "found 'JP,KR'; repeat the option for each"),
        (["--unlocated", "--evidence", "title"], "--unlocated leaves nothing to --evidence"),
        (
            ["--minimum-magnitude", "6", "--maximum-magnitude", "5"],
            "--minimum-magnitude 6.0 is above --maximum-magnitude 5.0"
        ),
        (["--minimum-depth", "5", "--maximum-depth", "3"], "--minimum-depth 5.0 is above --maximum-depth 3.0"),
        (["--maximum-depth", "nan"], "a number with a point, such as 5.5"),
        (["--before", "x"], "--before takes a public id, of 16 characters, found 'x'"),
        (["--after", "7r3k0mz2v9q4w8xd", "--follow"], "--after takes a change number with --follow"),
        (["--sort", "magnitude", "--before", "7r3k0mz2v9q4w8xd"], "--sort magnitude has none"),
        (["--sort", "magnitude", "--follow"], "--sort does nothing with --follow"),
    ])
    func whatDoesNotGoTogetherInEventsIsRefused(arguments: [String], words: String) async throws {
        let outcome = try await run(["events", "--database", "/nonexistent"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func aTimeThatIsNoneIsAnsweredWithTheFormsOfOne() async throws {
        let outcome = try await run(["events", "--since", "soon", "--database", "/nonexistent"])
        #expect(outcome.errors.contains("--since takes a date such as 2026-03-01, a time such as "))
    }

    @Test func aSpanThatEndsBeforeItBeginsIsNamed() async throws {
        let outcome = try await run(["events", "--since", "1h", "--until", "2h", "--database", "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--since 1h is later than --until 2h"), "\(outcome.errors)")
    }

    @Test(arguments: [["-", "Hilo"], ["Hilo", "--json", "--count"], ["Hilo", "--country", "zz"]])
    func whatGeocodeDoesNotTakeIsRefused(arguments: [String]) async throws {
        let outcome = try await run(["geocode", "--table", "/none"] + arguments)
        #expect(outcome.status == 64, "\(outcome.errors)")
    }

    @Test func theTabsOfARefusedRowAreShown() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let table = directory.path + "/cities.txt"
        let rows = try Data(contentsOf: Fixtures.url("demo-places/cities.txt"))
        try (rows + Data("9999\tToo few\tcolumns\n".utf8)).write(to: URL(fileURLWithPath: table))
        let outcome = try await run(["seed", "cities", table, "--table", directory.path + "/cities.sqlite"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("  1 refused: missing_fields\n"), "\(outcome.output)")
        #expect(outcome.output.contains(": 9999\\tToo few\\tcolumns\n"), "\(outcome.output)")
    }

    @Test func aVolcanoListThatIsNoneIsNamed() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let list = directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel/></rss>".utf8).write(to: URL(fileURLWithPath: list))
        let outcome = try await run(["seed", "volcanoes", list, "--database", directory.path + "/v.sqlite"])
        #expect(outcome.status == 65)
        #expect(outcome.errors.hasPrefix("visiventd: \(list): This is no volcano list: "), "\(outcome.errors)")
    }

    @Test(arguments: [["seed", "cities", "--table", "/none"], ["seed", "volcanoes", "--database", "/none"]])
    func aURLThatIsNoneIsAFaultOfTheCommandLine(command: [String]) async throws {
        let outcome = try await run(command + ["http://"])
        #expect(outcome.status == 64, "\(outcome.errors)")
    }

    @Test(arguments: [["seed", "cities", "--table", "/none"], ["seed", "volcanoes", "--database", "/none"]])
    func aSchemeThatIsNotDownloadedIsNamedWithWhatIsAccepted(command: [String]) async throws {
        for scheme in ["ftp", "file", "s3"] {
            let outcome = try await run(command + [scheme + "://user:hunter2@example.org/list.txt"])
            #expect(outcome.status == 64)
            let words = "a URL of scheme '\(scheme)' cannot be read; accepted are http and https URLs"
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(!outcome.errors.contains("hunter2"))
        }
    }
}
