import Foundation
import Gazetteer
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// The output of `show` for one event.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ShowCommandTests {
    private let directory = TemporaryDirectory()
    /// 2026-03-01T00:00:00Z.
    private let start = Date(timeIntervalSince1970: 1_772_323_200)
    private var database: String { directory.path + "/v.sqlite" }

    private func show(_ arguments: String...) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable?.path)
        return try await MeasuredRun.of([program, "show", "--database", database] + arguments)
    }

    private func emptyStore() throws -> EventStore {
        let store = try EventStore(path: database)
        let names = ["quakes", "more"]
        try store.reconcile(
            names.map { SourceSettings(name: $0, kind: "usgs", url: "https://u.test/\($0)") }, at: start)
        return store
    }

    private func write(
        _ events: [Event], withdrawals: [Withdrawal] = [], from source: String = "quakes", after seconds: Double = 0,
        to store: EventStore
    ) throws {
        let answer = FeedAnswer(events: events, withdrawals: withdrawals)
        _ = try store.write([
            .step(PollStep(source: source, at: start + seconds, answer: answer, fingerprint: "f"))
        ])
    }

    private func quake(_ id: String, aliases: [String] = [], magnitude: Double = 5, title: String = "Chile") -> Event {
        Event(
            provider: "usgs", id: id, aliases: aliases, time: start - 7200, category: .earthquake, title: title,
            magnitude: magnitude, depth: 10, location: Coordinate(latitude: -20, longitude: -70).map { Location($0) },
            geometry: #"{"type":"Polygon","coordinates":[[[-71,-21],[-69,-21],[-69,-19],[-71,-21]]]}"#)
    }

    private func publicID(_ name: String, _ store: EventStore) throws -> String {
        try #require(try store.events(EventQuery()).first { $0.event.id == name }).publicID
    }

    @Test func anEventIsShownWithWhatChanged() async throws {
        let store = try emptyStore()
        try write([quake("us1", aliases: ["ci1"])], to: store)
        try write(
            [quake("us1", aliases: ["ci1"], magnitude: 5.4, title: "Off Chile")], from: "more", after: 60, to: store)
        let run = try await show(publicID("us1", store))
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map { String($0) }
        #expect(lines.first == "Off Chile")
        for line in [
            "Provider   usgs us1, also ci1", "Category   earthquake", "Magnitude  5.4", "Depth      10 km",
            "Where      -20, -70 (point)", "Known by   the feed's coordinates",
            "           box -71.000,-21.000,-69.000,-19.000",
        ] { #expect(lines.contains(line), "\(line) in \(lines)") }
        for beginning in [
            "Shape      polygon with 3 points, about 23", "Sources    quakes, first at 2026-03-01T00:00:00",
            "           more, first at 2026-03-01T00:01:00", "History    1: 2026-03-01T00:00:00",
        ] { #expect(lines.contains { $0.hasPrefix(beginning) }, "\(beginning) in \(lines)") }
        #expect(lines.last?.hasPrefix("           2: 2026-03-01T00:01:00") == true)
        #expect(lines.last?.hasSuffix(", more: magnitude 5 → 5.4; title Chile → \"Off Chile\"") == true, "\(lines)")
    }

    @Test func theNearestCitiesAndThePeopleAroundAreShown() async throws {
        let store = try emptyStore()
        try write([quake("us1"), quake("us2", magnitude: 4)], to: store)
        let (strong, weak) = (try publicID("us1", store), try publicID("us2", store))
        let before = try await show(strong)
        #expect(!before.output.contains("Nearby") && before.errors.isEmpty, "\(before.errors)")
        let builder = try CityTableBuilder(path: directory.path + "/cities.sqlite", at: start)
        let place = try #require(
            Coordinate(latitude: -20, longitude: -70)?.moved(kilometres: 34, bearing: 45))
        try builder.add(CityRecord(id: 1, name: "Pica", country: "CL", population: 6000, coordinate: place))
        _ = try builder.finish()
        let words = "at least 6,000 people within 50 km and 6,000 within 100 km, in the cities of the seeded table"
        let output = try await show(strong).output
        #expect(output.contains("\nNearby     34 km SW of Pica, Chile\nPeople     \(words)\n"), "\(output)")
        let other = try await show(weak).output
        #expect(other.contains("\nNearby     34 km SW") && !other.contains("\nPeople"), "\(other)")
        let json = try await show("--json", strong).output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect((object?["exposure"] as? [String: Any])?["within_50_km"] as? Int == 6000, "\(json)")
        #expect((object?["nearest_cities"] as? [Any])?.count == 1 && object?["history"] != nil, "\(json)")
        try Data("no table".utf8).write(to: URL(fileURLWithPath: directory.path + "/cities.sqlite"))
        let broken = try await show(strong)
        #expect(broken.status == 0 && broken.output.contains("\nMagnitude  5\n"))
        #expect(broken.errors.contains("cities.sqlite"), "\(broken.errors)")
    }

    /// Numbers like those of the Hawaiian network.
    @Test func numbersThatAre32BitFloatsAreRoundedForPeopleAlone() async throws {
        let store = try emptyStore()
        var event = quake("hv1", magnitude: 1.92999995)
        event.depth = 31.1800003051758
        event.location = Coordinate(latitude: 19.2455005645752, longitude: -155.397506713867).map { Location($0) }
        try write([event], to: store)
        event.magnitude = 1.87
        try write([event], after: 60, to: store)
        event.magnitude = 1.92999995
        try write([event], after: 120, to: store)
        let id = try publicID("hv1", store)
        let output = try await show(id).output
        for words in [
            "\nMagnitude  1.93\n", "\nDepth      31.18 km\n", "\nWhere      19.2455, -155.3975 (point)\n",
            "magnitude 1.93 → 1.87\n", "magnitude 1.87 → 1.93\n",
        ] { #expect(output.contains(words), "\(words) in \(output)") }
        let json = try await show("--json", id).output
        for number in ["1.92999995", "31.1800003051758", "19.2455005645752", "-155.397506713867"] {
            #expect(json.contains(number), "\(number) in \(json)")
        }
    }

    @Test func theNameOfAPlaceStandsBesideTheWordsThatLedToIt() async throws {
        let store = try emptyStore()
        var event = quake("us1")
        event.location = Coordinate(latitude: 46.4, longitude: 125.32).map {
            Location(
                $0, method: .gazetteer, precision: .city, confidence: 0.56, matchedText: "Ändå",
                name: "Anda, Heilongjiang, China", evidence: .title, placeID: "geonames:2038650", country: "CN")
        }
        try write([event], to: store)
        let output = try await show(publicID("us1", store)).output
        let line =
            "Known by   the city table, \"Ändå\" (Anda, Heilongjiang, China), in the title, confidence 0.56, "
            + "geonames:2038650"
        #expect(output.split(separator: "\n").contains { $0 == line }, "\(output)")
    }

    @Test func aWithdrawalIsShownWithItsEvidence() async throws {
        let store = try emptyStore()
        try write([quake("us1")], to: store)
        let id = try publicID("us1", store)
        let withdrawal = Withdrawal(
            provider: "usgs", id: "us1", reason: .cancelled, time: start, evidence: "Cancel us1")
        try write([], withdrawals: [withdrawal], after: 60, to: store)
        let output = try await show(id).output
        #expect(output.contains("\nWithdrawn  cancelled at 2026-03-01T00:00:00"), "\(output)")
        #expect(output.contains(": Cancel us1\n"), "\(output)")
        #expect(output.contains("withdrawn none → cancelled; "), "\(output)")
    }

    @Test func anIdThatWasMergedAwayLeadsToTheOtherEvent() async throws {
        let store = try emptyStore()
        try write([quake("us1")], to: store)
        try write([quake("ci1")], from: "more", after: 60, to: store)
        let (older, younger) = (try publicID("us1", store), try publicID("ci1", store))
        try write([quake("us1", aliases: ["ci1"])], after: 120, to: store)
        let output = try await show(younger).output
        #expect(output.contains("\nId         \(older)\n"), "\(output)")
        #expect(output.contains("\nMerged     \(younger) was the same event, and leads here\n"), "\(output)")
        let json = try await show("--json", younger).output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["public_id"] as? String == older)
        #expect(object?["merged_public_ids"] as? [String] == [younger])
        #expect((object?["sightings"] as? [Any])?.count == 2)
        #expect((object?["history"] as? [Any])?.count == 1)
    }

    @Test func anIdThatLeadsNowhereSaysWhatIsKnownOfIt() async throws {
        let store = try emptyStore()
        try write([quake("us1")], to: store)
        let id = try publicID("us1", store)
        _ = try store.reset(source: "quakes", includingEvents: true, at: start)
        let gone = try await show(id)
        #expect(gone.status == 69)
        #expect(gone.output.isEmpty)
        #expect(gone.errors.hasPrefix("visiventd: event '\(id)' was truncated at "), "\(gone.errors)")
        let unknown = try await show("--json", "0123456789abcdef")
        #expect(unknown.status == 69)
        #expect(unknown.errors == "visiventd: there is no event '0123456789abcdef'\n")
        let upstream = try await show("us1")
        #expect(upstream.status == 69)
        #expect(upstream.errors.contains("no event 'us1'; a public id has 16 characters"), "\(upstream.errors)")
    }

    @Test func nothingOfAFeedReachesTheTerminalThatItMightObey() async throws {
        let store = try emptyStore()
        let hostile = "\u{1B}[2J\u{202E}"
        var event = quake("us1", title: hostile)
        event.summary = "one\ntwo" + hostile
        event.author = Author(name: hostile, link: "https://a.test/" + hostile)
        try write([event], to: store)
        event.summary = "other"
        try write([event], after: 60, to: store)
        for arguments in [[], ["--json"]] {
            let program = try #require(DaemonProcess.executable?.path)
            let command = [program, "show", "--database", database, try publicID("us1", store)]
            let output = try await MeasuredRun.of(command + arguments).output
            #expect(!output.isEmpty)
            #expect(!output.unicodeScalars.contains { $0 != "\n" && $0.isUnsafeToShow }, "\(output)")
        }
    }
}
