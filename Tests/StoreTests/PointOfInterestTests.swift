import Foundation
import Model
import Testing

@testable import Store

@Suite struct PointOfInterestTests {
    /// A volcano with a plain ASCII name.
    private func volcano(
        _ name: String, _ number: Int? = nil, _ latitude: Double = 37.75, _ longitude: Double = 15,
        country: String? = nil, picture: String? = nil, webcam: String? = nil, text: String? = nil,
        details: String = "{}"
    ) throws -> PointOfInterest {
        PointOfInterest(
            number: number, name: name, foldedName: name.lowercased(),
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)), country: country,
            picture: picture, webcam: webcam, text: text, details: details)
    }

    private func result(_ new: Int, _ changed: Int, _ unchanged: Int) -> PointSeedResult {
        var result = PointSeedResult()
        result.new = new
        result.changed = changed
        result.unchanged = unchanged
        return result
    }

    private func keys(_ test: TestStore) throws -> [String] { try test.store.pointsOfInterest().map { $0.key } }

    @Test("The same list again writes nothing, and what has changed is written alone")
    func idempotent() throws {
        let test = try TestStore()
        var list = [
            try volcano("Etna", 211060, country: "Italy", details: #"{"elevation_m":3357}"#),
            try volcano("Fuego", nil, 14.473, -90.88, picture: "http://example.org/f.jpg"),
        ]
        #expect(try test.store.seed(list, at: start) == result(2, 0, 0))
        let written = try test.writtenRows()
        let generation = try test.store.pointsGeneration()
        #expect(try test.store.seed(list, at: start + 60) == result(0, 0, 2))
        #expect(try test.writtenRows() == written)
        #expect(try test.store.pointsGeneration() == generation)
        list[1].webcam = "http://example.org/cam"
        #expect(try test.store.seed(list, at: start + 120) == result(0, 1, 1))
        #expect(try test.writtenRows() == written + 1)
        #expect(try test.store.pointsGeneration() != generation)
        let stored = try test.store.pointsOfInterest()
        #expect(stored.map { $0.point } == list)
        #expect(stored.map { $0.key } == ["gvp:211060", "fuego@14.5,-90.9"])
        #expect(stored.map { $0.seeded } == [start, start + 120])
    }

    @Test("A list with numbers and one without meet in one row, in either order")
    func lists() throws {
        let numbered = try volcano("Etna", 211060, 37.748, 14.993, country: "Italy", details: #"{"type":"S"}"#)
        let plain = try volcano("ETNA", nil, 37.6, 15.1, picture: "http://example.org/e.jpg", text: "High.")
        var both = numbered
        both.picture = plain.picture
        both.text = plain.text
        for lists in [[plain, numbered], [numbered, plain]] {
            let test = try TestStore()
            for point in lists { _ = try test.store.seed([point], at: start) }
            #expect(try keys(test) == ["gvp:211060"])
            #expect(try test.store.pointsOfInterest().map { $0.point } == [both])
            for point in lists { #expect(try test.store.seed([point], at: start) == result(0, 0, 1)) }
        }
    }

    @Test("Another name, another number or more than 33 km apart is another volcano")
    func others() throws {
        let test = try TestStore()
        #expect(try test.store.seed([try volcano("Etna", 211060)], at: start) == result(1, 0, 0))
        #expect(try test.store.seed([try volcano("Etna", 211061)], at: start) == result(1, 0, 0))
        #expect(try test.store.seed([try volcano("Etna", nil, 38.05)], at: start) == result(1, 0, 0))
        #expect(try test.store.seed([try volcano("Vulcano")], at: start) == result(1, 0, 0))
        #expect(try test.store.seed([try volcano("Unnamed")], at: start) == result(1, 0, 0))
        #expect(try test.store.seed([try volcano("Unnamed", 999_999, 37.85)], at: start) == result(1, 0, 0))
        #expect(try keys(test).count == 6)
    }

    @Test("Across 180° a volcano is met too")
    func dateLine() throws {
        let test = try TestStore()
        _ = try test.store.seed([try volcano("Rabbit", nil, 51.9, 179.95)], at: start)
        #expect(try test.store.seed([try volcano("Rabbit", 311999, 51.9, -179.95)], at: start) == result(0, 1, 0))
        #expect(try keys(test) == ["gvp:311999"])
    }

    @Test("Each point of a list takes the nearest row of its name, and no row is taken twice")
    func nearest() throws {
        let test = try TestStore()
        let rows = [try volcano("Unnamed", 300085, 52.96, 158.52), try volcano("Unnamed", 300086, 52.93, 158.54)]
        _ = try test.store.seed(rows, at: start)
        let list = [
            try volcano("Unnamed", nil, 52.925, 158.53, text: "b"),
            try volcano("Unnamed", nil, 52.955, 158.5, text: "a"),
        ]
        #expect(try test.store.seed(list, at: start) == result(0, 2, 0))
        #expect(try test.store.pointsOfInterest().map { $0.point.text } == ["a", "b"])
    }

    @Test("A volcano goes on being found by the names it had")
    func renamed() throws {
        let test = try TestStore()
        let plain = try volcano("Alban Hills", nil, 41.73, 12.7, picture: "http://example.org/a.jpg")
        _ = try test.store.seed([try volcano("Colli Albani", 211004, 41.73, 12.7)], at: start)
        #expect(try test.store.seed([plain], at: start) == result(1, 0, 0), "nothing says that they are one")
        #expect(try test.store.seed([try volcano("Alban Hills", 211004, 41.73, 12.7)], at: start) == result(0, 1, 0))
        #expect(try keys(test) == ["gvp:211004"])
        #expect(try test.store.seed([try volcano("Colli Albani", 211004, 41.73, 12.7)], at: start) == result(0, 1, 0))
        #expect(try test.store.seed([plain], at: start) == result(0, 0, 1))
        var query = PointQuery()
        query.words = ["alban", "hills"]
        let found = try test.store.pointsOfInterest(query)
        #expect(found.map { $0.point.name } == ["Colli Albani"])
        #expect(found.first?.spellings.map { $0.name } == ["Colli Albani", "alban hills"])
        #expect(found.first?.point.picture == plain.picture)
    }

    @Test("A list may lack what another had, and two rows of one key in a list count once")
    func kept() throws {
        let test = try TestStore()
        let full = try volcano(
            "Etna", 211060, country: "Italy", picture: "http://example.org/e.jpg", webcam: "http://example.org/w",
            text: "High.", details: #"{"type":"S"}"#)
        _ = try test.store.seed([full], at: start)
        #expect(try test.store.seed([try volcano("Etna", 211060)], at: start) == result(0, 0, 1))
        let twice = [try volcano("Mongibello", 211060), try volcano("Etna", 211060)]
        #expect(try test.store.seed(twice, at: start) == result(0, 1, 1))
        var renamed = full
        renamed.name = "Mongibello"
        renamed.foldedName = "mongibello"
        #expect(try test.store.pointsOfInterest().map { $0.point } == [renamed])
    }

    @Test("Points are never truncated, and are no change that followers see")
    func truncation() throws {
        let test = try TestStore()
        try test.poll([quake("a")])
        let last = try test.store.lastChange()
        _ = try test.store.seed([try volcano("Etna", 211060)], at: start)
        #expect(try test.store.lastChange() == last)
        _ = try test.store.truncate(asOf: start + 20 * 365 * 86_400)
        #expect(try test.store.events(EventQuery()).isEmpty)
        #expect(try keys(test) == ["gvp:211060"])
    }

    @Test("Words must all occur in the name")
    func words() throws {
        let test = try TestStore()
        let names = ["Soufriere Hills", "Soufriere St Vincent", "Hills of Nowhere"]
        _ = try test.store.seed(try names.map { try volcano($0) }, at: start)
        func found(_ words: String...) throws -> [String] {
            var query = PointQuery()
            query.words = words
            return try test.store.pointsOfInterest(query).map { $0.point.name }
        }
        #expect(try found("soufriere") == ["Soufriere Hills", "Soufriere St Vincent"])
        #expect(try found("hills") == ["Hills of Nowhere", "Soufriere Hills"])
        #expect(try found("hills", "soufriere") == ["Soufriere Hills"])
        #expect(try found("soufr*", "v*") == ["Soufriere St Vincent"])
        #expect(try found("soufr").isEmpty)
        #expect(try found("").isEmpty)
        #expect(try found("*").count == 3)
        #expect(try found().count == 3)
        var query = PointQuery()
        query.takesParts = true
        for (words, count) in [
            (["soufr"], 2), (["friere", "vinc"], 1), (["ills*"], 2), (["x"], 0), ([""], 0), (["*"], 3),
        ] {
            query.words = words
            #expect(try test.store.pointsOfInterest(query).count == count, "\(words)")
        }
    }

    @Test("Near a place the nearest come first, right across 180° and at the pole")
    func near() throws {
        let test = try TestStore()
        _ = try test.store.seed(
            [
                try volcano("Semisopochnoi", 311060, 51.93, 179.58), try volcano("Gareloi", 311070, 51.79, -178.794),
                try volcano("Kiska", 311020, 52.103, 177.602), try volcano("Pole", nil, 89.9, 0),
                try volcano("South", nil, -90, 0),
            ], at: start)
        func found(
            _ latitude: Double, _ longitude: Double, _ kilometres: Double, limit: Int? = nil
        ) throws -> [String] {
            var query = PointQuery()
            let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
            query.near = EventQuery.Circle(centre: centre, kilometres: kilometres)
            query.limit = limit
            let points = try test.store.pointsOfInterest(query)
            #expect(points.allSatisfy { ($0.kilometres ?? .infinity) <= kilometres })
            return points.map { $0.point.name }
        }
        #expect(try found(52, 180, 170) == ["Semisopochnoi", "Gareloi", "Kiska"])
        #expect(try found(52, -180, 90) == ["Semisopochnoi", "Gareloi"])
        #expect(try found(52, 180, 170, limit: 1) == ["Semisopochnoi"])
        #expect(try found(89.9, 180, 23) == ["Pole"])
        #expect(try found(89.9, 180, 22).isEmpty)
        #expect(try found(-89.95, 77, 6) == ["South"])
    }

    @Test("An event is found by its public id, also one that was withdrawn")
    func event() throws {
        let test = try TestStore()
        try test.poll([quake("a", updated: 1)])
        let publicID = try #require(try test.store.events(EventQuery()).first?.publicID)
        #expect(try test.store.event(publicID: publicID)?.event.id == "a")
        #expect(try test.store.event(publicID: "nobody") == nil)
        let withdrawal = Withdrawal(
            provider: "usgs", id: "a", reason: .cancelled, time: start + 300, evidence: "Cancel a")
        try test.poll([], withdrawals: [withdrawal])
        #expect(try test.store.events(EventQuery()).isEmpty)
        #expect(try test.store.event(publicID: publicID)?.withdrawal?.reason == "cancelled")
    }

    @Test("The view shows what was seeded")
    func view() throws {
        let test = try TestStore()
        _ = try test.store.seed(
            [try volcano("Etna", 211060, country: "Italy", webcam: "http://example.org/w", details: #"{"type":"S"}"#)],
            at: start)
        let sql = """
            SELECT key, kind, name, latitude, longitude, picture, webcam, text, number, country,
              json_extract(details_json, '$.type'), seeded_ms
            FROM points_of_interest_v1
            """
        let row = [
            "gvp:211060", "volcano", "Etna", "37.75", "15.0", "NULL", "http://example.org/w", "NULL", "211060", "Italy",
            "S", "1772323200000",
        ]
        #expect(try test.rows(sql) == [row])
    }
}
