import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

@Suite struct ItemsTests {
    @Test func anItemWithoutAPlaceSaysWhy() throws {
        let test = try TestAPI.filled()
        func reasons(_ object: [String: Any]) -> [String?] {
            test.features(object).map { ($0["properties"] as? [String: Any])?["location_missing"] as? String }
        }
        let path = "/collections/events/items"
        #expect(try reasons(test.json(path, "located=false")) == ["waiting", "waiting", "waiting"])
        #expect(try reasons(test.json(path, "located=true")) == [nil, nil, nil, nil])
        #expect(try reasons(test.json(path, "located=false&as_of=7")) == [nil, nil, nil])
        let item = try test.json("\(path)/\(try test.publicID("hello"))")
        #expect((item["properties"] as? [String: Any])?["location_missing"] as? String == "waiting")
        let columns = try test.json(path, "located=false&f=columns&properties=location_missing")
        let column = (columns["columns"] as? [String: [Any]])?["location_missing"] as? [String]
        #expect(column == ["waiting", "waiting", "waiting"])
        #expect(try !test.text(test.get(path, "f=csv")).contains("location_missing"))
    }

    @Test func aPageIsAFeatureCollection() throws {
        let test = try TestAPI.filled()
        let page = try test.json("/collections/earthquakes/items")
        #expect(page["type"] as? String == "FeatureCollection")
        #expect(page["numberMatched"] as? Int == 4)
        #expect(page["numberReturned"] as? Int == 4)
        #expect(page["seq"] as? Int == 7)
        let feature = try #require(test.features(page).first)
        let id = try test.publicID("chile")
        #expect(feature["id"] as? String == id)
        #expect(test.link("next", of: page) == nil)
        #expect(test.link("collection", of: page) == "http://api.example:8423/collections/earthquakes")
        let links = try #require(page["links"] as? [[String: Any]])
        let others = links.filter { $0["rel"] as? String == "alternate" }.compactMap { $0["type"] as? String }
        #expect(others == ["text/html", "text/csv", "application/x-ndjson", "application/geo+json-seq"])
        #expect(test.get("/collections/earthquakes/items").header("content-type") == "application/geo+json")
    }

    @Test func eachConditionNarrows() throws {
        let test = try TestAPI.filled()
        #expect(try test.ids().count == 7)
        #expect(try test.ids("bbox=170,-50,-170,-10") == ["fiji-west", "fiji-east"])
        #expect(try test.ids("bbox=170,-50,0,-170,-10,100") == ["fiji-west", "fiji-east"])
        #expect(try test.ids("latitude=-20&longitude=-70&radius=50") == ["chile"])
        #expect(try test.ids("datetime=2026-02-28T22:00:00Z/..") == ["chile", "fiji-west"])
        #expect(try test.ids("datetime=2026-02-28T22:00:00Z") == ["fiji-west"])
        #expect(try test.ids("datetime=2026-02-28").count == 7)
        #expect(try test.ids("datetime=2026-03-01").isEmpty)
        #expect(try test.ids("min_magnitude=5.5") == ["fiji-west"])
        #expect(try test.ids("max_magnitude=5.5") == ["chile", "pole"])
        #expect(try test.ids("q=storm") == ["storm"])
        #expect(try test.ids("q=%22%20OR%20storm*") == [])
        #expect(try test.ids("author=A.+Writer") == ["eruption", "storm"])
        #expect(try test.ids("source=news,tweets") == ["eruption", "storm", "hello"])
        #expect(try test.ids("source=news&source=tweets").count == 3)
        #expect(try test.ids("category=message") == ["hello"])
        #expect(try test.ids("provider=usgs").count == 4)
        #expect(try test.ids("located=false") == ["eruption", "storm", "hello"])
        #expect(try test.ids("precision=point").count == 4)
        #expect(try test.ids(nil, "news") == ["eruption", "storm"])
        #expect(try test.ids(nil, "alerts").isEmpty)
    }

