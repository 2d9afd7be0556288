import Foundation
import Model
import Testing

@testable import Store

/// Events by place: by their shape if they have one, else by their coordinate; and the R*Tree behind it.
@Suite struct PositionTests {
    private static let acrossFiji =
        #"{"type":"Polygon","coordinates":[[[175,-15],[-175,-15],[-175,-20],[175,-20],[175,-15]]]}"#
    private static let ring = """
        {"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[3,3],[7,3],[7,7],[3,7],[3,3]]]}
        """

    private func alert(
        _ id: String, _ geometry: String?, at place: (latitude: Double, longitude: Double)? = nil, hours: Double? = -2,
        updated: Double? = nil
    ) -> Event {
        Event(
            provider: "alerts", id: id, time: hours.map { start + $0 * 3600 }, updated: updated.map { start + $0 * 60 },
            category: .alert, title: id,
            location: place.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }.map {
                Location($0, method: .polygon, precision: .region)
            }, geometry: geometry)
    }

    private func ids(
        _ test: TestStore, in edges: [Double], _ change: (inout EventQuery) -> Void = { _ in }
    ) throws -> [String] {
        var query = EventQuery()
        query.box = BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        change(&query)
        return try test.store.events(query).map(\.event.id)
    }

    private func ids(_ test: TestStore, near: (Double, Double), _ kilometres: Double) throws -> [String] {
        var query = EventQuery()
        let centre = try #require(Coordinate(latitude: near.0, longitude: near.1))
        query.near = EventQuery.Circle(centre: centre, kilometres: kilometres)
        return try test.store.events(query).map(\.event.id)
    }

    private func entries(_ test: TestStore) throws -> [[String]] {
        try test.rows("SELECT * FROM event_position ORDER BY id")
    }

    /// The ids of all entries, after a check that a rebuild gives the same entries.
    private func checkedEntries(
        _ test: TestStore, at place: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        let found = try entries(test)
        try test.store.maintain { try EventPositions.build(on: $0) }
        #expect(try entries(test) == found, sourceLocation: place)
        return found.map { $0[0] }
    }

    // MARK: - What is found

    /// Some feeds give only shapes; the middle of half the world is no place.
    @Test func whatHasAShapeAloneIsInBoxesAndIsUnlocated() throws {
        let test = try TestStore()
        try test.poll([alert("shape", Self.ring), alert("both", Self.ring, at: (5, 5)), alert("neither", nil)])
        #expect(try ids(test, in: [1, 1, 2, 2]) == ["both", "shape"])
        #expect(try ids(test, in: [1, 1, 2, 2]) { $0.isLocated = false } == ["shape"])
        #expect(try ids(test, in: [20, 1, 21, 2]) { $0.isLocated = false }.isEmpty)
    }

    @Test func aPointAt180DegreesIsInBoxesOnBothSides() throws {
        let test = try TestStore()
        try test.poll([alert("west", nil, at: (-20, -180)), alert("east", nil, at: (-20, 180))])
        for edges: [Double] in [
            [170, -30, 180, -10], [-180, -30, -170, -10], [170, -30, -170, -10], [180, -30, 180, -10],
            [-180, -90, 180, 90],
        ] { #expect(try Set(ids(test, in: edges)) == ["west", "east"], "\(edges)") }
        #expect(try ids(test, in: [170, -30, 179, -10]).isEmpty)
    }

    @Test func anAreaAcross180DegreesIsFoundWhereverItIsTouched() throws {
        let test = try TestStore()
        try test.poll([alert("fiji", Self.acrossFiji, at: (-17.5, 180)), alert("point", nil, at: (-17.5, 177))])
        for box: [Double] in [
            [174, -21, 176, -14], [-176, -18, -174, -17], [-180, -18, -176, -17], [-170, -18, -175, -17],
        ] {
            let found = try ids(test, in: box)
            #expect(found.contains("fiji"), "\(box)")
        }
        #expect(try ids(test, in: [170, -30, -170, 0]) == ["point", "fiji"])
        #expect(try ids(test, in: [-178, -90, 178, 90]) == ["point", "fiji"])
        // A narrow box around the whole Earth meets both entries.
        #expect(try ids(test, in: [-178, -18, 178, -17]) == ["point", "fiji"])
        #expect(try ids(test, in: [-174, -18, 174, -17]).isEmpty)
        #expect(try ids(test, in: [170, -30, -170, 0]) { $0.limit = 1 } == ["point"])
        #expect(try ids(test, near: (-17, 174), 107) == ["fiji"])
        #expect(try ids(test, near: (-17, 174), 106).isEmpty)
        #expect(try ids(test, near: (-17, -177), 1) == ["fiji"])
    }

    @Test func aHoleIsNoPartOfAnAlert() throws {
        let test = try TestStore()
        try test.poll([alert("ring", Self.ring, at: (5, 5)), alert("middle", nil, at: (5, 5), hours: -3)])
        #expect(try ids(test, in: [4, 4, 6, 6]) == ["middle"])
        #expect(try ids(test, in: [2, 4, 6, 6]) == ["ring", "middle"])
        #expect(try ids(test, near: (5, 5), 200) == ["middle"])
        #expect(try ids(test, near: (5, 5), 230) == ["ring", "middle"])
    }

    @Test func aShapeWithoutACoordinateIsFoundAndWaitsForAPlace() throws {
        let test = try TestStore()
        try test.poll([alert("ring", Self.ring)])
        #expect(try ids(test, in: [1, 1, 2, 2]) == ["ring"])
        #expect(try test.rows("SELECT state FROM unlocated_v1") == [["new"]])
        #expect(try test.store.statistics().located == 0)
        try test.poll([alert("ring", Self.ring, at: (5, 5))])
        #expect(try test.rows("SELECT state FROM unlocated_v1").isEmpty)
        #expect(try test.store.statistics().located == 1)
        #expect(try checkedEntries(test) == ["1"])
    }

    @Test func whatIsNoShapeIsAtItsCoordinate() throws {
        let test = try TestStore()
        try test.poll([alert("odd", #"{"type":"Polygon","coordinates":[]}"#, at: (5, 5))])
        #expect(try ids(test, in: [4, 4, 6, 6]) == ["odd"])
        #expect(try ids(test, in: [-90, -90, 90, 90]) == ["odd"])
        #expect(try ids(test, near: (5, 5.1), 12) == ["odd"])
        #expect(try ids(test, near: (5, 5.1), 11).isEmpty)
    }

    @Test func boxesAndSpansFindWhatTheRowsSay() throws {
        let test = try TestStore()
        var state: UInt64 = 3
        // A linear congruential generator (Knuth): the upper half of its state, 0..<1.
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 33) / Double(1 << 31)
        }
        var events: [Event] = []
        for number in 0..<300 {
            let (latitude, longitude) = (random() * 40 - 20, Coordinate.wrapped(160 + random() * 40))
            let size = random() * 8
            let corners = [(0.0, 0.0), (size, 0), (0, size), (0, 0)].map { corner in
                "[\(Coordinate.wrapped(longitude + corner.0)),\(latitude + corner.1)]"
            }
            let geometry = #"{"type":"Polygon","coordinates":[[\#(corners.joined(separator: ","))]]}"#
            // Whole milliseconds, so that a bound can be met exactly.
            let hours = (random() * -60 * 3_600_000).rounded() / 3_600_000
            let isShape = number.isMultiple(of: 3)
            events.append(alert("a\(number)", isShape ? geometry : nil, at: (latitude, longitude), hours: hours))
        }
        try test.poll(events, from: "news")
        var total = 0
        for number in 0..<60 {
            let (west, south) = (150 + random() * 50, random() * 40 - 25)
            let box = try #require(
                BoundingBox(
                    west: Coordinate.wrapped(west), south: south, east: Coordinate.wrapped(west + random() * 20),
                    north: south + random() * 20))
            let bounds = [events[number].time, events[number + 60].time].compactMap { $0 }.sorted()
            let expected = events.filter { event in
                guard let time = event.time, let coordinate = event.location?.coordinate else { return false }
                let shape = event.geometry.flatMap { Shape(geoJSON: $0) }
                return (bounds[0]...bounds[1]).contains(time) && shape?.touches(box) ?? box.contains(coordinate)
            }
            var query = EventQuery()
            (query.box, query.since, query.until, query.limit) = (box, bounds[0], bounds[1], nil)
            let found = try test.store.events(query).map(\.event.id)
            #expect(Set(found) == Set(expected.map(\.id)) && found.count == expected.count, "\(number): \(box)")
            total += found.count
        }
        #expect(total > 100)
    }

    @Test func boxAndSpanGoThroughTheTreeTogether() throws {
        let test = try TestStore()
        var query = EventQuery()
        query.box = BoundingBox(west: -71, south: -21, east: -69, north: -19)
        // The constraints by column; D: at least, B: at most.
        func isConstrained(_ places: String) throws -> Bool {
            try test.store.plan(of: query).contains { $0.hasSuffix("event_position VIRTUAL TABLE INDEX 2:\(places)") }
        }
        #expect(try isConstrained("D1B0D3B2"))
        query.since = start - 3600
        #expect(try isConstrained("D1B0D3B2D5"))
        query.until = start
        #expect(try isConstrained("D1B0D3B2D5B4"))
        query.since = nil
        query.newerThan = EventQuery.Key(time: start - 7200, publicID: "x")
        #expect(try isConstrained("D1B0D3B2D5B4"))
        query.box = BoundingBox(west: 179, south: -21, east: -179, north: -19)
        #expect(try isConstrained("D1B0D3B2D5B4"))
    }

    // MARK: - The tree is kept

    @Test func entriesFollowTheirEvent() throws {
        let test = try TestStore()
        try test.poll([alert("a", Self.acrossFiji, at: (-17.5, 180), updated: 1), alert("b", nil, updated: 1)])
        #expect(try checkedEntries(test) == ["-1", "1"])
        // Another shape, another time, neither, both again.
        try test.poll([alert("a", Self.ring, at: (5, 5), updated: 2)])
        #expect(try checkedEntries(test) == ["1"])
        try test.poll([alert("a", Self.ring, at: (5, 5), hours: -1.5, updated: 3)])
        #expect(try checkedEntries(test) == ["1"])
        try test.poll([alert("a", nil, hours: -1.5, updated: 4)])
        #expect(try checkedEntries(test).isEmpty)
        try test.poll([alert("a", Self.acrossFiji, at: (-17.5, 180), updated: 5)])
        #expect(try checkedEntries(test) == ["-1", "1"])
        // Located by the city table.
        let waiting = try test.store.unlocated(limit: 1, generation: "g")
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let outcomes = waiting.map { (event: $0, outcome: LocalOutcome.located(Location(place, method: .gazetteer))) }
        _ = try test.store.apply(outcomes, generation: "g", at: start)
        #expect(try checkedEntries(test) == ["-1", "1", "2"])
        // Withdrawn events keep their entries until their words are deleted.
        func withdraw(erases: Bool) throws {
            let withdrawal = Withdrawal(
                provider: "alerts", id: "a", reason: erases ? .deleted : .cancelled, time: start + 600, evidence: "x",
                erases: erases)
            try test.poll([], withdrawals: [withdrawal])
        }
        try withdraw(erases: false)
        #expect(try checkedEntries(test) == ["-1", "1", "2"])
        try withdraw(erases: true)
        #expect(try checkedEntries(test) == ["2"])
    }

    @Test func entriesGoWithTheirEvent() throws {
        let test = try TestStore()
        try test.poll([alert("a", Self.acrossFiji, at: (-17.5, 180)), alert("b", Self.acrossFiji, at: (-17.5, 180))])
        var merged = alert("a", Self.acrossFiji, at: (-17.5, 180), updated: 1)
        merged.aliases = ["b"]
        #expect(try test.poll([merged]).merged == 1)
        #expect(try checkedEntries(test) == ["-1", "1"])
        _ = try test.store.truncate(asOf: start + 100 * 3600)
        #expect(try checkedEntries(test).isEmpty)
        try test.poll([alert("c", Self.acrossFiji, hours: 99)], at: start + 100 * 3600)
        #expect(try checkedEntries(test).count == 2)
        _ = try test.store.reset(source: "quakes", includingEvents: true, at: start + 100 * 3600)
        #expect(try checkedEntries(test).isEmpty)
    }

    @Test func aTimeOfFirstSightThatWasInDoubtMovesInTheTree() throws {
        let test = try TestStore()
        let past = start - 5_000_000
        let events = [
            alert("a", Self.acrossFiji, at: (-17.5, 180), hours: nil), alert("b", nil, at: (5, 5), hours: nil),
            alert("c", nil, at: (6, 6)),
        ]
        try test.poll(events, at: past, isClockTrusted: false)
        let before = try checkedEntries(test)
        try test.poll([], at: start)
        #expect(try checkedEntries(test) == before && before == ["-1", "1", "2", "3"])
        let since: (inout EventQuery) -> Void = { $0.since = start - 60 }
        #expect(try ids(test, in: [170, -30, -170, 0], since) == ["a"])
        #expect(try ids(test, in: [0, 0, 10, 10], since) == ["b"])
    }
}
