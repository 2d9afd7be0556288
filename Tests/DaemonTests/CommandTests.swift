import Control
import Daemon
import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// The real program with mistakes on the command line.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct CommandTests {
    private struct Outcome: Sendable {
        var status: Int32
        var errors: String
    }

    /// Runs the program with its standard output in a file.
    private static func run(_ arguments: [String], output: String = "/dev/null") async throws -> Outcome {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let errors = directory.path + "/errors"
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        let files = [output, errors].map { FileHandle(forWritingAtPath: $0) }
        defer { for file in files { try? file?.close() } }
        let process = Process()
        process.executableURL = DaemonProcess.executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = files[0]
        process.standardError = files[1]
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let isSignal = process.terminationReason == .uncaughtSignal
                continuation.resume(returning: isSignal ? -process.terminationStatus : process.terminationStatus)
            }
            do {
                try process.run()
            } catch {
                // The termination handler is then never called.
                continuation.resume(throwing: error)
            }
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: errors))
        return Outcome(status: status, errors: String(decoding: data, as: UTF8.self))
    }

    /// A configuration whose source reads an empty feed, and its database.
    private static func configuration(in directory: TemporaryDirectory) throws -> String {
        let feed = directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel><title>t</title></channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let path = directory.path + "/v.yaml"
        let text = """
            database: v.sqlite
            sources:
              - name: news
                kind: rss
                url: file://\(feed)

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        _ = try EventStore(path: directory.path + "/v.sqlite")
        return path
    }

    @Test func aStreamIsShownAsOpenWhereTheClockWasSetBackAfterTheStart() async throws {
        let directory = TemporaryDirectory()
        let database = directory.path + "/v.sqlite"
        let opened = Date(timeIntervalSince1970: 1_000_000)
        let store = try EventStore(path: database)
        try store.reconcile(
            [SourceSettings(name: "messages", kind: "twitter", url: "https://api.test/stream")], at: opened)
        let end = PollEnd(failure: nil, nextDue: opened + 3600, dueReason: .stream, failures: 0)
        _ = try store.write([
            .begin(PollBeginning(source: "messages", at: opened, nextDue: opened + 60, fingerprint: "f")),
            .step(PollStep(source: "messages", at: opened, fingerprint: "f", end: end)),
        ])
        // By the clock the lock is taken much later. A holder that does not name its kind counts as a daemon.
        let lock = try DatabaseLock(database: database)
        defer { withExtendedLifetime((directory, lock)) {} }
        try Data("1\n".utf8).write(to: URL(fileURLWithPath: database + ".lock"))
        let output = directory.path + "/status.json"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let outcome = try await Self.run(["status", "--json", "--database", database], output: output)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("\"streaming_since\""), "\(text)")
    }

    @Test(arguments: [
        ["status"], ["status", "--json"], ["poll", "news"], ["truncate"], ["check"], ["events", "--format", "csv"],
    ])
    func aFullDiskBehindStandardOutputIsToldByTheExitCode(command: [String]) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let outcome = try await Self.run(command + ["--config", configuration], output: "/dev/full")
        #expect(outcome.status == 74, "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--help"], ["--version"], ["events", "--help"], ["help", "seed", "cities"],
        ["--generate-completion-script", "bash"],
    ])
    func helpThatCannotBeWrittenIsToldByTheExitCode(command: [String]) async throws {
        #expect(try await Self.run(command).status == 0)
        let outcome = try await Self.run(command, output: "/dev/full")
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: [["decode", "usgs"], ["decode", "twitter"], ["seed", "volcanoes"]])
    func anInputThatIsNotThereIsNamed(command: [String]) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let options = try command[0] == "seed" ? ["--config", Self.configuration(in: directory)] : []
        for (path, reason) in [("/none", "No such file or directory"), ("/", "Is a directory")] {
            let input = path == "/" ? directory.path : directory.path + path
            let outcome = try await Self.run(command + [input] + options)
            #expect(outcome.status == 74)
            #expect(outcome.errors == "visiventd: \(input) cannot be read: \(reason)\n")
        }
    }

    @Test func checkWarnsOfFoldersThatAreNotThere() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
            .replacing("database: v.sqlite", with: "database: \(directory.path)/none/v.sqlite")
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        let outcome = try await Self.run(["check", "--config", configuration])
        #expect(outcome.status == 0)
        #expect(outcome.errors == "warning: database: the folder \(directory.path)/none is not there\n")
    }

    /// For example a pipe that a shell makes of `<(command)`.
    @Test func aFileThatCannotBeMappedIsReadAllTheSame() async throws {
        let outcome = try await Self.run(["decode", "rss", "/dev/null"])
        #expect(outcome.status == 65)
        #expect(outcome.errors == "visiventd: the document is empty (feed: empty)\n")
    }

    @Test(arguments: [["seed", "cities"], ["seed", "volcanoes"]])
    func aDownloadThatFailsIsNamedWithoutItsQuery(command: [String]) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        // Nobody listens at port 1.
        let url = "http://127.0.0.1:1/list.txt"
        let outcome = try await Self.run(command + [url + "?key=hunter2", "--config", configuration])
        #expect(outcome.status == 75)
        #expect(outcome.errors.hasPrefix("visiventd: \(url): "))
        #expect(!outcome.errors.contains("hunter2"))
    }

    @Test func volcanoesDoNotMigrateADatabaseThatIsInUse() async throws {
        let directory = TemporaryDirectory()
        let database = directory.path + "/v.sqlite"
        try EventStore(path: database).maintain { try $0.run("PRAGMA user_version = 2") }
        let lock = try DatabaseLock(database: database)
        defer { withExtendedLifetime((directory, lock)) {} }
        let list = directory.path + "/list.csv"
        try Data("Etna,\"14.999,37.748\",,,\n".utf8).write(to: URL(fileURLWithPath: list))
        let outcome = try await Self.run(["seed", "volcanoes", list, "--database", database])
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains("schema version 2"))
        #expect(!FileManager.default.fileExists(atPath: database + ".schema-2"))
    }

    @Test(arguments: [
        ["events", "--radius", "5"], ["authors", "--radius", "5"], ["volcanoes", "--radius", "5"],
        ["events", "--after", "5"], ["events", "--follow", "--limit", "5"], ["decode", "usgs", "-"],
        ["geocode", "Hilo", "--table", "/none"],
    ])
    func anOptionThatWouldDoNothingIsRefused(arguments: [String]) async throws {
        let outcome = try await Self.run(arguments + ["--database", "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("does nothing with"))
    }

    @Test(arguments: [
        (["chekc"], "'chekc'; did you mean 'check'? See visiventd --help"),
        (["help", "evnts"], "'evnts'; did you mean 'events'? See visiventd --help"),
        (["seed", "citis", "x"], "'seed citis'; did you mean 'seed cities'? See visiventd seed --help"),
        (["xyzzy"], "'xyzzy'; see visiventd --help"),
    ])
    func aCommandThatIsNoneIsNamedWithTheOneThatWasPerhapsMeant(arguments: [String], words: String) async throws {
        let outcome = try await Self.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors == "visiventd: there is no command \(words)\n")
    }

    @Test(arguments: [
        ["events", "--since", "5x"], ["events", "--since", "1e400d"], ["events", "--category", ""],
        ["events", "--bbox", "1,2"], ["authors", "--near", "5"],
        ["authors", "--limit", "0"], ["volcanoes", "--near", "91,0"], ["events", "--near", "91,0"],
        ["volcanoes", "--near", "1,x,2"], ["events", "--near", "1,x,2"], ["events", "--bbox", "1,2,x,3,4"],
        ["volcanoes", "--near", "1,2", "--radius", "0"], ["events", "--near", "1,2", "--radius", "0"],
        ["events", "--since", "1h", "--until", "2h"], ["authors", "--since", "2026-03-02", "--until", "2026-03-01"],
    ])
    func aWrongValueIsAnsweredWithTheUsageOfItsCommand(arguments: [String]) async throws {
        let outcome = try await Self.run(arguments + ["--database", "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("'visiventd \(arguments[0]) --help'"), "\(outcome.errors)")
    }

    @Test func whatOnlyTheConfigurationCanTellIsSaidWithoutAnyUsage() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        for command in ["poll", "reset"] {
            let outcome = try await Self.run([command, "nwes", "--config", configuration])
            #expect(outcome.status == 64)
            #expect(outcome.errors == "visiventd: no source named 'nwes'; configured are news; did you mean news?\n")
            let other = try await Self.run([command, "xyzzy", "--config", configuration])
            #expect(other.errors == "visiventd: no source named 'xyzzy'; configured are news\n")
        }
    }

    @Test func recommendedCommandsNameTheConfigurationThatWasGiven() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        for option in [["--config", configuration], ["--config=\(configuration)"], ["-c", configuration]] {
            let outcome = try await Self.run(["geocode", "Hilo"] + option)
            #expect(outcome.status == 69)
            #expect(
                outcome.errors.hasSuffix("; seed one with: visiventd seed cities --config \(configuration) FILE\n"),
                "\(outcome.errors)")
        }
    }

    @Test func aCheckWarnsFirstAndHasALineForEachSource() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (configuration, output) = (directory.path + "/v.yaml", directory.path + "/output")
        let text = """
            database: v.sqlite
            contact: you@example.org
            sources:
              - {name: quakes, kind: usgs, refresh_interval: 13h, max_age: 7d}
              - {name: live, kind: twitter, mode: stream, enabled: true, keywords: [quake]}
              - {name: spare, kind: cap, enabled: false}

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        func check(_ options: String...) async throws -> (warnings: [Substring], lines: [String]) {
            #expect(FileManager.default.createFile(atPath: output, contents: nil))
            let outcome = try await Self.run(["check", "--config", configuration] + options, output: output)
            #expect(outcome.status == 0)
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            return (outcome.errors.split(separator: "\n"), lines.map { String($0) })
        }
        let short = try await check()
        #expect(short.warnings.count == 2 && short.warnings.allSatisfy { $0.hasPrefix("warning: ") })
        let missing = "warning: live: no credentials: set bearer_token_file, or api_key_file and api_secret_file"
        #expect(short.warnings.contains { $0 == missing })
        #expect(short.lines.first == "\(configuration): 3 sources (1 disabled), no faults, 2 warnings")
        let table = short.lines.dropFirst(2).map { line in line.split(separator: " ").map { String($0) } }
        try #require(table.count == 8)
        #expect(table[0] == ["SOURCE", "KIND", "EVERY", "KEPT", "FOR", "NEXT", "(UTC)"])
        #expect(Array(table[1].prefix(4)) == ["quakes", "usgs", "13h", "7d"])
        #expect(Array(table[2].prefix(4)) == ["live", "twitter", "stream", "3d"])
        #expect(table[3] == ["spare", "cap", "2h48m", "120d", "disabled"])
        #expect(Array(table[4].prefix(2)) == ["truncation", "1h"])
        #expect(
            short.lines[7]
                == "each source may add at most 200000 rows, 512 MiB a day, 5000000 rows, 8192 MiB in all")
        #expect(short.lines[8] == "live: at most 10000 paid reads a month (monthly_cap)")
        let long = try await check("--hours", "1")
        #expect(long.lines.first == short.lines.first)
        let what = long.lines.dropLast().suffix(4).map { line in
            line.split(separator: " ").dropFirst().joined(separator: " ")
        }
        #expect(what == ["(UTC) WHAT", "poll quakes", "stream live", "truncation"])
    }

    @Test func statusTellsSourcesThatAreGoneFromThoseThatAreDisabled() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let feed = URL(fileURLWithPath: directory.path + "/full.xml")
        let atom = """
            <feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>urn:t</id><updated>\(Date().rfc3339)</updated>
            <entry><id>urn:e</id><title>Etna</title><link href="https://example.org/e"/>
            <updated>\(Date().rfc3339)</updated></entry></feed>
            """
        try Data(atom.utf8).write(to: feed)
        let short = try String(contentsOfFile: configuration, encoding: .utf8)
        let more = """
              - {name: gone, kind: rss, url: "file://\(feed.path)"}
              - {name: hollow, kind: rss, url: "file://\(directory.path)/feed.xml"}
            """
        try Data((short + more).utf8).write(to: URL(fileURLWithPath: configuration))
        for source in ["news", "gone", "hollow"] {
            #expect(try await Self.run(["poll", source, "--config", configuration]).status == 0)
        }
        try Data("no feed".utf8).write(to: feed)
        #expect(try await Self.run(["poll", "gone", "--config", configuration]).status == 75)
        try Data(short.utf8).write(to: URL(fileURLWithPath: configuration))
        let output = directory.path + "/output"
        func status(_ options: String...) async throws -> String {
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            #expect(try await Self.run(["status"] + options, output: output).status == 0)
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        let known = try await status("--config", configuration)
        let row = known.split(separator: "\n").first { $0.hasPrefix("gone ") }
        #expect(row?.hasSuffix("not configured") == true)
        #expect(known.contains("\nnews ") && !known.contains("hollow") && !known.contains("gone: failing"))
        let object = try await status("--config", configuration, "--json")
        #expect(object.contains(#""name":"gone","kind":"rss","configured":false,"enabled":false"#))
        #expect(object.contains(#""name":"news","kind":"rss","configured":true,"enabled":true"#))
        let unknown = try await status("--database", directory.path + "/v.sqlite")
        #expect(unknown.contains("\nhollow ") && unknown.contains("gone: failing"))
        #expect(!unknown.contains("not configured") && !unknown.contains("mapquest") && !unknown.contains("nominatim"))
    }

    @Test func aReloadWithoutADaemonSaysSo() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let outcome = try await Self.run(["reload", "--config", configuration])
        #expect(outcome.status == 69)
        #expect(outcome.errors.hasPrefix("visiventd: no daemon answers at \(directory.path)/v.sqlite.sock, where no "))
    }

    @Test func besideADaemonThatHasAnotherDatabaseNoneIsBegun() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        try FileManager.default.removeItem(atPath: directory.path + "/v.sqlite")
        // A daemon listens at the configured socket, but nobody has the database open.
        let server = try ControlServer(path: directory.path + "/v.sqlite.sock") { _, reply in
            reply(ControlReply(message: "", isLast: true))
        }
        defer { server.stop() }
        let words = "restart it, since an edit of database takes effect then"
        for command in [
            ["poll", "news"], ["reset", "news"], ["truncate"], ["truncate", "--dry-run"], ["status"],
            ["status", "--json"], ["events"], ["events", "--follow"], ["show", "0"], ["authors"], ["volcanoes"],
            ["backup", directory.path + "/copy"], ["decode", "--last-failure", "news"], ["refused", "news"],
            ["seed", "volcanoes", directory.path + "/list"],
        ] {
            let outcome = try await Self.run(command + ["--config", configuration])
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains(words))
        }
        let output = directory.path + "/output"
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        #expect(try await Self.run(["health", "--config", configuration], output: output).status == 2)
        let health = try String(contentsOfFile: output, encoding: .utf8)
        #expect(health.contains("daemon: running, but with another database than ") && health.contains(words))
        #expect(!health.contains("no database"), "\(health)")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/v.sqlite"))
        let meant = directory.path + "/other.sqlite"
        for command in [["poll", "news"], ["events"], ["truncate"]] {
            let outcome = try await Self.run(command + ["--config", configuration, "--database", meant])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func aDatabaseThatWasMovedUnderItsDaemonIsNotTakenForOneStillToCome() async throws {
        let directory = TemporaryDirectory()
        let configuration = try Self.configuration(in: directory)
        let database = directory.path + "/v.sqlite"
        let lock = try DatabaseLock(database: database)
        defer { withExtendedLifetime((directory, lock)) {} }
        try FileManager.default.moveItem(atPath: database, toPath: directory.path + "/moved.sqlite")
        for command in ["events", "status", "backup"] {
            let arguments = command == "backup" ? [command, directory.path + "/copy"] : [command]
            let outcome = try await Self.run(arguments + ["--config", configuration])
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("There is no database at \(database) any more"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("yet; start the daemon"), "\(outcome.errors)")
        }
    }

    @Test func aLastFailureSaysWhetherTheSourceHasRecovered() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let feed = URL(fileURLWithPath: directory.path + "/feed.xml")
        let good = try Data(contentsOf: feed)
        try Data("no feed".utf8).write(to: feed)
        #expect(try await Self.run(["poll", "news", "--config", configuration]).status == 75)
        let failing = try await Self.run(["decode", "--last-failure", "news", "--config", configuration])
        #expect(failing.status == 0)
        #expect(!failing.errors.contains("recovered"))
        try good.write(to: feed)
        #expect(try await Self.run(["poll", "news", "--config", configuration]).status == 0)
        let recovered = try await Self.run(["decode", "--last-failure", "news", "--config", configuration])
        #expect(recovered.errors.contains("news has recovered since; its last success was at "))
        let unknown = try await Self.run(["decode", "--last-failure", "nwes", "--config", configuration])
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("it has news; did you mean news?"))
    }

    @Test func statusAndGeocodeShowTheHomeOfASource() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        #expect(try await Self.run(["poll", "news", "--config", configuration]).status == 0)
        let store = try EventStore(path: directory.path + "/v.sqlite")
        let events = (0..<2).map { number in
            Event(provider: "news.test", id: "\(number)", time: Date(), category: .news, title: "Louisiana votes")
        }
        _ = try store.write([
            .step(PollStep(source: "news", at: Date(), answer: FeedAnswer(events: events), fingerprint: "f1"))
        ])
        let lesson = try store.homeLesson(of: "news", limit: 256)
        try store.learn(lesson, votes: lesson.events.map { _ in ["US": 2, "US.LA": 2] })
        let cities = directory.path + "/cities.txt"
        let city = "1\tAlexandria\tAlexandria\t\t31.3\t-92.4\tP\tPPL\tUS\t\tLA\t\t\t\t47723\t\t\tUTC\t2020-01-01\n"
        try Data(city.utf8).write(to: URL(fileURLWithPath: cities))
        #expect(try await Self.run(["seed", "cities", "--config", configuration, cities]).status == 0)

        let output = directory.path + "/output"
        func shown(_ arguments: [String]) async throws -> String {
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            #expect(try await Self.run(arguments + ["--config", configuration], output: output).status == 0)
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        #expect(try await shown(["status"]).contains("news: at home in US.LA, learned from 2 events\n"))
        #expect(try await shown(["status", "--json"]).contains("\"home\":\"US.LA\""))
        let answer = try await shown(["geocode", "--source", "news", "Alexandria"])
        #expect(answer.hasPrefix("news: at home in US.LA, learned from 2 events\nAlexandria\n"))
        #expect(answer.contains("geonames:1"))
        let title = try await shown(["geocode", "--source", "news", "Police in Alexandria arrest three men"])
        #expect(title.contains("\n  likeliest    geonames:1, probability 0.99\n     +"), "\(title)")
        #expect(
            title.hasSuffix(
                "\n  event        31.3000, -92.4000 (city), geonames:1, "
                    + "by 'Alexandria' (Alexandria, Louisiana, United States), confidence 0.89\n"), "\(title)")
        let coordinate = try #require(Coordinate(latitude: 37.7, longitude: 15))
        _ = try store.seed(
            [PointOfInterest(number: 211_060, name: "Etna", foldedName: "etna", coordinate: coordinate)], at: Date())
        let volcano = try await shown(["geocode", "--source", "news", "--json", "Mount Etna erupts"])
        #expect(volcano.contains("\"precision\":\"point\",\"radius_km\":10,\"place_id\":\"gvp:211060\""), "\(volcano)")
        #expect(try await Self.run(["set", "news", "not_places=[Alexandria]", "--config", configuration]).status == 0)
        let none = try await shown(["geocode", "--source", "news", "Police in Alexandria arrest three men"])
        #expect(none.hasSuffix("\n  event        no place: no place named\n"), "\(none)")
        let unknown = try await Self.run(["geocode", "--source", "nwes", "Alexandria", "--config", configuration])
        #expect(unknown.status == 64)
        #expect(
            unknown.errors == "visiventd: no source named 'nwes'; configured are news; did you mean news?\n")
    }
}