    @Test(arguments: [
        ("bbox=1,2,3", "bbox"), ("bbox=0,10,1,5", "bbox"), ("bbox=0,0,0,91", "bbox"), ("near=1", "near"),
        ("near=-70,-20&radius=50", "near"), ("near=", "near"), ("radius=5", "radius"),
        ("latitude=0&longitude=0&radius=0", "radius"), ("latitude=91&longitude=0", "latitude"),
        ("latitude=0&longitude=361", "longitude"), ("latitude=1", "latitude"), ("longitude=1", "longitude"),
        ("latitude=x&longitude=1", "latitude"), ("latitude=1&longitude=2&near=Etna", "near"),
        ("datetime=2026-03-02/2026-03-01", "datetime"), ("datetime=yesterday", "datetime"),
        ("datetime=2026-02-30", "datetime"), ("min_magnitude=x", "min_magnitude"),
        ("min_magnitude=nan", "min_magnitude"),
        ("min_magnitude=6&max_magnitude=5", "min_magnitude"), ("q=%2A", "q"), ("q=", "q"), ("located=maybe", "located"),
        ("precision=street", "precision"), ("country=Japan", "country"), ("located=false&precision=point", "located"),
        ("limit=0", "limit"), ("limit=-1", "limit"), ("cursor=x", "cursor"), ("sortby=title", "sortby"),
        ("properties=nothing", "properties"), ("f=xml", "f"), ("as_of=then", "as_of"), ("versions=true", "versions"),
        ("unknown=1", "unknown"), ("limit=1&limit=2", "limit"), ("source=a,,b", "source"), ("q=%ff", "q"),
        ("q=%00a", "q"), ("cursor=-time~-9223372036854775808~0123456789abcdef~1", "cursor"),
        ("cursor=-time~0~0123456789abcdef~x", "cursor"), ("cursor=-time~0~0123456789abcdef~1~5", "cursor"),
        ("cursor=0~0123456789abcdef~1", "cursor"), ("after=-1", "after"), ("as_of=8", "as_of"),
        ("as_of=2026-03-01T10:15", "as_of"), ("updated_after=2026-03-01T10:15:00", "updated_after"),
        ("skipGeometry=yes", "skipGeometry"), ("skipGeometry=true&f=csv", "skipGeometry"),
        ("skipGeometry=true&f=columns", "skipGeometry"),
    ]) func aBadParameterIsNamed(query: String, parameter: String) throws {
        let test = try TestAPI.filled()
        let answer = test.get("/collections/events/items", query)
        #expect(answer.status == 400)
        #expect(answer.header("content-type") == "application/problem+json")
        let problem = try test.json("/collections/events/items", query, status: 400)
        #expect(problem["parameter"] as? String == parameter)
        #expect(problem["found"] is String)
        #expect(problem["accepted"] is String)
        #expect(problem["status"] as? Int == 400)
    }

    @Test func aLimitBeyondTheMostIsNoError() throws {
        let test = try TestAPI.filled()
        #expect(try test.ids("limit=99999999999999999999").count == 7)
    }

    /// Follows the links from page to page.
    private func walk(_ test: TestAPI, _ query: String, between: () throws -> Void = {}) throws -> [String] {
        var found: [String] = []
        var (path, query) = ("/collections/events/items", query as String?)
        for _ in 0..<20 {
            let page = try test.json(path, query)
            found += test.features(page).compactMap {
                ($0["properties"] as? [String: Any])?["upstream_id"] as? String
            }
            guard let next = test.link("next", of: page) else { return found }
            (path, query) = test.parts(next)
            try between()
        }
        return found
    }

