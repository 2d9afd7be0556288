import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// Errors about rejected option values name the accepted ones.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct OptionValueTests {
    private let directory = TemporaryDirectory()

    private func run(_ arguments: [String]) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    @Test(arguments: [
        (["events", "--near", "1,2", "--radius", "-5"], "--radius takes more than 0, found -5.0"),
        (["volcanoes", "--near", "1,2", "--radius", "-5"], "--radius takes more than 0, found -5.0"),
        (["events", "--near", "57,361"], "latitude from -90 to 90, longitude from -180 to 360, found '57,361'"),
        (["authors", "--near", "91,0"], "latitude from -90 to 90, longitude from -180 to 360, found '91,0'"),
        (["volcanoes", "--near", "57,-181"], "latitude from -90 to 90, longitude from -180 to 360, found '57,-181'"),
        (["events", "--near", "57,99999"], "longitude from -180 to 360, found '57,99999'"),
        (["events", "--bbox", "999,-10,1000,10"], "west and east from -540 to 540, south below north"),
        (["events", "--bbox", "999,-10,1400,10"], "both from -90 to 90, found '999,-10,1400,10'"),
        (["events", "--bbox", "0,-91,10,10"], "both from -90 to 90, found '0,-91,10,10'"),
        (["events", "--limit", "-1"], "--limit takes 0 or more, found -1"),
        (["authors", "--limit", "-1"], "--limit takes 1 or more, found -1"),
        (["volcanoes", "--limit", "-1"], "--limit takes 0 or more, found -1"),
        (["events", "--limit", "abc"], "invalid for '--limit <limit>': accepted is a whole number, 0 for all"),
        (["authors", "--limit", "5.5"], "accepted is a whole number from 1"),
        (["volcanoes", "--limit", "1e3"], "accepted is a whole number, 0 for all"),
        (["check", "--hours", "x"], "accepted is a whole number from 1 to 168"),
        (["geocode", "--candidates", "few", "Hilo"], "accepted is a whole number from 0 to 50"),
        (["events", "--since", "-1d"], "--since takes a date such as 2026-03-01"),
        (["events", "--until", "-1d"], "--until takes a date such as 2026-03-01"),
        (["check", "--hours", "-1"], "--hours takes 1 to 168, found -1"),
        (["geocode", "--candidates", "-1", "Hilo"], "--candidates takes 0 to 50, found -1"),
        (["events", "--near", "1,2", "--radius", "300km"], "accepted is a number of kilometres without a unit"),
        (["volcanoes", "--near", "1,2", "--radius", "300km"], "accepted is a number of kilometres without a unit"),
        (["events", "--minimum-magnitude", "5,5"], "accepted is a number with a point, such as 5.5"),
        (["events", "--minimum-magnitude", "nan"], "accepted is a number with a point, such as 5.5"),
        (["events", "--text", "*"], "--text takes words, * at the end of one for any ending, found '*'"),
        (["events", "--text", ""], "--text takes words, * at the end of one for any ending, found ''"),
        (["events", "--text", " "], "--text takes words, * at the end of one for any ending, found ' '"),
        (["authors", "--text", "?!"], "--text takes words, * at the end of one for any ending, found '?!'"),
        (
            ["events", "--category", "news,alert"],
            "--category takes one category, found 'news,alert'; repeat the option"
        ),
    ])
    func aValueThatIsNoneIsAnsweredWithWhatIs(arguments: [String], words: String) async throws {
        let outcome = try await run(arguments + ["--database", "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func numbersBelowZeroAreNumbers() async throws {
        _ = try EventStore(path: directory.path + "/v.sqlite")
        let outcome = try await run(
            ["events", "--minimum-magnitude", "-1.5", "--database", directory.path + "/v.sqlite"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func anOptionBeforeTheCommandIsToldItsPlace() async throws {
        for option in [["--config", "x.yaml"], ["-c", "x.yaml"], ["--config=x.yaml"], ["--json"]] {
            let outcome = try await run(option + ["events"])
            #expect(outcome.status == 64)
            #expect(
                outcome.errors == "visiventd: options stand after the command: visiventd events \(option[0]) …\n")
        }
        #expect(try await run(["--version", "events"]).status == 0)
    }

    /// As for sources: known names are those in the database, of the kinds of feed, and in the configuration.
    @Test func categoriesAndProvidersThatNobodyHasAreAnsweredWithThoseThatAreKnown() async throws {
        let database = directory.path + "/v.sqlite"
        let source = SourceSettings(name: "notes", kind: "kml", url: "https://kml.test/", provider: "rangers")
        let store = try EventStore(path: database)
        try store.reconcile([source], at: Date())
        let event = Event(
            provider: "hut-book", id: "1", time: Date(), category: Model.Category(rawValue: "hut"), title: "Hut")
        let end = PollEnd(failure: nil, nextDue: Date() + 3600, dueReason: .interval, failures: 0)
        let answer = FeedAnswer(events: [event])
        _ = try store.write([
            .begin(PollBeginning(source: "notes", at: Date(), nextDue: Date() + 60, fingerprint: "f")),
            .step(PollStep(source: "notes", at: Date(), answer: answer, fingerprint: "f", end: end)),
        ])
        let file = directory.path + "/v.yaml"
        let text = """
            database: v.sqlite
            sources:
              - {name: notes, kind: kml, url: "https://kml.test/", provider: rangers, category: trail}
              - {name: quakes, kind: usgs, url: "file:///none/quakes.geojson"}
              - {name: news, kind: rss, url: "https://news.test/rss?key=1"}

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        for command in ["events", "authors"] {
            for known in [
                ["--category", "hut"], ["--category", "Trail"], ["--category", "quarry blast"],
                ["--provider", "hut-book"], ["--provider", "rangers"], ["--provider", "usgs"],
                ["--provider", "https://news.test/rss"],
            ] {
                let outcome = try await run([command] + known + ["--config", file])
                #expect(outcome.status == 0, "\(known): \(outcome.errors)")
            }
            let category = try await run([command, "--category", "quake", "--config", file])
            #expect(category.status == 64)
            let words = "visiventd: no category named 'quake'; known are alert, chemical_explosion, "
            #expect(category.errors.hasPrefix(words), "\(category.errors)")
            #expect(category.errors.contains(", hut, ") && category.errors.contains(", trail, "))
            #expect(category.errors.hasSuffix("; did you mean earthquake?\n"), "\(category.errors)")
            let provider = try await run([command, "--provider", "USGS", "--config", file])
            #expect(provider.status == 64)
            let providers = "gvp, hut-book, rangers, reuters, twitter, usgs"
            let meant = "did you mean usgs?"
            #expect(provider.errors == "visiventd: no provider named 'USGS'; known are \(providers); \(meant)\n")
        }
        // Without a configuration its own categories are unknown.
        #expect(try await run(["events", "--category", "trail", "--database", database]).status == 64)
    }
}
