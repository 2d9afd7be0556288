import Foundation
import Gazetteer
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// `events` with `--as-of`, `--revised`, `--columns` and `--near` with a name; `volcanoes` with parts of names.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct PastCommandTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/v.sqlite" }
    /// 2026-03-01T00:00:00Z.
    private let start = Date(timeIntervalSince1970: 1_772_323_200)

    private func run(_ arguments: String...) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable?.path)
        return try await MeasuredRun.of([program, arguments[0], "--database", database] + arguments.dropFirst())
    }

    private func quake(
        _ id: String, _ magnitude: Double, at place: (Double, Double), time: TimeInterval = 0, title: String = "Quake"
    ) -> Event {
        Event(
            provider: "usgs", id: id, time: start - 3600 + time, category: .earthquake, title: title,
            magnitude: magnitude, location: Coordinate(latitude: place.0, longitude: place.1).map { Location($0) },
            details: #"{"magType":"mww","magError":0.05}"#)
    }

    /// Two earthquakes near La Paz and one near Kilauea, of which the first is revised after a minute and after two.
    private func stored() throws -> EventStore {
        let store = try EventStore(path: database)
        try store.reconcile([SourceSettings(name: "quakes", kind: "usgs", url: "https://u.test/")], at: start)
        let others = [quake("us2", 4, at: (-16.6, -68.1)), quake("us3", 5, at: (19.5, -155.3))]
        for (seconds, first) in [
            (0.0, quake("us1", 2.9, at: (-16.5, -68.2))), (60, quake("us1", 3.2, at: (-16.5, -68.2), time: 0.25)),
            (120, quake("us1", 3.2, at: (-16.5, -68.2), time: 0.5, title: "Quake of La Paz")),
        ] {
            let answer = FeedAnswer(events: [first] + others)
            _ = try store.write([
                .step(PollStep(source: "quakes", at: start + seconds, answer: answer, fingerprint: "f"))
            ])
        }
        let volcanoes = [("Kilauea", "United States", 19.421, -155.287), ("Popocatépetl", "Mexico", 19.023, -98.622)]
        _ = try store.seed(
            volcanoes.map { name, country, latitude, longitude in
                PointOfInterest(
                    name: name, foldedName: NameFolding.folded(name),
                    coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)), country: country)
            }, at: start)
        return store
    }

    /// A city table beside the database.
    private func seedCities() throws {
        let builder = try CityTableBuilder(path: directory.path + "/cities.sqlite", at: start)
        for (id, country, population, latitude, longitude) in [
            (1, "BO", 812_799, -16.5, -68.15), (2, "MX", 250_141, 24.142, -110.313),
        ] {
            let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
            try builder.add(
                CityRecord(
                    id: Int64(id), name: "La Paz", country: country, population: Int64(population),
                    coordinate: coordinate))
        }
        _ = try builder.finish()
    }

    // MARK: - As known then

    @Test func eventsComeAsTheyWereKnown() async throws {
        _ = try stored()
        let csv = ["--format", "csv", "--columns", "upstream_id,magnitude,revision"]
        for (time, first) in [
            ("2026-03-01T00:00:30Z", "us1,2.9,1,true"), ("2026-03-01T00:01:00Z", "us1,3.2,2,true"),
            ("2026-03-01T00:05:00Z", "us1,3.2,3,true"),
        ] {
            let then = try await run("events", "--as-of", time, csv[0], csv[1], csv[2], csv[3])
            #expect(then.status == 0 && then.errors.isEmpty, "\(then.errors)")
            let lines = then.output.split(separator: "\n").map { String($0) }
            #expect(lines.first == "upstream_id,magnitude,revision,exact")
            #expect(lines.contains(first) && lines.count == 4, "\(lines)")
        }
        // Conditions apply to what was known.
        let small = try await run(
            "events", "--as-of", "2026-03-01T00:00:30Z", "--maximum-magnitude", "3", "--format", "ndjson")
        #expect(
            small.output.contains(#""magnitude":2.9,"#) && small.output.contains(#""exact":true}"#), "\(small.output)")
        let none = try await run("events", "--as-of", "2026-03-01T00:05:00Z", "--maximum-magnitude", "3")
        #expect(none.output.isEmpty && none.errors == "no events match\n")
        let sorted = try await run(
            "events", "--as-of", "2026-03-01T00:00:30Z", "--sort", "magnitude", "--limit", "1", "--format", "csv")
        #expect(sorted.output.contains(",us3,"), "\(sorted.output)")
    }

    @Test func aRecordThatBeganLaterIsNotComplete() async throws {
        _ = try stored()
        let before = try await run("events", "--as-of", "2026-02-01T00:00:00Z")
        #expect(before.status == 0)
        #expect(
            before.errors.hasPrefix(
                "the record of 2026-02-01T00:00:00Z is not complete: it is complete for quakes since "),
            "\(before.errors)")
    }

    // MARK: - Revisions

    @Test func revisionsHaveOldAndNewValues() async throws {
        _ = try stored()
        let table = try await run("events", "--revised", "--since", "2026-03-01T00:00:00Z")
        #expect(table.status == 0 && table.errors.isEmpty, "\(table.errors)")
        let lines = table.output.split(separator: "\n").map { String($0) }
        #expect(lines.first?.hasPrefix("STORED (UTC)") == true)
        #expect(lines.contains { $0.hasPrefix("2026-03-01T00:01:00Z") && $0.hasSuffix("magnitude: 2.9 → 3.2") })
        #expect(lines.contains { $0.hasSuffix("title: Quake → \"Quake of La Paz\"") }, "\(lines)")
        // Of times within one second the milliseconds are shown.
        let times = "time: 2026-02-28T23:00:00.000Z → 2026-02-28T23:00:00.250Z"
        #expect(lines.contains { $0.hasSuffix(times) }, "\(lines)")
        #expect(lines.dropFirst().first?.hasPrefix("2026-03-01T00:02:00Z") == true, "the latest first: \(lines)")
        let later = try await run("events", "--revised", "--since", "2026-03-01T00:01:30Z")
        #expect(!later.output.contains("2.9"), "\(later.output)")
        let none = try await run("events", "--revised", "--since", "2026-03-02")
        #expect(none.status == 0 && none.errors == "no revisions match\n", "\(none.errors)")
    }

    @Test func revisionsAreForProgramsToo() async throws {
        let store = try stored()
        let id = try #require(try store.events(EventQuery()).first { $0.event.id == "us1" }).publicID
        let json = try await run("events", "--revised", "--format", "ndjson", "--limit", "0")
        let objects = try json.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["revision"] as? Int } == [3, 2])
        #expect(objects.allSatisfy { $0["public_id"] as? String == id && $0["source"] as? String == "quakes" })
        let magnitude = (objects.last?["changes"] as? [String: [String: Any]])?["magnitude"]
        #expect(magnitude?["from"] as? Double == 2.9 && magnitude?["to"] as? Double == 3.2)
        let csv = try await run("events", "--revised", "--format", "csv", "--limit", "1")
        #expect(csv.output.hasPrefix("public_id,category,title,revision,at,source,field,from,to\n"))
        let record = "\(id),earthquake,Quake of La Paz,3,2026-03-01T00:02:00.000Z,quakes,title,Quake,Quake of La Paz\n"
        #expect(csv.output.contains(record), "\(csv.output)")
        let file = directory.path + "/revisions.csv"
        #expect(try await run("events", "--revised", "--format", "csv", "--output", file).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains(record))
    }

    // MARK: - Names of places

    @Test func aVolcanoIsAPlaceWithoutACityTable() async throws {
        _ = try stored()
        let near = try await run("events", "--near", "Kilauea", "--radius", "50")
        #expect(near.status == 0)
        #expect(near.errors == "near Kilauea volcano, United States (19.421, -155.287)\n")
        let lines = near.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("   KM  WHERE"), "\(near.output)")
        #expect(lines.last?.contains("  8.9  ") == true, "\(near.output)")
        let csv = try await run("events", "--near", "kilauea", "--format", "csv")
        #expect(csv.output.split(separator: "\n").first?.hasSuffix(",first_seen,distance_km") == true)
        #expect(csv.output.contains(",mww,0.05,2026-03-01T00:00:00.000Z,8.8"), "\(csv.output)")
        let pair = try await run("events", "--near", "19.421,-155.287", "--format", "ndjson")
        #expect(pair.errors.isEmpty && pair.output.contains(#""distance_km":8."#), "\(pair.output)")
        let none = try await run("events", "--near", "La Paz")
        #expect(none.status == 64 && none.output.isEmpty)
        #expect(none.errors.contains("no volcano named 'La Paz' is known, and there is no city table; seed one with: "))
    }

    @Test func anAmbiguousNameIsListed() async throws {
        _ = try stored()
        try seedCities()
        for command in ["events", "authors", "volcanoes"] {
            let several = try await run(command, "--near", "La Paz", "--radius", "50")
            #expect(several.status == 64 && several.output.isEmpty)
            let lines = several.errors.split(separator: "\n").map { String($0) }
            #expect(
                lines.first?.hasPrefix("visiventd: 'La Paz' is the name of 2 places; write one") == true, "\(lines)")
            #expect(lines.dropFirst() == ["  La Paz, Bolivia (-16.5, -68.15)", "  La Paz, Mexico (24.142, -110.313)"])
        }
        let one = try await run("events", "--near", "La Paz, Bolivia", "--radius", "50", "--format", "csv")
        #expect(one.status == 0 && one.errors == "near La Paz, Bolivia (-16.5, -68.15)\n", "\(one.errors)")
        #expect(one.output.split(separator: "\n").count == 3, "\(one.output)")
        let unknown = try await run("events", "--near", "Atlantis")
        #expect(unknown.status == 64 && unknown.errors == "visiventd: no volcano or city named 'Atlantis' is known\n")
    }

    @Test func aVolcanoIsFoundByAPartOfItsName() async throws {
        _ = try stored()
        for part in ["Popocat", "catépetl", "popo*"] {
            let found = try await run("volcanoes", part)
            #expect(found.output.contains("Popocatépetl") && !found.output.contains("Kilauea"), "\(found.output)")
        }
        #expect(try await run("volcanoes", "etna").errors == "no volcanoes match\n")
    }

    // MARK: - Columns

    @Test func aColumnThatIsNoneIsAnsweredWithThoseThatAre() async throws {
        for name in ["magtype", "title,colour", "title,"] {
            let outcome = try await run("events", "--format", "csv", "--columns", name)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--columns takes public_id, revision, first_seen, "), "\(outcome.errors)")
        }
        for (name, words) in [("location_missing", "visiventd show ID"), ("distance_km", "--near")] {
            let outcome = try await run("events", "--format", "csv", "--columns", "title,\(name)")
            #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome.errors)")
        }
        let table = try await run("events", "--columns", "title")
        #expect(table.status == 64 && table.errors.contains("--columns does nothing with --format table"))
    }

    @Test(arguments: [
        (["--as-of", "2999-01-01"], "--as-of 2999-01-01 is still to come"),
        (["--as-of", "then"], "--as-of takes a date such as 2026-03-01"),
        (["--as-of", "1h", "--sort", "magnitude", "--limit", "0"], "--as-of with --sort magnitude takes --limit 1 to"),
        (["--as-of", "1h", "--sort", "magnitude", "--format", "csv"], "are held in memory; found none"),
        (["--as-of", "1h", "--after", "7r3k0mz2v9q4w8xd", "--limit", "10001"], "takes --limit 1 to 10000, since"),
        (["--as-of", "1h", "--follow"], "--as-of and --follow exclude each other"),
        (["--revised", "--follow"], "--revised and --follow exclude each other"),
        (["--revised", "--as-of", "1h"], "--revised and --as-of exclude each other"),
        (["--revised", "--sort", "magnitude"], "--revised and --sort exclude each other"),
        (["--revised", "--format", "geojson"], "--revised takes --format table, ndjson or csv, found geojson"),
        (["--revised", "--limit", "-1"], "--limit takes 0 or more, found -1"),
    ]) func whatDoesNotGoTogetherIsRefused(arguments: [String], words: String) async throws {
        let program = try #require(DaemonProcess.executable?.path)
        let outcome = try await MeasuredRun.of([program, "events", "--database", "/nonexistent"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