    @Test(arguments: ["-time", "time", "-magnitude", "magnitude"])
    func aCursorBelongsToItsOrder(order: String) throws {
        let test = try TestAPI.filled()
        let page = try test.json("/collections/events/items", "limit=1&sortby=\(order)")
        let (path, query) = test.parts(try #require(test.link("next", of: page)))
        let next = try #require(query)
        #expect(test.get(path, next).status == 200)
        for other in ["-time", "time", "-magnitude", "magnitude"] where other != order {
            let wrong = next.replacingOccurrences(of: "sortby=\(order)&", with: "sortby=\(other)&")
            #expect(wrong != next)
            let problem = try test.json(path, wrong, status: 400)
            #expect(problem["parameter"] as? String == "cursor", "\(other)")
        }
    }

    @Test(arguments: 1...7) func pagesShowEachEventOnce(limit: Int) throws {
        let test = try TestAPI.filled()
        let all = ["chile", "fiji-west", "fiji-east", "pole", "eruption", "storm", "hello"]
        #expect(try walk(test, "limit=\(limit)") == all)
        #expect(try walk(test, "sortby=-time&limit=\(limit)") == all)
        #expect(try walk(test, "sortby=%2Btime&limit=\(limit)") == all.reversed())
        #expect(try walk(test, "sortby=time&limit=\(limit)&f=geojson") == all.reversed())
        #expect(try walk(test, "sortby=-magnitude&limit=\(limit)") == ["fiji-west", "chile", "pole"])
        #expect(try walk(test, "sortby=magnitude&limit=\(limit)") == ["pole", "chile", "fiji-west"])
    }

    @Test func whatIsStoredMeanwhileComesInNoLaterPage() throws {
        let test = try TestAPI.filled()
        var count = 0
        let found = try walk(test, "limit=2") {
            count += 1
            try test.poll([quake("new-\(count)", hours: -0.5)])
        }
        #expect(found == ["chile", "fiji-west", "fiji-east", "pole", "eruption", "storm", "hello"])
        let page = try test.json("/collections/events/items", "after=7")
        #expect(test.features(page).count == 3)
    }

    @Test func noEventComesTwiceAfterTheOneAtTheEndOfAPageWasMerged() throws {
        let test = try TestAPI()
        let names = ["q1", "q2", "q3", "q4"]
        try test.poll(names.map { quake($0) })
        var isMerged = false
        let found = try walk(test, "limit=3") {
            guard !isMerged else { return }
            isMerged = true
            try test.poll([quake("q1", aliases: ["q2"], updated: 1), quake("q3"), quake("q4")], at: start + 60)
        }
        #expect(found == ["q4", "q3", "q2", "q1"])
        #expect(try test.ids().count == 3)
    }

    @Test func aLongPageIsReadInPieces() throws {
        let test = try TestAPI()
        let events = (0..<2_500).map { quake("q\($0)", hours: -Double($0) / 60) }
        try test.poll(events)
        let answer = test.get("/collections/events/items", "limit=2400")
        guard case .pieces = answer.body else {
            Issue.record("the body is whole")
            return
        }
        let object = try JSONSerialization.jsonObject(with: Data(try test.text(answer).utf8)) as? [String: Any]
        let page = try #require(object)
        #expect(page["numberReturned"] as? Int == 2_400)
        #expect(page["numberMatched"] as? Int == 2_500)
        let ids = test.features(page).compactMap { ($0["properties"] as? [String: Any])?["upstream_id"] as? String }
        #expect(ids == events.prefix(2_400).map(\.id))
        #expect(test.link("next", of: page) != nil)
    }

    @Test(arguments: ["csv", "ndjson", "geojsonseq"])
    func tablesAndLinesTellTheNextPageInTheHead(form: String) throws {
        let test = try TestAPI()
        try test.poll((0..<1_100).map { quake("q\($0)", hours: -Double($0) / 60) })
        let answer = test.get("/collections/events/items", "limit=5000&properties=title&f=\(form)")
        let lines = try test.text(answer).split(whereSeparator: \.isNewline).count
        #expect(lines == (form == "csv" ? 1_001 : 1_000))
        let field = try #require(answer.header("link"))
        let (path, query) = test.parts(String(field.dropFirst().prefix { $0 != ">" }))
        let rest = test.get(path, query)
        #expect(try test.text(rest).split(whereSeparator: \.isNewline).count == (form == "csv" ? 101 : 100))
        #expect(rest.header("link") == nil)
    }

    /// A link has no field `Accept`.
    @Test(
        arguments: [
            ("text/csv", "csv"), ("application/x-ndjson", "ndjson"), ("application/geo+json-seq", "geojsonseq"),
            ("text/html", "html"), ("application/geo+json", nil), ("*/*", nil),
        ] as [(String, String?)])
    func theNextPageHasTheFormThatAcceptHasChosen(accept: String, form: String?) throws {
        let test = try TestAPI.filled()
        _ = try test.store.seed(
            try ["Etna", "Stromboli"].map { name in
                PointOfInterest(
                    number: name.utf8.count, name: name, foldedName: name.lowercased(),
                    coordinate: try #require(Coordinate(latitude: 38, longitude: 15)))
            }, at: start)
        for collection in ["events", "volcanoes"] {
            let answer = test.get("/collections/\(collection)/items", "limit=1", headers: ["accept": accept])
            let field = try #require(answer.header("link"), "\(collection)")
            let (path, query) = test.parts(String(field.dropFirst().prefix { $0 != ">" }))
            let named = query?.split(separator: "&").first { $0.hasPrefix("f=") }.map { String($0.dropFirst(2)) }
            #expect(named == form, "\(collection)")
            #expect(test.get(path, query).header("content-type") == answer.header("content-type"), "\(collection)")
        }
    }

    @Test func aSequenceHasAFeatureALineBehindASeparator() throws {
        let test = try TestAPI.filled()
        let answer = test.get("/collections/events/items", "f=geojsonseq&limit=3")
        #expect(answer.header("content-type") == "application/geo+json-seq")
        #expect(answer.header("link")?.contains("type=\"application/geo+json-seq\"") == true)
        let lines = try test.text(answer).split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("\u{1E}{\"type\":\"Feature\",") })
        let ids = try lines.map { line in
            let feature = try JSONSerialization.jsonObject(with: Data(line.dropFirst().utf8)) as? [String: Any]
            return (feature?["properties"] as? [String: Any])?["upstream_id"] as? String
        }
        #expect(ids == ["chile", "fiji-west", "fiji-east"])
        let place = try #require(Coordinate(latitude: 37.7, longitude: 15))
        _ = try test.store.seed([PointOfInterest(name: "Etna", foldedName: "etna", coordinate: place)], at: start)
        let volcanoes = try test.text(test.get("/collections/volcanoes/items", "f=geojsonseq"))
        #expect(volcanoes.hasPrefix("\u{1E}{\"type\":\"Feature\"") && volcanoes.hasSuffix("}\n"))
    }

