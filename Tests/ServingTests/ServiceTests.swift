import Foundation
import Model
import Presenting
import Store
import Testing

@testable import Serving

@Suite struct ServiceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func theStartLeadsToEverything() throws {
        let test = try TestAPI.filled()
        let landing = try test.json("/")
        for rel in ["self", "service-desc", "conformance", "data", "related", "monitor", "alternate"] {
            let (path, query) = test.parts(try #require(test.link(rel, of: landing)))
            #expect(test.get(path, query).status == 200, "\(rel)")
        }
        for link in try #require(landing["links"] as? [[String: Any]]) {
            let (path, query) = test.parts(try #require(link["href"] as? String))
            #expect(test.get(path, query).status == 200, "\(path)")
        }
        let html = test.get("/", headers: ["accept": "text/html"])
        #expect(html.header("content-type") == "text/html; charset=utf-8")
        #expect(try test.text(html).contains("/collections/earthquakes/items?f=html"))
        let secure = test.get("/", headers: ["x-forwarded-proto": "https", "host": "a.example"])
        #expect(try test.text(secure).contains("https://a.example/collections"))
        let hostile = test.get("/", headers: ["host": "\"><script>"])
        #expect(try !test.text(hostile).contains("<script"))
    }

    @Test func sevenCollectionsTellTheirExtents() throws {
        let test = try TestAPI.filled()
        let list = try test.json("/collections")
        #expect(test.link("alternate", of: list) == "http://api.example:8423/collections?f=html")
        let all = try #require(list["collections"] as? [[String: Any]])
        let names = [
            "events", "earthquakes", "volcanic-activity", "alerts", "news", "messages", "volcanoes",
        ]
        #expect(all.compactMap { $0["id"] as? String } == names)
        let quakes = try test.json("/collections/earthquakes")
        let extent = quakes["extent"] as? [String: Any]
        let box = (extent?["spatial"] as? [String: Any])?["bbox"] as? [[Double]]
        #expect(box == [[-179.5, -20, 179.5, 89.9]])
        let interval = (extent?["temporal"] as? [String: Any])?["interval"] as? [[String]]
        #expect(interval == [["2026-02-28T20:00:00.000Z", "2026-02-28T23:00:00.000Z"]])
        for rel in ["describedBy", "describedby", "items", "self"] {
            let (path, query) = test.parts(try #require(test.link(rel, of: quakes)))
            #expect(test.get(path, query).status == 200, "\(rel)")
        }
        #expect(test.get("/collections/floods").status == 404)
        #expect(test.get("/collections/", headers: ["accept": "text/html"]).status == 200)
    }

    @Test func extentsEncloseShapes() throws {
        let test = try TestAPI.filled()
        func box(_ collection: String) throws -> [Double]? {
            let document = try test.json("/collections/\(collection)", now: start + 3600)
            let spatial = (document["extent"] as? [String: Any])?["spatial"] as? [String: Any]
            return (spatial?["bbox"] as? [[Double]])?.first
        }
        var (area, crossing) = (article("area", title: "Flood", hours: -1), article("fiji", title: "Ash", hours: -2))
        area.geometry = #"{"type":"Polygon","coordinates":[[[10,-20],[45.5,-20],[45.5,46.25],[10,-20]]]}"#
        area.location = Coordinate(latitude: 0, longitude: 30).map { Location($0, method: .polygon) }
        crossing.category = .alert
        crossing.geometry = #"{"type":"Polygon","coordinates":[[[175,-20],[-175,-20],[-175,-15],[175,-20]]]}"#
        try test.poll([area, crossing], from: "news")
        #expect(try box("news") == [10, -20, 45.5, 46.25])
        #expect(try box("alerts") == [-180, -20, 180, -15])
        #expect(try box("events") == [-180, -20, 180, 89.9])
        #expect(try box("messages") == [-180, -90, 180, 90], "nothing is known")
        #expect(try box("earthquakes") == [-179.5, -20, 179.5, 89.9])
    }

    private static let onTheWay = [
        "/", "/api", "/conformance", "/collections", "/collections/earthquakes", "/collections/volcanoes",
        "/collections/news/schema", "/collections/events/queryables",
    ]

    /// QGIS and GDAL hand the conditions of the URL that they are given on to each address.
    @Test func theWayToTheItemsTakesTheirConditions() throws {
        let test = try TestAPI.filled()
        let conditions = "located=true&min_magnitude=5.5&datetime=2026-02-28/.."
        for path in Self.onTheWay {
            let answer = test.get(path, conditions, headers: ["accept": "application/json"])
            #expect(answer.status == 200, "\(path)")
            #expect(try test.text(answer) == test.text(test.get(path)), "\(path)")
            for wrong in ["located=maybe", "min_magnitude=6&max_magnitude=5", "limit=5", "unknown=1"] {
                #expect(test.get(path, wrong).status == 400, "\(path)?\(wrong)")
            }
        }
        #expect(test.get("/collections", "\(conditions)&f=html").status == 200)
        #expect(try test.ids("limit=10&\(conditions)", "earthquakes") == ["fiji-west"])
    }

    @Test func theSchemaTellsTheTypesWhereGDALLooks() throws {
        let test = try TestAPI.filled()
        #expect(test.get("/collections/news/schema").header("content-type") == "application/schema+json")
        let schema = try test.json("/collections/news/schema")
        let outer = schema["properties"] as? [String: Any]
        let properties = (outer?["properties"] as? [String: Any])?["properties"] as? [String: [String: Any]]
        #expect(properties?["magnitude"]?["type"] as? String == "number")
        #expect(properties?["time"]?["format"] as? String == "date-time")
        #expect(Set(properties?.keys.map { $0 } ?? []) == Set(EventProperty.ofFeature.map(\.name)))
        let queryables = try test.json("/collections/events/queryables")
        #expect(Set((queryables["properties"] as? [String: Any] ?? [:]).keys) == ["provider", "category"])
    }

    @Test func theDescriptionIsThereForPeopleToo() throws {
        let test = try TestAPI.filled()
        let answer = test.get("/api", "f=html")
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        let text = try test.text(answer)
        let paths = try #require(test.json("/api")["paths"] as? [String: Any])
        for path in paths.keys { #expect(text.contains("<td>\(path)</td>")) }
    }

    @Test func eachDescriptionNamesItsOwnVersionAndAddress() {
        let one = OpenAPI.document(program: "1.0", base: "http://a.example")
        let other = OpenAPI.document(program: "2.0", base: "http://b.example")
        #expect(one.contains(#""version":"1.0""#) && one.contains("http://a.example"))
        let changed = one.replacingOccurrences(of: "http://a.example", with: "http://b.example")
        #expect(changed.replacingOccurrences(of: #""version":"1.0""#, with: #""version":"2.0""#) == other)
        let page = OpenAPI.page(base: "http://a.example")
        #expect(page.contains("http://a.example"))
        let moved = page.replacingOccurrences(of: "http://a.example", with: "http://b.example")
        #expect(moved == OpenAPI.page(base: "http://b.example"))
    }

    @Test func theDescriptionNamesEachParameterThatIsTaken() throws {
        let test = try TestAPI.filled()
        let api = try test.json("/api")
        let paths = try #require(api["paths"] as? [String: [String: Any]])
        let components = try #require(api["components"] as? [String: [String: [String: Any]]])
        func shared(_ reference: [String: Any]) -> [String: Any]? {
            let parts = (reference["$ref"] as? String)?.components(separatedBy: "/") ?? []
            return parts.dropLast() == ["#", "components", "parameters"] ? components["parameters"]?[parts[3]] : nil
        }
        let feeds = ["/feed.atom", "/events.kml", "/network-link.kml"]
        for path in EventCollection.all.map({ "/collections/\($0.id)/items" }) + feeds + Self.onTheWay {
            let get = try #require(paths[path]?["get"] as? [String: Any])
            let named = try #require(get["parameters"] as? [[String: Any]]).compactMap { parameter in
                (parameter["name"] ?? shared(parameter)?["name"]) as? String
            }
            // A refusal of an unknown parameter names all that are taken.
            let refusal = try test.json(path, "unknown=1", status: 400)
            let taken = try #require(refusal["accepted"] as? String).components(separatedBy: ", ")
            #expect(Set(named) == Set(taken), "\(path)")
        }
    }

    @Test func theReferenceHoldsBothTables() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/api.md"), encoding: .utf8)
        func names(under heading: String) throws -> [String] {
            let part = try #require(text.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
            return part.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        }
        #expect(try names(under: "Parameters") == ParameterEntry.all.map(\.name))
        #expect(try names(under: "Properties") == EventProperty.ofFeature.map(\.name))
        for parameter in ParameterEntry.all { #expect(text.contains(parameter.words), "\(parameter.name)") }
        for property in EventProperty.ofFeature { #expect(text.contains(property.words), "\(property.name)") }
    }

    @Test func anAnswerThatTheClientHasIsNotMadeAgain() throws {
        let test = try TestAPI.filled()
        let path = "/collections/earthquakes/items"
        let tag = try #require(test.get(path).header("etag"))
        let history = "\(path)/\(try test.publicID("chile"))/history"
        let historyTag = try #require(test.get(history).header("etag"))
        #expect(test.get(history, headers: ["if-none-match": historyTag]).status == 304)
        #expect(tag.hasPrefix("W/\""))
        #expect(test.get(path, headers: ["if-none-match": String(tag.dropFirst(2))]).status == 304)
        let again = test.get(path, headers: ["if-none-match": "\"x\", \(tag)"])
        #expect(again.status == 304)
        #expect(again.header("etag") == tag)
        #expect(try test.text(again).isEmpty)
        // `*` names whatever there is.
        #expect(test.get("\(path)/0000000000000000", headers: ["if-none-match": "*"]).status == 404)
        for path in [path, "\(path)/\(try test.publicID("chile"))", "/collections", "/api", "/feed.atom"] {
            let unwanted = test.get(path, headers: ["if-none-match": "*"])
            #expect(unwanted.status == 304 && unwanted.header("etag") == test.get(path).header("etag"), "\(path)")
            #expect(try test.text(unwanted).isEmpty, "\(path)")
        }
        // A query that would be refused by the store is not even run, but parameters are read.
        #expect(test.get(path, "bbox=1", headers: ["if-none-match": tag]).status == 400)
        #expect(test.get(path, "f=csv", headers: ["if-none-match": tag]).status == 200)
        let other = ReadAPI(program: "2.0")
        let request = APIRequest(path: path, headers: ["host": "api.example:8423", "if-none-match": tag])
        #expect(other.answer(request, from: test.store, now: start).status == 200)
        try test.poll([quake("new", hours: 0)])
        #expect(test.get(path, headers: ["if-none-match": tag]).status == 200)
    }

    @Test func aRestoredBackupIsAnotherState() throws {
        let test = try TestAPI()
        try test.poll([quake("a"), quake("b"), quake("c")])
        // As many changes, but of two events.
        let restored = try TestAPI()
        try restored.poll([quake("d"), quake("e")])
        try restored.poll([quake("e", magnitude: 6, updated: 1)], at: start + 60)
        let (mark, other) = (try test.store.lastMark(), try restored.store.lastMark())
        #expect((mark.number, other.number) == (3, 3))
        let path = "/collections/earthquakes/items"
        var request = APIRequest(path: path, query: "limit=1", headers: ["host": "api.example:8423"])
        let first = test.api.answer(request, from: test.store, now: start)
        #expect(try test.text(first).contains("\"numberMatched\":3,"))
        let tag = try #require(first.header("etag"))
        request.headers["if-none-match"] = tag
        #expect(test.api.answer(request, from: test.store, now: start).status == 304)
        let second = test.api.answer(request, from: restored.store, now: start)
        #expect(second.status == 200)
        #expect(try restored.text(second).contains("\"numberMatched\":2,"))
        // So it is where the server knows the change.
        request.change = mark
        #expect(test.api.answer(request, from: restored.store, now: start).status == 304)
        request.change = other
        #expect(test.api.answer(request, from: restored.store, now: start).status == 200)
    }

    @Test func messagesAreKeptByNoCache() throws {
        let test = try TestAPI.filled()
        for answer in [
            test.get("/collections/messages/items"), test.get("/collections/events/items", "category=message"),
            test.get("/collections/messages/items/\(try test.publicID("hello"))"),
            test.get("/collections/messages/items/\(try test.publicID("hello"))/history"),
            test.get("/collections/messages/items/\(try test.publicID("hello"))/sources"),
        ] {
            #expect(answer.status == 200)
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("etag") == nil)
        }
        #expect(test.get("/collections/events/items").header("cache-control") == "private, no-cache")
        #expect(test.get("/collections/news/items").header("cache-control") == "no-cache")
    }

    @Test func whatHasNoChangeNumberIsLookedAtEachMinute() throws {
        let test = try TestAPI.filled()
        let item = "/collections/earthquakes/items/\(try test.publicID("chile"))"
        for path in ["/collections/earthquakes/items", item, item + "/sources"] {
            let tag = try #require(test.get(path).header("etag"))
            #expect(test.get(path, headers: ["if-none-match": tag], now: start + 59).status == 304)
            #expect(test.get(path, headers: ["if-none-match": tag], now: start + 60).status == 200)
        }
        // A further source of an unchanged event is no change.
        let change = try test.store.lastChange()
        let tag = try #require(test.get(item).header("etag"))
        try test.poll([quake("chile", hours: -1)], from: "news", at: start + 60)
        #expect(try test.store.lastChange() == change)
        let again = test.get(item, headers: ["if-none-match": tag], now: start + 60)
        #expect(try test.text(again).contains(#""sources":["news","quakes"]"#))
    }

    @Test(arguments: [
        ("", "geojson"), ("*/*", "geojson"), ("text/html", "html"), ("text/html;q=0.5, application/json", "geojson"),
        ("application/json;q=0.5, text/html", "html"), ("text/csv", "csv"), ("image/png", "geojson"),
        ("text/html;q=0", "geojson"), ("text/html, application/xhtml+xml, */*;q=0.8", "html"),
    ]) func theFormFollowsAccept(accept: String, form: String) {
        #expect(Negotiation.items(accept).rawValue == form)
    }

    @Test func aDatabaseOutOfReachIsAProblemThatPasses() {
        let answer = Problem(StoreError(.cannotOpen, "/secret/path: no")).answer
        #expect(answer.status == 503)
        #expect(answer.header("retry-after") == "5")
        #expect(!Problem(StoreError(.other, "/secret/path")).json.contains("secret"))
        // It may have been there before.
        #expect(!Problem(StoreError(.cannotOpen, "")).detail.contains("yet"))
        let empty = Problem(StoreError(.olderSchema(found: 0, known: 7), ""))
        #expect(empty.detail == "the database is empty; visiventd run creates its tables at its start")
        #expect(empty.status == 503)
        #expect(Problem(StoreError(.olderSchema(found: 6, known: 7), "")).detail.contains("older version"))
        for code in [StoreError.Code.notADatabase, .corrupt] {
            let damaged = Problem(StoreError(code, "/secret/path"))
            #expect(damaged.status == 503)
            let words = "the file is no database, or is damaged, which the log of visiventd serve explains"
            #expect(damaged.detail == words)
        }
    }
}
