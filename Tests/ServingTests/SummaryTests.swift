import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

/// `/summary/histogram`, `/summary/hotspots` and `/summary/authors`.
@Suite struct SummaryTests {
    private func objects(_ test: TestAPI, _ path: String, _ name: String, _ query: String? = nil) throws
        -> [[String: Any]]
    {
        try #require(try test.json(path, query)[name] as? [[String: Any]])
    }

    private func located(_ id: String, by author: String, at placeID: String, _ evidence: PlaceEvidence) -> Event {
        var event = message(id, hours: -1)
        event.author = Author(name: author)
        event.location = Coordinate(latitude: 48, longitude: 11).map {
            Location(
                $0, method: .gazetteer, precision: .city, matchedText: "Munich", evidence: evidence, placeID: placeID)
        }
        return event
    }

    @Test func aHistogramCountsByTimeAndCategory() throws {
        let test = try TestAPI.filled()
        let day = try test.json("/summary/histogram")
        #expect(day["bin"] as? Int == 86_400)
        #expect(day["seq"] as? Int == 7)
        #expect(day["truncated"] as? Bool == false)
        let days = try objects(test, "/summary/histogram", "bins")
        #expect(days.map { $0["start"] as? String } == ["2026-02-28T00:00:00.000Z"])
        #expect(days.map { $0["count"] as? Int } == [7])
        #expect(days.first?["categories"] == nil)
        let hours = try objects(test, "/summary/histogram", "bins", "bin=7200&by=category&category=earthquake,news")
        #expect(
            hours.map { $0["start"] as? String } == [
                "2026-02-28T18:00:00.000Z", "2026-02-28T20:00:00.000Z", "2026-02-28T22:00:00.000Z",
            ])
        #expect(
            hours.map { $0["categories"] as? [String: Int] } == [["news": 2], ["earthquake": 2], ["earthquake": 2]])
        // 2026-02-23 was a Monday.
        let weeks = try objects(test, "/summary/histogram", "bins", "bin=week")
        #expect(weeks.map { $0["start"] as? String } == ["2026-02-23T00:00:00.000Z"])
    }

    @Test func soManyBinsCoverTheRecordAndHaveARoundLength() throws {
        let test = try TestAPI.filled()
        // From 17:00 to 23:00.
        let answer = try test.json("/summary/histogram", "bins=10&by=category")
        #expect(answer["bin"] as? Int == 3600)
        #expect(answer["from"] as? String == "2026-02-28T17:00:00.000Z")
        #expect(answer["to"] as? String == "2026-02-28T23:00:00.000Z")
        #expect(answer["truncated"] as? Bool == false)
        let bins = try #require(answer["bins"] as? [[String: Any]])
        #expect(bins.map { $0["count"] as? Int } == [1, 1, 1, 1, 1, 1, 1])
        #expect(bins.first?["start"] as? String == "2026-02-28T17:00:00.000Z")
        #expect(bins.first?["categories"] as? [String: Int] == ["message": 1])
        // Empty bins come, too; other conditions count the same.
        for more in ["", "&q=storm*"] {
            let day = try test.json(
                "/summary/histogram", "bins=24&category=news&datetime=2026-02-28T00:00:00Z/2026-02-28T23:59:59Z" + more)
            #expect(day["bin"] as? Int == 3600)
            let counts = try #require(day["bins"] as? [[String: Any]]).map { $0["count"] as? Int ?? -1 }
            #expect(counts.count == 24)
            #expect(
                counts.enumerated().filter { $0.element > 0 }.map { $0.offset } == (more.isEmpty ? [18, 19] : [18]))
        }
        let nothing = try test.json("/summary/histogram", "bins=100&min_magnitude=9")
        #expect(nothing["bins"] as? [String] == [])
        #expect(nothing["from"] == nil && nothing["to"] == nil)
    }

    @Test(arguments: [1, 2, 3, 7, 180, 2000])
    func binsAreNeverMoreThanWasAskedFor(most: Int) {
        for (from, to) in [
            (0, 0), (0, 1), (-1, 1), (-3_600_000, 3_600_000), (0, 86_400_000),
            (-62_135_596_800_000, 253_402_300_799_999),
            (1_262_304_000_000, 1_795_910_400_000), (1_772_323_200_123, 1_772_582_400_456),
        ] as [(Int64, Int64)] {
            let span = Date(milliseconds: from)...Date(milliseconds: to)
            let width = BinWidth(covering: span, atMost: most)
            let count = width.count(over: span)
            #expect((1...most).contains(count), "\(from) \(to): \(width)")
            let first = width.start(of: span.lowerBound)
            #expect(first <= span.lowerBound)
            #expect(first + Double(width.seconds) * Double(count) > span.upperBound)
        }
    }

    @Test func hotspotsArePointsWithCounts() throws {
        let test = try TestAPI.filled()
        try test.poll(
            [located("1", by: "ann", at: "city:1", .title), located("2", by: "bob", at: "city:1", .author)],
            from: "tweets")
        let answer = test.get("/summary/hotspots")
        #expect(answer.header("content-type") == "application/geo+json")
        let features = try objects(test, "/summary/hotspots", "features", "home=include")
        #expect(features.count == 5)
        let first = try #require(features.first)
        #expect(first["id"] as? String == "city:1")
        #expect((first["geometry"] as? [String: Any])?["coordinates"] as? [Double] == [11, 48])
        let properties = try #require(first["properties"] as? [String: Any])
        #expect(properties["name"] as? String == "Munich")
        #expect(properties["count"] as? Int == 2)
        #expect(properties["newest"] as? String == "2026-02-28T23:00:00.000Z")
        #expect(properties["categories"] as? [String: Int] == ["message": 2])
        let squares = try objects(test, "/summary/hotspots", "features", "cell=10&category=earthquake")
        #expect(squares.map { $0["id"] as? String }.contains("square:-65,-15"))
        let one = try test.json("/summary/hotspots", "limit=1")
        #expect(one["numberReturned"] as? Int == 1)
        #expect(one["truncated"] as? Bool == true)
    }

    @Test func authorsAreCountedWithoutTheirHomes() throws {
        let test = try TestAPI.filled()
        try test.poll(
            [located("1", by: "ann", at: "city:1", .title), located("2", by: "bob", at: "city:1", .author)],
            from: "tweets")
        func names(_ query: String? = nil) throws -> [String] {
            try objects(test, "/summary/authors", "authors", query).compactMap { $0["author_name"] as? String }
        }
        #expect(try names() == ["A. Writer", "ann"])
        #expect(try names("home=include") == ["A. Writer", "ann", "bob"])
        #expect(try names("home=only") == ["bob"])
        #expect(try names("evidence=author") == ["bob"])
        #expect(try names("evidence=author&home=exclude") == [])
        #expect(try names("home=include&limit=1") == ["A. Writer"])
        let first = try #require(try objects(test, "/summary/authors", "authors").first)
        #expect(first["events"] as? Int == 2)
        #expect(first["latest"] as? String == "2026-02-28T19:00:00.000Z")
    }

    @Test func homeMeansTheSameEverywhere() throws {
        let test = try TestAPI.filled()
        try test.poll(
            [located("1", by: "ann", at: "city:1", .title), located("2", by: "bob", at: "city:1", .author)],
            from: "tweets")
        // What comes by default, and with each word.
        func counts(_ count: (String) throws -> Int) throws -> [Int] {
            try ["", "&home=include", "&home=exclude", "&home=only", "&evidence=author"].map { try count($0) }
        }
        let items = try counts { try test.ids("category=message" + $0).count }
        #expect(items == [3, 3, 2, 1, 1])
        let columns = try counts { query in
            let answer = try test.json("/collections/messages/items", "f=columns" + query)
            return try #require((answer["columns"] as? [String: [Any]])?["id"]).count
        }
        #expect(columns == items)
        let versions = try counts { query in
            let answer = try test.json("/collections/messages/items", "f=columns&versions=true" + query)
            return try #require((answer["columns"] as? [String: [Any]])?["id"]).count
        }
        #expect(versions == items)
        let changes = try counts { query in
            let answer = try test.json("/changes", "after=0&category=message" + query)
            return try #require(answer["changes"] as? [[String: Any]]).count
        }
        #expect(changes == items)
        let bins = try counts { query in
            try objects(test, "/summary/histogram", "bins", "category=message" + query)
                .reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
        }
        #expect(bins == items)
        let spots = try counts { query in
            try objects(test, "/summary/hotspots", "features", "category=message" + query)
                .reduce(0) { $0 + (($1["properties"] as? [String: Any])?["count"] as? Int ?? 0) }
        }
        #expect(spots == [1, 2, 1, 1, 1])
        #expect(try test.ids("home=only&as_of=9") == ["2"])
        let refusal = try test.json("/collections/events/items", "home=only&located=false", status: 400)
        #expect(refusal["parameter"] as? String == "located")
    }

    @Test(arguments: ["histogram", "hotspots", "authors"])
    func conditionsMeanTheSameAsWithItems(name: String) throws {
        let test = try TestAPI.filled()
        let list = ["histogram": "bins", "hotspots": "features"][name] ?? "authors"
        let number = name == "authors" ? "events" : "count"
        func count(_ query: String) throws -> Int {
            try objects(test, "/summary/\(name)", list, query).reduce(0) { sum, object in
                let holder = object["properties"] as? [String: Any] ?? object
                return sum + (holder[number] as? Int ?? 0)
            }
        }
        let only = ["histogram": "", "hotspots": "&located=true", "authors": "&author=A.+Writer"][name] ?? ""
        for query in [
            "bbox=170,-50,-170,-10", "latitude=-20&longitude=-70&radius=50", "datetime=2026-02-28T22:00:00Z/..",
            "min_magnitude=5.5",
            "q=storm", "source=news,tweets", "category=earthquake", "provider=usgs", "withdrawn=only",
        ] {
            let items = try test.ids(query + only).count
            #expect(try count(query + only) == items, "\(query)")
        }
    }

    @Test(arguments: [
        ("histogram", "bin=0", "bin"), ("histogram", "bin=month", "bin"), ("histogram", "bin=100000000", "bin"),
        ("histogram", "bins=0", "bins"), ("histogram", "bins=2001", "bins"), ("histogram", "bins=many", "bins"),
        ("histogram", "bins=5&bin=day", "bin"), ("histogram", "by=source", "by"), ("histogram", "limit=5", "limit"),
        ("histogram", "bbox=1", "bbox"),
        ("hotspots", "cell=0", "cell"), ("hotspots", "cell=11", "cell"), ("hotspots", "cell=x", "cell"),
        ("hotspots", "f=csv", "f"), ("authors", "home=away", "home"), ("authors", "limit=0", "limit"),
        ("authors", "as_of=1", "as_of"),
    ]) func whatIsWrongIsNamed(name: String, query: String, parameter: String) throws {
        let test = try TestAPI.filled()
        let problem = try test.json("/summary/\(name)", query, status: 400)
        #expect(problem["parameter"] as? String == parameter)
    }

    @Test func cachesAreThoseOfItems() throws {
        let test = try TestAPI.filled()
        for name in ["histogram", "hotspots", "authors"] {
            let path = "/summary/\(name)"
            let answer = test.get(path)
            #expect(answer.header("cache-control") == "private, no-cache")
            let tag = try #require(answer.header("etag"))
            #expect(test.get(path, headers: ["if-none-match": tag], now: start + 59).status == 304)
            #expect(test.get(path, headers: ["if-none-match": tag], now: start + 60).status == 200)
            let messages = test.get(path, "category=message")
            #expect(messages.header("cache-control") == "no-store")
            #expect(messages.header("etag") == nil)
        }
        #expect(test.get("/summary/words").status == 404)
        #expect(test.get("/summary").status == 404)
    }

    @Test func theDescriptionNamesEachParameterThatIsTaken() throws {
        let test = try TestAPI.filled()
        let paths = try #require(try test.json("/api")["paths"] as? [String: [String: Any]])
        for path in [
            "/summary/histogram", "/summary/hotspots", "/summary/authors", "/status", "/health", "/metrics",
            "/basemap/places",
        ] {
            let get = try #require(paths[path]?["get"] as? [String: Any], "\(path)")
            let named = try #require(get["parameters"] as? [[String: Any]]).compactMap { $0["name"] as? String }
            let refusal = try test.json(path, "unknown=1", status: 400)
            let taken = try #require(refusal["accepted"] as? String).components(separatedBy: ", ")
            #expect(Set(named) == Set(taken).subtracting(["no parameters"]), "\(path)")
        }
    }
}