    @Test func featuresComeWithoutTheirGeometryWhereThatIsAskedFor() throws {
        let test = try TestAPI.filled()
        let place = try #require(Coordinate(latitude: 37.7, longitude: 15))
        _ = try test.store.seed([PointOfInterest(name: "Etna", foldedName: "etna", coordinate: place)], at: start)
        for collection in ["earthquakes", "volcanoes"] {
            for (query, isWhole) in [("skipGeometry=true", false), ("skipGeometry=false", true), ("limit=9", true)] {
                let page = try test.json("/collections/\(collection)/items", query)
                #expect(!test.features(page).isEmpty)
                for feature in test.features(page) {
                    #expect((feature["geometry"] is NSNull) != isWhole, "\(collection)?\(query)")
                    #expect(feature["properties"] is [String: Any])
                }
                // The other forms have no such parameter.
                for link in try #require(page["links"] as? [[String: Any]]) {
                    let (path, query) = test.parts(try #require(link["href"] as? String))
                    #expect(test.get(path, query).status == 200, "\(path)?\(query ?? "")")
                }
            }
            let lines = try test.text(test.get("/collections/\(collection)/items", "skipGeometry=true&f=geojsonseq"))
            #expect(lines.contains("\"geometry\":null") && !lines.contains("\"coordinates\":["))
        }
    }

