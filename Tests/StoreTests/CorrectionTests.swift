import Foundation
import Model
import Testing

@testable import Store

/// Corrections of places by the operator.
@Suite struct CorrectionTests {
    private static let agung = PlaceCorrection.at(latitude: -8.25, longitude: 115.5, radius: 5, name: "Mount Agung")
    private static let corrected = ["-8.25", "115.5", "operator", "Mount Agung", "5.0"]
    private static let ofFeed = ["-20.0", "-70.0", "coordinates", "NULL", "NULL"]
    private static let unplaced = ["NULL", "NULL", "NULL", "NULL", "NULL"]

    private func publicID(_ test: TestStore, _ name: String) throws -> String {
        try #require(try test.value("SELECT public_id FROM events_v1 WHERE upstream_id = '\(name)'"))
    }

    private func correct(
        _ test: TestStore, _ name: String, _ correction: PlaceCorrection, at seconds: Double = 60
    ) throws -> CorrectionOutcome {
        try test.store.correct(publicID(test, name), correction, by: "anna", at: start + seconds)
    }

    private func places(_ test: TestStore) throws -> [[String]] {
        try test.rows(
            """
            SELECT latitude, longitude, location_method, location_name, location_radius_km FROM events_v1
            ORDER BY upstream_id
            """)
    }

    private func kinds(_ test: TestStore) throws -> [String] {
        try test.rows("SELECT kind FROM changes_v1 ORDER BY seq").compactMap(\.first)
    }

    /// The ids of the events that a circle of 10 km around the corrected place finds.
    private func found(_ test: TestStore) throws -> [String] {
        var query = EventQuery()
        let centre = try #require(Coordinate(latitude: -8.25, longitude: 115.5))
        query.near = EventQuery.Circle(centre: centre, kilometres: 10)
        return try test.store.events(query).map(\.event.id)
    }

    private func erasure(_ id: String) -> Withdrawal {
        Withdrawal(
            provider: "usgs", id: id, reason: .deleted, time: start + 600, evidence: "deleted", erases: true)
    }

    // MARK: - Polls

