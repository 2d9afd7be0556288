import Fetching
import Foundation
import Gazetteer
import Geocoding
import Logging
import Model
import Operations
import ProcessSupport
import Reading
import Simulation
import Store
import TestSupport
import Testing

@testable import Daemon

/// The locator with a real table, store and scheduler, under a test clock and a scripted service.
@Suite(.timeLimit(.minutes(60))) struct LocatorTests {
    private static let key = "k3y-of-nobody"

    /// A locator at work over a fresh store with one source, `news`.
    private final class Scene: Sendable {
        let directory: TemporaryDirectory
        let tablePath: String
        let clock = ManualClock()
        let lines = Facts<String>()
        let requests = Facts<FetchRequest>()
        let store: EventStore
        let locator: Locator

        /// - Parameters:
        ///   - directory: The directory of an earlier locator; by default a fresh one.
        ///   - tables: The folder of the city table in it, which may be missing.
        ///   - hasService: Whether MapQuest can be asked; otherwise it is not configured.
        ///   - unreadable: Further configured services, whose keys cannot be read.
        init(
            _ source: SourceSettings = Scene.news, in directory: TemporaryDirectory = TemporaryDirectory(),
            tables: String = "", hasService: Bool = true, unreadable: [GeocodeProvider] = [], gap: Duration = .zero,
            connecting: Duration = .zero, reply: @escaping @Sendable (String) -> Data
        ) throws {
            self.directory = directory
            tablePath = directory.path + tables + "/cities.sqlite"
            let store = try EventStore(path: directory.path + "/events.sqlite")
            self.store = store
            try store.reconcile([source], at: clock.now.wall)
            let (requests, clock) = (requests, clock)
            let network: Network = { request throws(Failure) in
                requests.append(request)
                if connecting > .zero { clock.advance(connecting) }
                request.whenSent?()
                return .body(FetchedBody(data: reply(request.url), url: request.url))
            }
            let (log, watch) = (lines, clock)
            let handler = LineLogHandler(
                format: .logfmt, level: LogLevel(.trace), now: { watch.now.wall }, output: { log.append($0) })
            let service = Locator.Service(
                plan: ProviderPlan(provider: .mapquest, gap: gap),
                geocoder: .mapquest(MapQuest(url: "https://geo.test/address", key: Secret(LocatorTests.key))))
            var services: [(GeocodeProvider, Result<Locator.Service, Failure>)] = []
            if hasService { services.append((.mapquest, .success(service))) }
            for provider in unreadable {
                services.append((provider, .failure(Failure(.operator, .secret, "the key cannot be read"))))
            }
            locator = try Locator(
                store: store, writer: StoreWriter(store: store) { _ in },
                table: CityTableHandle(path: tablePath, time: watch.time),
                services: ConfiguredServices(services), sources: [source], network: network, time: watch.time, seed: 1,
                logger: Logger(label: "test") { _ in handler })
        }

        /// The table, opened anew.
        var table: CityTableHandle { CityTableHandle(path: tablePath, time: clock.time) }

        static let news = SourceSettings(name: "news", kind: "rss", url: "https://news.test/feed.xml")

        /// Stores events as a poll does.
        func poll(_ events: Event...) throws {
            _ = try store.write([
                .step(
                    PollStep(
                        source: "news", at: clock.now.wall, answer: FeedAnswer(events: events), fingerprint: "f1"))
            ])
            locator.look()
        }

        func event(_ id: String) throws -> StoredEvent {
            try #require(try store.events(EventQuery()).first { $0.event.id == id })
        }

        /// Seeds a table of two towns.
        func seed() throws {
            let builder = try CityTableBuilder(path: tablePath, at: clock.now.wall)
            for (id, name, country, latitude, longitude) in [
                (1, "Mosul", "IQ", 36.335, 43.11889), (2, "Catania", "IT", 37.49223, 15.07041),
            ] {
                let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
                try builder.add(
                    CityRecord(
                        id: Int64(id), name: name, country: country, population: 700_000, coordinate: coordinate))
            }
            _ = try builder.finish()
        }

        /// Seeds a table of two towns of one name, in two states of the USA.
        func seedHomonyms() throws {
            func city(_ id: Int, _ position: String, _ state: String, _ people: Int) -> String {
                "\(id)\tSpringfield\tSpringfield\t\t\(position)\tP\tPPL\tUS\t\t\(state)\t\t\t\t\(people)\t\t\tUTC\t2020-01-01"
            }
            let files = [
                ("cities.txt", city(1, "37.22\t-93.3", "MO", 166_810) + "\n" + city(2, "39.8\t-89.64", "IL", 116_250)),
                ("admin1.txt", "US.IL\tIllinois\tIllinois\t4896861\nUS.MO\tMissouri\tMissouri\t4398678"),
            ]
            let inputs = try files.map { name, text in
                let path = directory.path + "/" + name
                try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
                return SeedInput(name: name, stream: try ByteStream(path: path))
            }
            _ = try Seeder(inputs, into: tablePath).run(at: clock.now.wall) { _ in }
        }

        func wait(for words: String...) async -> Bool {
            await lines.wait { lines in words.allSatisfy { word in lines.contains { $0.contains(word) } } }
        }
    }

    private static func report(_ id: String, place: String) -> Event {
        Event(
            provider: "news.test", id: id, time: InProcessDaemon.start, category: .news, title: "a report", place: place
        )
    }

    private static func mapQuest(_ location: String) -> Data {
        Data("{\"info\":{\"statuscode\":0},\"results\":[{\"locations\":[\(location)]}]}".utf8)
    }

    private static let seattle = """
        {"adminArea5":"Seattle","adminArea3":"WA","adminArea1":"US","geocodeQualityCode":"A5XAX",\
        "geocodeQuality":"CITY","latLng":{"lat":47.603229,"lng":-122.33028}}
        """

    @Test func theGapOfAServiceCountsFromWhenARequestWasSent() async throws {
        let scene = try Scene(gap: .seconds(1), connecting: .milliseconds(400)) { _ in Self.mapQuest(Self.seattle) }
        let begun = scene.clock.now.uptime
        try scene.seed()
        try scene.poll(Self.report("1", place: "Seattle"), Self.report("2", place: "Tacoma"))
        async let running: Void = scene.locator.run()
        let due = begun + .milliseconds(1400)
        #expect(await scene.clock.alarms.wait { $0.contains(due) })
        #expect(scene.requests.all.count == 1)
        scene.locator.stop()
        await running
    }

    @Test func theTableAnswersFirstAndOnlyItsMissesGoToTheService() async throws {
        let scene = try Scene { url in url.contains("Seattle") ? Self.mapQuest(Self.seattle) : Self.mapQuest("") }
        try scene.seed()
        try scene.poll(
            Self.report("1", place: "MOSUL, Iraq"), Self.report("2", place: "Seattle"),
            Self.report("3", place: "Xanaduville"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "result=unresolved", "result=located"))
        scene.locator.stop()
        await running
        let mosul = try scene.event("1").event.location
        #expect(mosul?.method == .gazetteer && mosul?.precision == .city && mosul?.placeID == "geonames:1")
        #expect(mosul?.country == "IQ" && mosul?.name == "Mosul, Iraq")
        #expect(mosul?.evidence == .place && mosul?.matchedText?.lowercased().contains("mosul") == true)
        let seattle = try scene.event("2").event.location
        #expect(seattle?.method == .mapquest && seattle?.coordinate.latitude == 47.603229)
        #expect(seattle?.country == "US" && seattle?.name == "Seattle, WA, US")
        #expect(try scene.event("3").event.location == nil)
        #expect(scene.requests.all.count == 2)
        #expect(scene.requests.all.allSatisfy { $0.url.contains(Self.key) })
        #expect(scene.lines.all.allSatisfy { !$0.contains(Self.key) })
        #expect(try scene.store.queueStatistics(at: scene.clock.now.wall).unresolved == 1)
    }

    @Test func aSourceLearnsWhereItsNewsHappensAndWhatWasUnsureIsFound() async throws {
        func item(_ id: String, _ title: String) -> Event {
            Event(provider: "news.test", id: id, time: InProcessDaemon.start, category: .news, title: title)
        }
        let scene = try Scene(hasService: false) { _ in Data() }
        try scene.seedHomonyms()
        try scene.poll(item("1", "Fire in Springfield"), item("2", "Illinois votes"))
        let lookUp = EventLookUp(
            store: scene.store, writer: StoreWriter(store: scene.store) { _ in }, table: scene.table,
            sources: [Scene.news], providers: [], time: scene.clock.time, log: scene.locator.log)
        _ = await lookUp.run(reopening: false)
        #expect(try scene.event("1").event.location == nil)
        #expect(try scene.store.homes().isEmpty)
        try scene.poll(item("3", "A road in Illinois is closed"))
        _ = await lookUp.run(reopening: false)
        #expect(try scene.event("1").event.location?.placeID == "geonames:2")
        #expect(try scene.store.homes() == ["news": PlaceContext(country: "US", region: "IL")])
    }

    @Test("A word that names no place any more takes its places away once, and gives them back when it goes")
    func notPlaces() async throws {
        let scene = try Scene(hasService: false) { _ in Data() }
        try scene.seed()
        try scene.poll(
            Self.report("1", place: "Mosul"), Self.report("2", place: "Mosul/Catania"),
            Self.report("3", place: "Catania"))
        func found(without words: [String]) async throws -> [String?] {
            var source = Scene.news
            source.notPlaces = words
            let lookUp = EventLookUp(
                store: scene.store, writer: StoreWriter(store: scene.store) { _ in }, table: scene.table,
                sources: [source], providers: [], time: scene.clock.time, log: scene.locator.log)
            _ = await lookUp.run(reopening: false)
            return try ["1", "2", "3"].map { try scene.event($0).event.location?.placeID }
        }
        #expect(try await found(without: []) == ["geonames:1", "geonames:1", "geonames:2"])
        #expect(try await found(without: ["MOSUL"]) == [nil, "geonames:2", "geonames:2"])
        let change = try scene.store.lastChange()
        #expect(try scene.event("3").revision == 2, "the other events are not touched")
        #expect(try await found(without: ["MOSUL"]) == [nil, "geonames:2", "geonames:2"])
        #expect(try scene.store.lastChange() == change)
        #expect(try await found(without: []) == ["geonames:1", "geonames:2", "geonames:2"])
        #expect(try await found(without: ["MOSUL"]) == [nil, "geonames:2", "geonames:2"])
    }

    @Test("A seeding of volcanoes lets events be looked up again, with the names of earlier lists, without a new table")
    func volcanoes() async throws {
        func seed(_ name: String) throws {
            let coordinate = try #require(Coordinate(latitude: 56.65, longitude: 161.36))
            let volcano = PointOfInterest(
                number: 300_270, name: name, foldedName: NameFolding.folded(name), coordinate: coordinate,
                country: "Russia")
            _ = try scene.store.seed([volcano], at: scene.clock.now.wall)
            scene.clock.advance(.seconds(1))
        }
        let scene = try Scene(hasService: false) { _ in Data() }
        let lookUp = EventLookUp(
            store: scene.store, writer: StoreWriter(store: scene.store) { _ in }, table: scene.table,
            sources: [Scene.news], providers: [], time: scene.clock.time, log: scene.locator.log)
        try seed("Shiveluch")
        _ = await lookUp.run(reopening: false)
        try scene.seed()
        for (id, name) in [("1", "Shiveluch"), ("2", "Sheveluch")] {
            let title = "\(name) volcano erupts"
            try scene.poll(
                Event(provider: "news.test", id: id, time: InProcessDaemon.start, category: .news, title: title))
        }
        _ = await lookUp.run(reopening: false)
        #expect(try scene.event("1").event.location?.placeID == "gvp:300270")
        #expect(try scene.event("2").event.location == nil)
        try FileManager.default.removeItem(atPath: scene.tablePath)
        try seed("Sheveluch")
        _ = await lookUp.run(reopening: false)
        #expect(try scene.event("2").event.location?.placeID == "gvp:300270")
        try scene.poll(
            Event(
                provider: "news.test", id: "3", time: InProcessDaemon.start, category: .news,
                title: "Shiveluch volcano quiet"))
        _ = await lookUp.run(reopening: false)
        #expect(try scene.event("3").event.location?.placeID == "gvp:300270")
    }

    @Test func withoutATableEventsWaitAndOneInANewFolderIsNoticedWithinAMinute() async throws {
        let scene = try Scene(tables: "/tables") { _ in Self.mapQuest("") }
        try scene.poll(Self.report("1", place: "CATANIA, Italy"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "no city table"))
        let line = try #require(scene.lines.all.first { $0.contains("no city table") })
        #expect(line.contains("visiventd seed cities"))
        #expect(scene.requests.all.isEmpty)
        try FileManager.default.createDirectory(
            atPath: scene.directory.path + "/tables", withIntermediateDirectories: false)
        try scene.seed()
        scene.clock.advance(.seconds(60))
        #expect(await scene.wait(for: "city table opened", "events looked up"))
        scene.locator.stop()
        await running
        #expect(try scene.event("1").event.location?.placeID == "geonames:2")
        #expect(scene.lines.all.filter { $0.contains("no city table") }.count == 1)
    }

    @Test func aNewTableIsNoticedWithoutAClock() async throws {
        let scene = try Scene { _ in Self.mapQuest("") }
        try scene.poll(Self.report("1", place: "CATANIA, Italy"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "no city table"))
        try scene.seed()
        #expect(await scene.wait(for: "city table opened", "events looked up"))
        scene.locator.stop()
        await running
        #expect(try scene.event("1").event.location?.placeID == "geonames:2")
    }

    @Test func withoutAServiceQuestionsAreUnresolvedAtOnce() async throws {
        let scene = try Scene(hasService: false) { _ in Self.mapQuest("") }
        try scene.seed()
        try scene.poll(Self.report("1", place: "Xanaduville"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "events looked up"))
        scene.locator.stop()
        await running
        #expect(try scene.store.queueStatistics(at: scene.clock.now.wall).unresolved == 1)
    }

    @Test(arguments: [true, false])
    func questionsWaitForAServiceWhoseKeyCannotBeRead(hasOther: Bool) async throws {
        let scene = try Scene(hasService: hasOther, unreadable: [.nominatim]) { _ in Self.mapQuest("") }
        try scene.seed()
        try scene.poll(Self.report("1", place: "Xanaduville"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "events looked up"))
        if hasOther { #expect(await scene.wait(for: "result=waiting")) }
        scene.locator.stop()
        await running
        let queue = try scene.store.queueStatistics(at: scene.clock.now.wall)
        #expect(queue.asked == 1 && queue.unresolved == 0)
        #expect(scene.requests.all.count == (hasOther ? 1 : 0))
    }

    @Test func theTroublesOfServicesAreStoredOnceTheLocatorBegins() async throws {
        let scene = try Scene(unreadable: [.nominatim]) { _ in Self.mapQuest("") }
        try scene.store.setTrouble("failing", of: .mapquest)
        #expect(try scene.store.trouble(of: .nominatim) == nil)
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "no city table"))
        #expect(try scene.store.trouble(of: .nominatim) == "its key cannot be read; see visiventd check")
        #expect(try scene.store.trouble(of: .mapquest) == nil)
        scene.locator.stop()
        await running
    }

    @Test func aPersonsQuestionIsAnsweredAndKept() async throws {
        let scene = try Scene { _ in Self.mapQuest(Self.seattle) }
        try scene.seed()
        async let running: Void = scene.locator.run()
        let query = PlaceQuery(text: "Seattle, WA", folded: "seattle wa", evidence: .place)
        let first = try #require(try await scene.locator.ask(query)?.first)
        #expect(first.status == .found && !first.isKept && first.latitude == 47.603229 && first.precision == "city")
        #expect(await scene.wait(for: "result=located"), "the answer is kept")
        let second = try #require(try await scene.locator.ask(query)?.first)
        #expect(second.status == .found && second.isKept)
        #expect(scene.requests.all.count == 1)
        scene.locator.stop()
        await running
        #expect(try await scene.locator.ask(query) == nil, "nobody is left to answer")
    }

    @Test func aSourceThatIsNotToBeGeocodedStaysWithoutPlaces() async throws {
        var source = Scene.news
        source.isGeocoded = false
        let scene = try Scene(source) { _ in Self.mapQuest("") }
        try scene.seed()
        try scene.poll(Self.report("1", place: "MOSUL, Iraq"))
        async let running: Void = scene.locator.run()
        #expect(await scene.wait(for: "unresolved=1"))
        scene.locator.stop()
        await running
        #expect(try scene.event("1").event.location == nil)
    }

    @Test func eventsOfSuchASourceAreLeftOutOfABatch() async throws {
        let scene = try Scene { _ in Self.mapQuest("") }
        var quiet = SourceSettings(name: "quiet", kind: "rss", url: "https://quiet.test/feed.xml")
        quiet.isGeocoded = false
        let now = scene.clock.now.wall
        try scene.seed()
        try scene.store.reconcile([Scene.news, quiet], at: now)
        for (number, source) in ["quiet", "news", "quiet", "news"].enumerated() {
            let event = Self.report("\(number)", place: number < 2 ? "MOSUL, Iraq" : "CATANIA, Italy")
            _ = try scene.store.write([
                .step(PollStep(source: source, at: now, answer: FeedAnswer(events: [event]), fingerprint: "f1"))
            ])
        }
        let lookUp = EventLookUp(
            store: scene.store, writer: StoreWriter(store: scene.store) { _ in }, table: scene.table,
            sources: [Scene.news, quiet], providers: [], time: scene.clock.time, log: scene.locator.log)
        _ = await lookUp.run(reopening: false)
        let places = try (0..<4).map { try scene.event("\($0)").event.location?.placeID }
        #expect(places == [nil, "geonames:1", nil, "geonames:2"])
    }

    @Test func settingsThatChangeLetEventsBeLookedUpAgain() async throws {
        var source = Scene.news
        source.isGeocoded = false
        let first = try Scene(source) { _ in Self.mapQuest("") }
        try first.seed()
        try first.poll(Self.report("1", place: "MOSUL, Iraq"))
        async let running: Void = first.locator.run()
        #expect(await first.wait(for: "unresolved=1"))
        first.locator.stop()
        await running
        try first.store.close()
        let second = try Scene(in: first.directory) { _ in Self.mapQuest("") }
        async let runningAgain: Void = second.locator.run()
        #expect(await second.wait(for: "located=1"))
        second.locator.stop()
        await runningAgain
        #expect(try second.event("1").event.location?.placeID == "geonames:1")
    }
}