    @Test func theOtherNamesOfAnEventAreInEachForm() throws {
        let test = try TestAPI()
        try test.poll([quake("us1", aliases: ["nc1", "ci,1"])])
        let id = try test.publicID("us1")
        let names = #""aliases":["ci,1","nc1"]"#
        for (path, query) in [
            ("/collections/events/items", nil), ("/collections/events/items", "f=ndjson"),
            ("/collections/events/items", "f=geojsonseq"), ("/collections/events/items", "as_of=1"),
            ("/collections/events/items/\(id)", nil), ("/collections/events/items/\(id)", "as_of=1"),
            ("/changes", nil),
        ] as [(String, String?)] {
            #expect(try test.text(test.get(path, query)).contains(names), "\(path)?\(query ?? "")")
        }
        let table = test.get("/collections/events/items", "f=csv&properties=upstream_id,aliases")
        #expect(try test.text(table) == "upstream_id,aliases\r\nus1,\"ci,1;nc1\"\r\n")
        let usgs = try test.json("/earthquakes/feed/v1.0/summary/all_day.geojson")
        let properties = test.features(usgs).first?["properties"] as? [String: Any]
        #expect(properties?["ids"] as? String == ",us1,ci%2C1,nc1,")
    }

    // MARK: - Times that programs send

    @Test(arguments: [
        // GDAL of a date, QGIS of a time without zone and of an open beginning, Grafana.
        ("2026-02-28T/..", 7), ("../2026-02-28T", 0), ("../2026-03-01T", 7), ("2026-02-28T/2026-03-01T", 7),
        ("2026-02-28T", 7), ("2026-03-01T", 0),
        ("2026-02-28T22:00:00/9999-12-31T00:00:00Z", 2), ("2026-02-28T22:00:00.5", 0),
        ("0000-01-01T00:00:00Z/2026-02-28T20:00:00Z", 4), ("0000-01-01/2026-02-28", 7),
        ("1772316000000/..", 2), ("1772316000000", 1), ("1772312400000/1772316000000", 2), ("../1772316000001", 6),
        // The last leap second so far.
        ("2016-12-31T23:59:60Z/..", 7), ("2017-01-01T05:29:60%2B05:30/..", 7),
    ]) func theTimesOfProgramsAreRead(datetime: String, count: Int) throws {
        #expect(try TestAPI.filled().ids("datetime=\(datetime)").count == count)
    }

    @Test func conditionsHaveABound() throws {
        let test = try TestAPI.filled()
        func list(_ count: Int) -> String { (0..<count).map { "s\($0)" }.joined(separator: ",") }
        let others = (0..<99).map {
            SourceSettings(name: "s\($0)", kind: "rss", url: "https://example.org/\($0)")
        }
        try test.store.reconcile(others, at: start)
        func words(_ count: Int) -> String { (0..<count).map { "w\($0)" }.joined(separator: "+") }
        #expect(try test.ids("source=quakes,\(list(99))").count == 4)
        #expect(try test.ids("q=\(words(16))").isEmpty)
        for (query, name) in [
            ("source=\(list(101))", "source"), ("category=\(list(60))&category=\(list(41))", "category"),
            ("q=\(words(17))", "q"), ("q=\(String(repeating: "w", count: 251))", "q"),
        ] {
            let problem = try test.json("/collections/events/items", query, status: 400)
            #expect(problem["parameter"] as? String == name)
        }
    }

    @Test func withdrawnEventsComeWhenTheyAreAskedFor() throws {
        let test = try TestAPI.filled()
        try test.poll(
            [], at: start + 60,
            withdrawals: [Withdrawal(provider: "usgs", id: "pole", reason: .cancelled, time: start, evidence: "Cancel")]
        )
        #expect(try test.ids().count == 6)
        #expect(try test.ids("withdrawn=include").count == 7)
        #expect(try test.ids("withdrawn=only") == ["pole"])
        let changed = try test.json("/collections/events/items", "updated_after=2026-03-01T00:01:00Z")
        let properties = test.features(changed).first?["properties"] as? [String: Any]
        #expect(properties?["withdrawn"] as? String == "cancelled")
        #expect(try test.ids("updated_after=2026-03-01T00:01:00Z&withdrawn=exclude").isEmpty)
    }