    @Test("A correction outlives revisions by the feed, whose newest place comes back after it")
    func revisions() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        #expect(try correct(test, "us1", Self.agung) == .corrected)
        #expect(try places(test) == [Self.corrected])
        #expect(try found(test) == ["us1"])
        #expect(try test.poll([quake("us1", updated: 1, magnitude: 5.4, latitude: -21)], at: start + 120).changed == 1)
        // Another source may have another place.
        #expect(try test.poll([quake("us1", updated: 2, magnitude: 5.5, latitude: -22)], from: "more").changed == 1)
        #expect(try places(test) == [Self.corrected])
        #expect(try correct(test, "us1", .automatic, at: 180) == .released(hasPlace: true))
        #expect(try places(test) == [["-22.0", "-70.0", "coordinates", "NULL", "NULL"]])
        #expect(try found(test).isEmpty)
        #expect(try kinds(test) == ["new", "located", "revised", "revised", "located"])
        #expect(try correct(test, "us1", .automatic, at: 240) == .uncorrected)
        let details = try #require(try test.store.details(of: publicID(test, "us1")))
        #expect(details.history.map(\.source) == [nil, "quakes", "more", nil])
        #expect(details.correction == nil)
    }

    @Test("An event whose place is taken away stays without one, and is itself again afterwards")
    func takenAway() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        #expect(try correct(test, "us1", .nowhere) == .corrected)
        #expect(try places(test) == [Self.unplaced])
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "0")
        try test.poll([quake("us1", updated: 1, title: "M 5.0 - Peru")])
        #expect(try places(test) == [Self.unplaced])
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "0")
        let statistics = try test.store.statistics()
        #expect(statistics.located == 0 && statistics.waiting == 0)
        let details = try #require(try test.store.details(of: publicID(test, "us1")))
        #expect(details.correction == EventDetails.Correction(user: "anna", at: start + 60))
        #expect(try correct(test, "us1", .automatic) == .released(hasPlace: true))
        #expect(try places(test) == [Self.ofFeed])
        #expect(try test.store.statistics().located == 1)
    }

    @Test("Each correction is a revision, also one of the radius or of the name alone; a repeated one is none")
    func repeated() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let others: [PlaceCorrection] = [
            .at(latitude: -8.25, longitude: 115.5, radius: 12, name: "Mount Agung"),
            .at(latitude: -8.25, longitude: 115.5, radius: 12, name: "Agung"),
        ]
        for correction in [Self.agung] + others + others.suffix(1) {
            #expect(try correct(test, "us1", correction) == .corrected)
        }
        #expect(try kinds(test) == ["new", "located", "located", "located"])
        let before = try #require(try test.value("SELECT previous_json FROM event_history_v1 WHERE revision = 3"))
        #expect(before == #"{"location_radius_km":5.0}"#)
        #expect(try test.store.event(publicID(test, "us1"), knownAt: 1)?.stored.event.location?.method == .coordinates)
    }

    // MARK: - Look-ups

    @Test("What was found meanwhile, another table and new words leave a correction alone", arguments: [false, true])
    func lookUps(isTakenAway: Bool) throws {
        let test = try TestStore()
        var report = article("a", title: "Ash")
        report.place = "Lima"
        try test.poll([report], from: "news")
        let waiting = try test.store.unlocated(limit: 10, generation: "g1")
        let query = PlaceQuery(text: "Lima", folded: "lima", context: PlaceContext(), evidence: .place)
        _ = try test.store.apply([(event: waiting[0], outcome: .ask(query))], generation: "g1", at: start)
        let job = try #require(try test.store.takeJob(oldest: false, providers: [.mapquest], at: start))
        #expect(try correct(test, "a", isTakenAway ? .nowhere : Self.agung) == .corrected)
        let expected = [isTakenAway ? Self.unplaced : Self.corrected]

        let lima = Location(try #require(Coordinate(latitude: -12, longitude: -77)), method: .mapquest)
        let fresh = GeocodeSettlement.Fresh(provider: .mapquest, answer: .found(lima), expires: start + 86_400)
        let settlement = GeocodeSettlement(job: job, at: start, fresh: fresh, end: .located(lima))
        #expect(try test.store.settle(settlement) == 0)
        let result = try test.store.apply([(event: waiting[0], outcome: .located(lima))], generation: "g2", at: start)
        #expect(result.stale == 1 && result.located == 0)
        report.title = "Ash over town"
        report.place = "Cusco"
        #expect(try test.poll([report], from: "news", at: start + 120).changed == 1)
        #expect(try test.store.unlocated(limit: 10, generation: "g2").isEmpty)
        #expect(try places(test) == expected)
        let event = try #require(try test.store.events(EventQuery()).first)
        let reason: MissingPlace? = isTakenAway ? .takenAway : nil
        #expect(try test.store.explainingMissingPlaces(of: [event]).first?.missingPlace == reason)

        #expect(try correct(test, "a", .automatic) == .released(hasPlace: false))
        #expect(try places(test) == [Self.unplaced])
        #expect(try test.store.unlocated(limit: 10, generation: "g2").map(\.place) == ["Cusco"])
    }

    @Test("A place that was found by name is sought again after the correction, which wakes the locator")
    func foundByName() throws {
        let test = try TestStore()
        try test.poll([article("a", title: "Ash over Lima")], from: "news")
        let waiting = try test.store.unlocated(limit: 10, generation: "g1")
        let lima = Location(
            try #require(Coordinate(latitude: -12, longitude: -77)), method: .gazetteer, matchedText: "Lima",
            evidence: .title)
        _ = try test.store.apply([(event: waiting[0], outcome: .located(lima))], generation: "g1", at: start)
        #expect(try correct(test, "a", Self.agung) == .corrected)
        let told = test.store.signal.newest(of: EventChange.Kind.queueing)
        #expect(try correct(test, "a", .automatic) == .released(hasPlace: false))
        #expect(test.store.signal.newest(of: EventChange.Kind.queueing) > told)
        #expect(try test.store.unlocated(limit: 10, generation: "g1").count == 1)
        #expect(try kinds(test) == ["new", "located", "located", "revised"])
    }

    // MARK: - Rows that come and go

    /// The feed shows the event under another of its names then.
    @Test("A correction comes back with the event after a reset", arguments: ["us1", "ci1"], [false, true])
    func resets(name: String, isTakenAway: Bool) throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"])])
        #expect(try correct(test, "us1", isTakenAway ? .nowhere : Self.agung) == .corrected)
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start + 120) == 1)
        let waiting = try #require(try test.store.corrections(limit: 10).first)
        #expect(waiting.title == nil && waiting.user == "anna" && waiting.at == start + 60)
        #expect(try test.poll([quake(name)], at: start + 180).new == 1)
        #expect(try places(test) == [isTakenAway ? Self.unplaced : Self.corrected])
        let corrections = try test.store.corrections(limit: 10)
        #expect(corrections.map(\.publicID) == [try publicID(test, name)])
        #expect(corrections.first?.title == "M 5.0 - Chile")
        #expect(corrections.first?.user == "anna" && corrections.first?.at == start + 60)
        #expect(try test.value("SELECT count(*) FROM place_correction_name") == "0")
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "0")
        #expect(try correct(test, name, .automatic) == .released(hasPlace: true))
        #expect(try places(test) == [Self.ofFeed])
    }

    @Test("A correction whose event is gone can be forgotten by its id")
    func forgotten() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let id = try publicID(test, "us1")
        #expect(try correct(test, "us1", Self.agung) == .corrected)
        _ = try test.store.reset(source: "quakes", includingEvents: true, at: start + 120)
        #expect(try test.store.correct(id, .nowhere, by: "anna", at: start + 180) == .unknown)
        #expect(try test.store.correct(id, .automatic, by: "anna", at: start + 180) == .forgotten)
        #expect(try test.store.correct(id, .automatic, by: "anna", at: start + 180) == .unknown)
        try test.poll([quake("us1")], at: start + 240)
        #expect(try places(test) == [Self.ofFeed])
    }

    @Test("Corrections of events that are gone go after 90 days", arguments: [false, true])
    func longGone(isTruncated: Bool) throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")])
        #expect(try correct(test, "us1", Self.agung) == .corrected)
        let (gone, days) = (start + 4 * 86_400, 86_400.0)
        if isTruncated {
            #expect(try test.store.truncate(asOf: gone).total == 2)
        } else {
            _ = try test.store.reset(source: "quakes", includingEvents: true, at: gone)
        }
        _ = try test.store.truncate(asOf: gone + 89 * days)
        #expect(try test.store.corrections(limit: 10).count == 1)
        _ = try test.store.truncate(asOf: gone + 91 * days)
        #expect(try test.store.corrections(limit: 10).isEmpty)
        #expect(try test.value("SELECT count(*) FROM place_correction_name") == "0")
    }

    @Test("A merged event brings its correction along; of two the later counts")
    func merges() throws {
        for (older, younger, expected) in [
            (nil, 60, Self.corrected), (30, 60, Self.corrected), (90, 60, Self.unplaced), (30, nil, Self.unplaced),
        ] as [(Double?, Double?, [String])] {
            let test = try TestStore()
            try test.poll([quake("us1")])
            try test.poll([quake("ci1", latitude: -30)], from: "more", at: start + 10)
            let former = try publicID(test, "ci1")
            if let older { #expect(try correct(test, "us1", .nowhere, at: older) == .corrected) }
            if let younger { #expect(try correct(test, "ci1", Self.agung, at: younger) == .corrected) }
            #expect(try test.poll([quake("us1", aliases: ["ci1"])], at: start + 120).merged == 1)
            #expect(try places(test) == [expected])
            #expect(try test.store.corrections(limit: 10).map(\.publicID) == [try publicID(test, "us1")])
            // The former id leads to the event.
            let outcome = try test.store.correct(former, .automatic, by: "anna", at: start + 180)
            #expect(outcome == .released(hasPlace: true))
            #expect(try places(test) == [Self.ofFeed])
            #expect(try test.store.corrections(limit: 10).isEmpty)
        }
    }

    @Test("A withdrawn event is corrected by a revision, and comes back with its place")
    func withdrawn() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        let cancel = Withdrawal(
            provider: "usgs", id: "us1", reason: .cancelled, time: start + 300, evidence: "Cancel us1")
        try test.poll([], withdrawals: [cancel])
        #expect(try correct(test, "us1", .nowhere, at: 360) == .corrected)
        try test.poll([quake("us1", updated: 10)], at: start + 600)
        #expect(try kinds(test) == ["new", "withdrawn", "revised", "restored"])
        #expect(try places(test) == [Self.unplaced])
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "0")
    }

    // MARK: - Erasure

    @Test("Words that a provider deletes take the words of a correction along", arguments: [false, true])
    func erased(isGone: Bool) throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"], title: "Ash")])
        let words = PlaceCorrection.at(latitude: 1, longitude: 2, radius: nil, name: "zanzibar")
        #expect(try correct(test, "us1", words) == .corrected)
        if isGone { _ = try test.store.reset(source: "quakes", includingEvents: true, at: start + 120) }
        try test.poll([], at: start + 600, withdrawals: [erasure("ci1")])
        #expect(try test.store.corrections(limit: 10).isEmpty)
        #expect(try test.value("SELECT count(*) FROM place_correction_name") == "0")
        if !isGone {
            #expect(try places(test) == [Self.unplaced])
            #expect(try correct(test, "us1", Self.agung) == .erased)
        }
        _ = try test.store.truncate(asOf: start + 600)
        try test.store.close()
        for file in [test.path, test.path + "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(bytes.range(of: Data("zanzibar".utf8)) == nil, "\(file)")
        }
    }

    @Test("A service's answer to words that are deleted goes, although a correction has taken their event away")
    func erasedAnswers() throws {
        let test = try TestStore()
        var report = article("a", title: "Ash")
        report.place = "Zanzibar Villas"
        try test.poll([report], from: "news")
        let waiting = try test.store.unlocated(limit: 10, generation: "g1")
        let query = PlaceQuery(
            text: "Zanzibar Villas", folded: "zanzibar villas", context: PlaceContext(), evidence: .place)
        _ = try test.store.apply([(event: waiting[0], outcome: .ask(query))], generation: "g1", at: start)
        let job = try #require(try test.store.takeJob(oldest: false, providers: [.mapquest], at: start))
        let fresh = GeocodeSettlement.Fresh(
            provider: .mapquest, answer: .missing(reason: "no match"), expires: start + 86_400)
        _ = try test.store.settle(GeocodeSettlement(job: job, at: start, fresh: fresh, end: .unresolved))
        #expect(try test.value("SELECT count(*) FROM place_cache") == "1")
        #expect(try correct(test, "a", Self.agung) == .corrected)
        let deletion = Withdrawal(provider: "reuters", id: "a", reason: .deleted, evidence: "Deleted", erases: true)
        try test.poll([], from: "news", at: start + 600, withdrawals: [deletion])
        #expect(try test.value("SELECT count(*) FROM place_cache") == "0")
    }

    // MARK: - Rows

    @Test("A correction has no names left of one that waited before, and its row has a column for each value read")
    func noNamesLeft() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let id = try publicID(test, "us1")
        #expect(try correct(test, "us1", Self.agung) == .corrected)
        try test.store.maintain { connection in
            try connection.run("INSERT INTO place_correction_name VALUES ('usgs', 'former', ?)", id)
        }
        #expect(try correct(test, "us1", .nowhere) == .corrected)
        #expect(try test.value("SELECT count(*) FROM place_correction_name") == "0")
        // Seven values, then a location of eleven.
        #expect(try test.store.read { try $0.prepare(CorrectionSQL.correction).columnCount } == 18)
    }

    // MARK: - List

    @Test("The list has the latest first, in pages, and an unknown event is told so")
    func list() throws {
        let test = try TestStore()
        try test.poll((1...5).map { quake("us\($0)") })
        for number in 1...5 {
            let correction = number == 3 ? PlaceCorrection.nowhere : Self.agung
            #expect(try correct(test, "us\(number)", correction, at: Double(number)) == .corrected)
        }
        let ids = try (1...5).map { try publicID(test, "us\($0)") }
        #expect(try test.store.corrections(limit: 2).map(\.publicID) == [ids[4], ids[3]])
        let rest = try test.store.corrections(limit: 10, skipping: 2)
        #expect(rest.map(\.publicID) == [ids[2], ids[1], ids[0]])
        #expect(rest.map(\.correction) == [.nowhere, Self.agung, Self.agung])
        let view = try test.rows("SELECT name, made_by FROM place_corrections_v1 WHERE latitude IS NULL")
        #expect(view == [["NULL", "anna"]])
        #expect(try test.store.correct("0000000000000000", Self.agung, by: "anna", at: start) == .unknown)
        let nowhere = PlaceCorrection.at(latitude: 0, longitude: 0, radius: nil, name: nil)
        #expect(storeErrorCode { _ = try test.store.correct(ids[0], nowhere, by: "anna", at: start) } == .other)
    }
}
