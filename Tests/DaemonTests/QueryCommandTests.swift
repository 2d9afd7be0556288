import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// Output of the commands that show stored data.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct QueryCommandTests {
    private let directory = TemporaryDirectory()

    private func run(_ arguments: [String]) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    /// A configuration with the one source `news` and its feed file.
    private func configuration() throws -> String {
        let file = directory.path + "/v.yaml"
        let source = "{name: news, kind: rss, url: \"file://\(directory.path)/feed.xml\"}"
        try Data("database: v.sqlite\nsources:\n  - \(source)\n".utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test func aFaultyConfigurationIsNoObstacleWhereTheDatabaseIsNamed() async throws {
        let (file, database) = (directory.path + "/v.yaml", directory.path + "/v.sqlite")
        _ = try EventStore(path: database)
        try Data("sources:\n  - {name: news, kind: cup}\n".utf8).write(to: URL(fileURLWithPath: file))
        let last = "\nvisiventd: with --database PATH this command reads no configuration\n"
        for command in ["status", "events"] {
            let refused = try await run([command, "--config", file])
            #expect(refused.status == 78)
            #expect(refused.errors.hasPrefix("\(file):2:") && refused.errors.hasSuffix(last), "\(refused.errors)")
            let shown = try await run([command, "--config", file, "--database", database])
            #expect(shown.status == 0, "\(shown.errors)")
        }
    }

    @Test func aSourceOfWhichNobodyKnowsIsAnsweredWithThoseThatAreKnown() async throws {
        let (file, database) = (try configuration(), directory.path + "/v.sqlite")
        // The other source is only in the database, since it left the configuration.
        try EventStore(path: database).reconcile(
            [SourceSettings(name: "gone", kind: "rss", url: "https://gone.test/")], at: Date())
        for command in ["events", "authors"] {
            for known in ["news", "gone"] {
                let outcome = try await run([command, "--source", known, "--config", file])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let wrong = [command, "--source", "news", "--source", "nwes"]
            let outcome = try await run(wrong + ["--config", file])
            #expect(outcome.status == 64)
            #expect(outcome.errors == "visiventd: no source named 'nwes'; known are gone, news; did you mean news?\n")
            // Without a configuration only the database counts.
            let alone = try await run(wrong + ["--database", database])
            #expect(alone.status == 64)
            #expect(alone.errors == "visiventd: no source named 'news'; known are gone\n")
        }
    }

    /// Stores earthquakes one second apart.
    private func store(_ count: Int, at place: Coordinate? = nil) throws -> String {
        let database = directory.path + "/v.sqlite"
        let store = try EventStore(path: database)
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        try store.reconcile([SourceSettings(name: "quakes", kind: "usgs", url: "https://u.test/")], at: now)
        let events = (0..<count).map { number in
            Event(
                provider: "usgs", id: "us\(number)", time: now - Double(number), category: .earthquake,
                title: "M 5.0 - Chile", location: place.map { Location($0) })
        }
        _ = try store.write([
            .step(PollStep(source: "quakes", at: now, answer: FeedAnswer(events: events), fingerprint: "f"))
        ])
        return database
    }

    @Test(arguments: ["ndjson", "csv", "geojson"]) func anExportIsWhole(format: String) async throws {
        let database = try store(60)
        let cases: [(limit: [String], count: Int)] = [([], 60), (["--limit", "7"], 7), (["--limit", "0"], 60)]
        for (limit, count) in cases {
            let outcome = try await run(["events", "--format", format, "--database", database] + limit)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            let events = outcome.output.split(separator: "\n").filter { $0.contains("usgs") }
            #expect(events.count == count, "\(limit)")
        }
    }

    @Test func aTableShowsFiftyAndSaysThatThereAreMore() async throws {
        let database = try store(51)
        let first = try await run(["events", "--database", database])
        #expect(first.status == 0)
        #expect(first.output.split(separator: "\n").count == 51, "the headings, too")
        #expect(first.errors == "50 shown, there are more: --limit 0 shows all\n")
        for limit in ["0", "60"] {
            let all = try await run(["events", "--limit", limit, "--database", database])
            #expect(all.output.split(separator: "\n").count == 52 && all.errors.isEmpty, "\(all.errors)")
        }
        let few = try await run(["events", "--since", "2026-02-28T23:59:11Z", "--database", database])
        #expect(few.output.split(separator: "\n").count == 51 && few.errors.isEmpty, "\(few.errors)")
    }

    /// The ids of the shown earthquakes.
    private func quakes(_ options: [String], in database: String) async throws -> [String] {
        let outcome = try await run(["events", "--format", "csv", "--database", database] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").dropFirst().map { String($0.split(separator: ",")[2]) }
    }

    @Test func pagesGoOnFromAnEventInBothDirections() async throws {
        let database = try store(60)
        let ids = try EventStore(path: database, mode: .readOnly).events(EventQuery()).map(\.publicID)
        #expect(try await quakes(["--before", ids[2], "--limit", "2"], in: database) == ["us3", "us4"])
        #expect(try await quakes(["--after", ids[4], "--limit", "2"], in: database) == ["us2", "us3"])
        #expect(try await quakes(["--after", ids[4]], in: database) == ["us0", "us1", "us2", "us3"])
        #expect(try await quakes(["--before", ids[2], "--after", ids[5]], in: database) == ["us3", "us4"])
        // A table shows the fifty events nearest to the key.
        let above = try await run(["events", "--after", ids[55], "--database", database])
        let shown = above.output.split(separator: "\n").dropFirst().map { String($0.prefix(16)) }
        #expect(shown == Array(ids[5..<55]))
        #expect(above.errors.contains("50 shown, there are more"))
        let unknown = try await run(["events", "--before", "0000000000000000", "--database", database])
        #expect(unknown.status == 69)
        #expect(unknown.errors == "visiventd: there is no event '0000000000000000'\n")
    }

    @Test(arguments: [
        ("Chile OR Peru", "OR", 0), ("M AND Chile", "AND", 0),
        ("Chile NOT M", "NOT", 0), ("chi*le", "chi*le", 0),
        ("*hile", "*hile", 0), ("Chile -M", "-M", 2),
    ]) func whatReadsLikeAnOperatorIsTakenAsAWordAndToldOnce(text: String, word: String, count: Int) async throws {
        let database = try store(2)
        for command in ["events", "authors"] {
            let outcome = try await run([command, "--text", text, "--format", "csv", "--database", database])
            #expect(outcome.status == 0)
            let words = "'\(word)' is a word like the others, and all must occur"
            #expect(outcome.errors == "--text has no operators but * at the end of a word: \(words)\n")
            guard command == "events" else { continue }
            #expect(outcome.output.split(separator: "\n").count == 1 + count, "the head, too: \(outcome.output)")
        }
    }

    @Test(arguments: ["chil*", "Chile - M", "M * 5.0", "or", "M-5"])
    func plainWordsAreNotRemarkedOn(text: String) async throws {
        let database = try store(1)
        let outcome = try await run(["events", "--text", text, "--format", "csv", "--database", database])
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func aCountryIsThatOfPlacesFoundByName() async throws {
        let database = try store(3)
        let opened = try EventStore(path: database)
        let place = try #require(Coordinate(latitude: 35, longitude: 135.75))
        let outcomes = try zip(opened.unlocated(limit: 2, generation: "g"), ["JP", "KR"]).map { event, country in
            let location = Location(place, method: .gazetteer, precision: .city, evidence: .title, country: country)
            return (event: event, outcome: LocalOutcome.located(location))
        }
        _ = try opened.apply(outcomes, generation: "g", at: Date())
        #expect(try await quakes(["--country", "jp"], in: database).count == 1)
        #expect(try await quakes(["--country", "JP", "--country", "kr"], in: database).count == 2)
        #expect(try await quakes(["--country", "FR"], in: database).isEmpty)
        var query = EventQuery()
        query.countries = ["JP"]
        let event = try #require(try opened.events(query).first)
        let shown = try await run(["show", event.publicID, "--database", database])
        #expect(shown.output.contains("\nWhere      35, 135.75 (city, JP)\n"), "\(shown.output)")
        let authors = try await run(["authors", "--country", "JP", "--database", database])
        #expect(authors.status == 0, "\(authors.errors)")
    }

    @Test func betweenTwoEventsOfWhichTheLowerIsNewerNothingLies() async throws {
        let database = try store(3)
        let ids = try EventStore(path: database, mode: .readOnly).events(EventQuery()).map(\.publicID)
        for (before, after) in [(ids[2], ids[0]), (ids[1], ids[1])] {
            let outcome = try await run(["events", "--before", before, "--after", after, "--database", database])
            #expect(outcome.status == 64)
            #expect(outcome.errors == "visiventd: nothing lies between --before \(before) and --after \(after)\n")
        }
    }

    @Test func whereTheEventOfAnIdHasGoneIsTold() async throws {
        let database = try store(6)
        let store = try EventStore(path: database)
        let events = try store.events(EventQuery())
        var kept = events[2].event
        kept.aliases = ["us4"]
        let time = Date(timeIntervalSince1970: 1_772_323_260)
        _ = try store.write([
            .step(PollStep(source: "quakes", at: time, answer: FeedAnswer(events: [kept]), fingerprint: "f"))
        ])
        // The id of a merged event refers to the event it was merged into.
        let merged = events[4].publicID
        #expect(try await quakes(["--before", merged], in: database) == ["us3", "us5"])
        #expect(try await quakes(["--after", merged], in: database) == ["us0", "us1"])
        _ = try store.reset(source: "quakes", includingEvents: true, at: time)
        let gone = events[0].publicID
        for command in [["events", "--before"], ["events", "--after"], ["volcanoes", "--event"]] {
            let outcome = try await run(command + [gone, "--database", database])
            #expect(outcome.status == 69)
            let words = "visiventd: event '\(gone)' was truncated at "
            #expect(outcome.errors.hasPrefix(words), "\(outcome.errors)")
        }
    }

    @Test func timesAreTakenInAllTheirForms() async throws {
        let database = try store(5)
        // 2026-03-01T00:00:00Z in the form of the database.
        #expect(try await quakes(["--since", "1772323199000"], in: database) == ["us0", "us1"])
        #expect(try await quakes(["--until", "1772323197000"], in: database) == ["us3", "us4"])
        #expect(try await quakes(["--changed-since", "1772323200001"], in: database).isEmpty)
        for time in ["now", "today", "yesterday", "2w", "1.5h"] {
            _ = try await quakes(["--since", time], in: database)
        }
    }

    @Test func aBoxOf360DegreesIsAllTheWayRound() async throws {
        let database = try store(2, at: Coordinate(latitude: -33, longitude: -70))
        for box in ["-180,-90,180,90", "0,-90,360,90", "-10,-90,370,90", "-200,-90,200,90"] {
            #expect(try await quakes(["--bbox", box], in: database) == ["us0", "us1"], "\(box)")
        }
    }

    @Test(arguments: ["-33,-70", "-33,290"]) func longitudesAreCountedFrom180OrFrom0(centre: String) async throws {
        let database = try store(2, at: Coordinate(latitude: -33, longitude: -70))
        #expect(try await quakes(["--near", centre, "--radius", "1"], in: database) == ["us0", "us1"])
    }

    @Test func aColumnIsAsWideAsATerminalShowsIt() async throws {
        let file = try configuration()
        let now = Date().rfc3339
        let entries = ["山田太郎", "Ann"].map { author in
            """
            <entry><id>urn:\(author.utf8.count)</id><title>Etna</title><author><name>\(author)</name></author>
            <link href="https://example.org/\(author.utf8.count)"/><updated>\(now)</updated></entry>
            """
        }
        let head = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>urn:t</id><updated>\(now)</updated>"
        try Data((head + entries.joined() + "</feed>").utf8)
            .write(to: URL(fileURLWithPath: directory.path + "/feed.xml"))
        #expect(try await run(["poll", "news", "--config", file]).status == 0)
        let table = try await run(["authors", "--config", file]).output
        // Four wide characters take eight columns; the last column, LINK, is empty.
        #expect(table.contains("  山田太郎  \n"), "\(table)")
        #expect(table.contains("  Ann       \n"), "\(table)")
    }

    /// A database with an event and a volcano at whole seconds.
    private func stored() throws -> String {
        let database = directory.path + "/events.sqlite"
        let store = try EventStore(path: database)
        let time = Date(timeIntervalSince1970: 1_772_323_200)
        try store.reconcile([SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")], at: time)
        let place = try #require(Coordinate(latitude: -20, longitude: -70.5))
        let event = Event(
            provider: "usgs", id: "us1", time: time, updated: time, category: .earthquake, title: "Quake",
            author: Author(name: "Ann"), magnitude: 5, location: Location(place))
        _ = try store.write([
            .begin(PollBeginning(source: "quakes", at: time, nextDue: time + 3600, fingerprint: "f1")),
            .step(PollStep(source: "quakes", at: time, answer: FeedAnswer(events: [event]), fingerprint: "f1")),
        ])
        let volcano = PointOfInterest(number: 211_060, name: "Etna", foldedName: "etna", coordinate: place)
        _ = try store.seed([volcano], at: time)
        return database
    }

    @Test(arguments: [
        "events --format ndjson", "events --format geojson", "events --format geojsonseq", "events --format csv",
        "authors --format ndjson", "authors --format csv", "volcanoes --format json", "volcanoes --format ndjson",
        "volcanoes --format geojson", "volcanoes --format csv", "status --json",
    ]) func allTimesForProgramsHaveMilliseconds(command: String) async throws {
        let outcome = try await run(command.split(separator: " ").map { String($0) } + ["--database", try stored()])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("2026-03-01T00:00:00.000Z"), "\(outcome.output)")
        #expect(!outcome.output.contains(":00Z"), "\(outcome.output)")
    }

    @Test func eventsNameTheirSources() async throws {
        let database = try stored()
        let object = try await run(["events", "--format", "ndjson", "--database", database]).output
        #expect(object.contains(#","sources":["quakes"],"#), "\(object)")
        let record = try await run(["events", "--format", "csv", "--database", database]).output
        #expect(record.contains(",quakes,feed,"), "\(record)")
        // Numbers have the same form.
        #expect(object.contains(#","magnitude":5,"#) && record.contains(",Quake,5,,-20,-70.5,"), "\(record)")
    }

    @Test func aSequenceOfFeaturesIsOneOfRecords() async throws {
        let options = ["events", "--format", "geojsonseq", "--database", try stored()]
        let output = try await run(options).output
        #expect(output.hasPrefix("\u{1E}{") && output.hasSuffix("}\n"), "\(output)")
        let feature = try JSONSerialization.jsonObject(with: Data(output.dropFirst().utf8)) as? [String: Any]
        #expect(feature?["type"] as? String == "Feature")
        // The format allows --follow: only the cursor is refused.
        let followed = try await run(options + ["--follow", "--after", "99"])
        #expect(followed.status == 69, "\(followed.errors)")
    }

    @Test func volcanoesAreFeaturesAndRecords() async throws {
        let database = try stored()
        let text = try await run(["volcanoes", "--format", "geojson", "--database", database]).output
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let feature = try #require((document?["features"] as? [[String: Any]])?.first)
        #expect(text.contains(#""geometry":{"type":"Point","coordinates":[-70.5,-20.0]}"#), "\(text)")
        #expect((feature["properties"] as? [String: Any])?["name"] as? String == "Etna")
        let table = try await run(["volcanoes", "--format", "csv", "--database", database]).output
        let columns = table.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).count
        }
        #expect(columns == [12, 12], "\(table)")
        #expect(table.contains(",-20,-70.5,"), "\(table)")
    }
}