    @Test func erasedEventsTakeNoPlaceOnAPage() throws {
        let test = try TestAPI()
        try test.poll((1...3).map { message("m\($0)", hours: -Double($0)) }, from: "tweets")
        let deletion = Withdrawal(
            provider: "twitter", id: "m1", reason: .deleted, time: start, evidence: "deleted", erases: true)
        try test.poll([], from: "tweets", at: start + 60, withdrawals: [deletion])
        let page = try test.json("/collections/events/items", "withdrawn=include&limit=1")
        #expect(test.features(page).count == 1)
        #expect(page["numberMatched"] as? Int == 2)
        let csv = test.get("/collections/events/items", "withdrawn=include&limit=1&f=csv")
        #expect(try test.text(csv).split(separator: "\r\n").count == 2)
        #expect(csv.header("link")?.contains("rel=\"next\"") == true)
        #expect(try test.ids("withdrawn=include") == ["m2", "m3"])
    }

    @Test func chosenPropertiesAreWritten() throws {
        let test = try TestAPI.filled()
        let page = try test.json("/collections/earthquakes/items", "properties=title,magnitude,latitude&limit=1")
        let feature = try #require(test.features(page).first)
        #expect(Set((feature["properties"] as? [String: Any] ?? [:]).keys) == ["title", "magnitude"])
        let csv = try test.text(test.get("/collections/earthquakes/items", "properties=title,latitude&limit=1&f=csv"))
        #expect(csv == "title,latitude\r\nM chile,-20\r\n")
    }

    @Test func tablesAndLinesHoldTheSameEvents() throws {
        let test = try TestAPI.filled()
        let csv = test.get("/collections/events/items", "f=csv&limit=3")
        #expect(csv.header("content-type") == "text/csv; charset=utf-8")
        #expect(csv.header("link")?.contains("rel=\"next\"") == true)
        #expect(try test.text(csv).split(separator: "\r\n").count == 4)
        let lines = test.get("/collections/events/items", headers: ["accept": "application/x-ndjson"])
        #expect(try test.text(lines).split(separator: "\n").count == 7)
        let columns = try test.json("/collections/events/items", "f=columns&properties=title")
        let arrays = try #require(columns["columns"] as? [String: [Any]])
        #expect(arrays["title"]?.count == 7)
        #expect(arrays["time"]?.first as? Int == 1_772_319_600_000)
        #expect(arrays["longitude"]?.last is NSNull)
    }

    @Test(arguments: ["csv", "ndjson"]) func theHeadTellsTheStateOfTablesAndLines(form: String) throws {
        let test = try TestAPI.filled()
        let present = test.get("/collections/events/items", "f=\(form)")
        #expect(present.header("seq") == "7")
        #expect(present.header("as-of") == nil)
        #expect(present.header("complete") == nil)
        let before = (start - 1).timestamp
        for (moment, change, isComplete) in [("4", "4", "true"), (before, "0", "false")] {
            let then = test.get("/collections/events/items", "f=\(form)&as_of=\(moment)")
            #expect(then.header("seq") == "7")
            #expect(then.header("as-of") == change)
            #expect(then.header("complete") == isComplete, "\(moment)")
        }
        #expect(test.get("/collections/volcanoes/items", "f=\(form)").header("seq") == "7")
    }

    @Test func versionsSayWhenTheyWereKnown() throws {
        let test = try TestAPI.filled()
        let answer = try test.json("/collections/earthquakes/items", "f=columns&versions=true")
        let arrays = try #require(answer["columns"] as? [String: [Any]])
        #expect(arrays["known_from"]?.count == 4)
        #expect(arrays["known_to"]?.allSatisfy { $0 is NSNull } == true)
        let links = try #require(answer["links"] as? [[String: Any]])
        #expect(!links.contains { $0["rel"] as? String == "alternate" })
        for (limit, isCut) in [(3, true), (4, false), (5, false)] {
            let some = try test.json("/collections/earthquakes/items", "f=columns&versions=true&limit=\(limit)")
            #expect(some["numberReturned"] as? Int == min(limit, 4))
            #expect(some["truncated"] as? Bool == isCut, "\(limit)")
        }
        #expect(answer["truncated"] as? Bool == false)
    }

    @Test func anHTMLTableEscapesWhatFeedsSay() throws {
        let test = try TestAPI.filled()
        let answer = test.get("/collections/events/items", headers: ["accept": "text/html,*/*;q=0.8"])
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        let page = try test.text(answer)
        #expect(page.contains("&lt;img src=x onerror=alert(1)&gt;"))
        #expect(!page.contains("<img"))
        #expect(!page.contains("javascript:"))
    }

    @Test func thePastNamesItsChangeAndWhatIsMissing() throws {
        let test = try TestAPI.filled()
        let then = try test.json("/collections/events/items", "as_of=4&limit=2")
        #expect(then["as_of"] as? Int == 4)
        #expect(then["complete"] is Bool)
        #expect((then["complete_from"] as? [String: Any])?["quakes"] is String)
        let properties = test.features(then).first?["properties"] as? [String: Any]
        #expect(properties?["exact"] as? Bool == true)
        #expect(try test.ids("as_of=4").count == 4)
        #expect(try test.ids("as_of=7").count == 7)
        #expect(try test.ids("as_of=2026-02-28T00:00:00Z").isEmpty)
        let next = try #require(test.link("next", of: then))
        #expect(next.contains("as_of=4&cursor="))
    }

    @Test func nothingIsCompleteBeforeTheDatabaseBegan() throws {
        let test = try TestAPI.filled()
        for (seconds, isComplete) in [(-1.0, false), (0.0, true), (60.0, true)] {
            let moment = (start + seconds).timestamp
            let then = try test.json("/collections/events/items", "as_of=\(moment)")
            #expect(then["complete"] as? Bool == isComplete, "\(moment)")
            #expect((then["complete_from"] as? [String: String])?["quakes"] == start.timestamp)
        }
        let now = try PastMoment(start.timestamp, now: start, from: test.store)
        #expect(try Completeness(now, of: ["quakes"], from: test.store).isWhole)
        #expect(try !Completeness(now, of: ["nobody"], from: test.store).isWhole)
    }

    @Test func aTimeToComeIsRefused() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("chile")
        let (near, far) = ("as_of=\((start + 60).timestamp)", "as_of=\((start + 61).timestamp)")
        for path in ["/collections/events/items", "/collections/events/items/\(id)"] {
            // The clock of the client may be a minute ahead.
            #expect(test.get(path, near).status == 200)
            #expect(test.get(path, far, now: start + 1).status == 200)
            let problem = try test.json(path, far, status: 400)
            #expect(problem["parameter"] as? String == "as_of")
            #expect(problem["found"] as? String == (start + 61).timestamp)
            #expect((problem["accepted"] as? String)?.contains("up to now") == true)
        }
    }

    @Test func theRecordOfASourceBeginsWithItsReset() throws {
        let test = try TestAPI.filled()
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start + 600) == 4)
        for (moment, change, isComplete) in [(599.999, 7, false), (600.0, 11, true), (601.0, 11, true)] {
            let text = (start + moment).timestamp
            let then = try test.json("/collections/events/items", "as_of=\(text)&source=quakes", now: start + 601)
            #expect(then["as_of"] as? Int == change, "\(text)")
            #expect(then["complete"] as? Bool == isComplete, "\(text)")
            #expect((then["complete_from"] as? [String: String])?["quakes"] == (start + 600).timestamp)
            let others = try test.json("/collections/events/items", "as_of=\(text)&source=news", now: start + 601)
            #expect(others["complete"] as? Bool == true, "\(text)")
        }
    }

    @Test func whereAResetHasTheTimeOfOtherChangesItsNumberCounts() throws {
        let test = try TestAPI.filled()
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start) == 4)
        for (change, isComplete) in [(7, false), (10, false), (11, true)] {
            let then = try test.json("/collections/events/items", "as_of=\(change)&source=quakes")
            #expect(then["complete"] as? Bool == isComplete, "\(change)")
        }
        let then = try test.json("/collections/events/items", "as_of=\(start.timestamp)&source=quakes")
        #expect(then["as_of"] as? Int == 11)
        #expect(then["complete"] as? Bool == true)
    }
}
