import Foundation
import Model
import Store
import Testing

@testable import Serving

@Suite struct ItemTests {
    @Test func anItemIsAFeatureWithLinks() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("chile")
        let path = "/collections/earthquakes/items/\(id)"
        let feature = try test.json(path)
        #expect(feature["type"] as? String == "Feature")
        #expect(feature["id"] as? String == id)
        #expect(test.link("self", of: feature) == "http://api.example:8423\(path)")
        #expect(test.get("/collections/news/items/\(id)").status == 404)
        #expect(test.get("/collections/events/items/\(id)").status == 200)
        #expect(test.get("/collections/events/items/nothing").status == 404)
        #expect(test.get("/collections/events/items/0000000000000000").status == 404)
    }

    @Test func anItemIsAPageForPeople() throws {
        let test = try TestAPI()
        var event = quake("chile", aliases: ["ci1"])
        event.title = "M 5 <img src=x onerror=alert(1)> & more"
        event.link = "https://example.org/chile?a=1&b=2"
        event.geometry = #"{"type":"LineString","coordinates":[[-70,-20],[-71,-21]]}"#
        event.author = Author(name: "A. Writer", link: "javascript:alert(2)")
        try test.poll([event])
        let id = try test.publicID("chile")
        let path = "/collections/earthquakes/items/\(id)"
        let named = test.get(path, "f=html")
        let chosen = test.get(path, headers: ["accept": "text/html,application/xhtml+xml,*/*;q=0.8"])
        let page = try test.text(named)
        #expect(named.status == 200)
        #expect(named.header("content-type") == "text/html; charset=utf-8")
        #expect(try test.text(chosen) == page)
        #expect(page.contains("<title>M 5 &lt;img src=x onerror=alert(1)&gt; &amp; more</title>"))
        #expect(page.contains("<td>magnitude</td><td>5</td><td>Magnitude on the provider&#39;s scale</td>"))
        #expect(page.contains("href=\"https://example.org/chile?a=1&amp;b=2\""))
        #expect(page.contains("<td>aliases</td><td>ci1</td>"))
        #expect(page.contains("<td>author_link</td><td>javascript:alert(2)</td>"), "as text")
        #expect(!page.contains("<img") && !page.contains("href=\"javascript") && !page.contains("LineString"))
        #expect(page.contains("\(path)/history") && page.contains("href=\"http://api.example:8423\(path)\""))
        // The forms know each other, and caches tell them apart.
        let feature = try test.json(path)
        let (other, query) = test.parts(try #require(test.link("alternate", of: feature)))
        #expect(try test.text(test.get(other, query)) == page)
        #expect(named.header("etag") != test.get(path).header("etag"))
        let then = try test.text(test.get(path, "f=html&as_of=1"))
        #expect(then.contains("<td>exact</td><td>true</td>") && then.contains("?as_of=1\""))
        #expect(test.get(path, "f=csv").status == 400)
    }

    /// Programs that name GeoJSON, as QGIS does, get it whatever else they take.
    @Test(arguments: [
        ("application/geo+json, application/json", "application/geo+json"), ("*/*", "application/geo+json"),
        ("application/geo+json, text/html;q=0.5", "application/geo+json"), ("text/html", "text/html; charset=utf-8"),
    ]) func anItemHasTheFormThatAcceptPrefers(accept: String, type: String) throws {
        let test = try TestAPI.filled()
        let path = "/collections/events/items/\(try test.publicID("chile"))"
        #expect(test.get(path, headers: ["accept": accept]).header("content-type") == type)
    }

    @Test func theIdOfAProviderLeadsToTheEvent() throws {
        let test = try TestAPI.filled()
        let item = "/collections/events/items/\(try test.publicID("chile"))"
        for path in ["/collections/earthquakes/items/chile", "/collections/events/items/chile/history"] {
            let problem = try test.json(path, status: 404)
            let words = "there is no event chile here; that is its provider's id, and the event is at \(item)"
            #expect(problem["detail"] as? String == words)
        }
        #expect(test.get("/collections/events/items/chile", "as_of=7").status == 404)
        let problem = try test.json("/collections/events/items/nothing", status: 404)
        #expect(problem["detail"] as? String == "there is no event nothing")
    }

    @Test func aMergedEventLeadsToTheOther() throws {
        let test = try TestAPI()
        try test.poll([quake("us1")])
        try test.poll([quake("ci1")], at: start + 30)
        let (older, younger) = (try test.publicID("us1"), try test.publicID("ci1"))
        try test.poll([quake("us1", aliases: ["ci1"], updated: 1)], at: start + 60)
        let answers = [older, younger].map { test.get("/collections/events/items/\($0)") }
        #expect(answers.map(\.status).sorted() == [200, 301])
        let moved = try #require(answers.first { $0.status == 301 })
        let survivor = answers[0].status == 200 ? older : younger
        #expect(moved.header("location") == "http://api.example:8423/collections/events/items/\(survivor)")
        let gone = answers[0].status == 200 ? younger : older
        let history = test.get("/collections/events/items/\(gone)/history")
        #expect(history.status == 301)
        #expect(history.header("location")?.hasSuffix("/\(survivor)/history") == true)
        let page = test.get("/collections/events/items/\(gone)", "f=html")
        #expect(page.header("location")?.hasSuffix("/\(survivor)?f=html") == true)
    }

    @Test func anErasedEventIsGoneEverywhere() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("hello")
        let deletion = Withdrawal(
            provider: "twitter", id: "hello", reason: .deleted, time: start, evidence: "deleted", erases: true)
        try test.poll([], from: "tweets", at: start + 60, withdrawals: [deletion])
        for rest in ["", "/history", "/sources"] {
            #expect(test.get("/collections/messages/items/\(id)\(rest)").status == 410)
        }
        #expect(try test.ids("withdrawn=include").count == 6)
    }

    @Test func aTitleDoesNotMakeAnEventErased() throws {
        let test = try TestAPI()
        try test.poll([article("odd", title: "(deleted)", hours: -1)], from: "news")
        let id = try test.publicID("odd")
        let deletion = Withdrawal(
            provider: "reuters", id: "odd", reason: .deleted, time: start + 60, evidence: "deleted")
        try test.poll([], from: "news", at: start + 60, withdrawals: [deletion])
        let stored = try #require(try test.store.event(publicID: id))
        #expect(stored.withdrawal?.reason == "deleted")
        #expect(!stored.isErased)
        #expect(test.get("/collections/news/items/\(id)").status == 200)
    }

    @Test func historyAndSourcesAreTold() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("chile")
        try test.poll([quake("chile", hours: -1, magnitude: 5.4, updated: 1)], at: start + 60)
        let history = try test.json("/collections/earthquakes/items/\(id)/history")
        let revisions = try #require(history["history"] as? [[String: Any]])
        #expect(revisions.count == 1)
        let changes = revisions.first?["changes"] as? [String: Any]
        let magnitude = changes?["magnitude"] as? [String: Any]
        #expect(magnitude?["from"] as? Double == 5)
        #expect(magnitude?["to"] as? Double == 5.4)
        let sources = try test.json("/collections/earthquakes/items/\(id)/sources")
        #expect((sources["sources"] as? [[String: Any]])?.first?["source"] as? String == "quakes")
    }

    /// The service's readers trust no function in the schema of the file, so they get less than the daemon.
    @Test(arguments: ["", "/history", "/sources"])
    func anItemWithoutAPlaceIsToldByTheServicesReaders(rest: String) async throws {
        let test = try TestAPI.filled()
        let path = "/collections/news/items/\(try test.publicID("storm"))\(rest)"
        let request = APIRequest(path: path, query: nil, headers: ["host": "api.example:8423"])
        let api = test.api
        let pool = ReaderPool(path: test.store.path, readers: 1)
        let answer = try await pool.run { store in api.answer(request, from: store, now: start) }
        #expect(answer.status == 200)
        #expect(answer.fault == nil)
    }

    @Test func anItemAsItWasKnown() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("storm")
        #expect(test.get("/collections/news/items/\(id)", "as_of=2").status == 404)
        let feature = try test.json("/collections/news/items/\(id)", "as_of=7")
        #expect((feature["properties"] as? [String: Any])?["exact"] as? Bool == true)
        let own = "http://api.example:8423/collections/news/items/\(id)"
        #expect(test.link("self", of: feature) == "\(own)?as_of=7")
        #expect(test.link("version-history", of: feature) == "\(own)/history")
    }

    @Test func volcanoesAreItemsOfTheirOwn() throws {
        let test = try TestAPI()
        let places = try [("Etna", 211060, 37.7, 15.0), ("Stromboli", 211040, 38.8, 15.2)].map { name, number, y, x in
            PointOfInterest(
                number: number, name: name, foldedName: name.lowercased(),
                coordinate: try #require(Coordinate(latitude: y, longitude: x)), webcam: "https://example.org/cam")
        }
        _ = try test.store.seed(places, at: start)
        let all = try test.json("/collections/volcanoes/items")
        #expect(all["numberMatched"] as? Int == 2)
        let circle = "latitude=37.7&longitude=15&radius=20"
        let near = try test.json("/collections/volcanoes/items", "\(circle)&properties=name,distance_km")
        let feature = try #require(test.features(near).first)
        #expect((feature["properties"] as? [String: Any])?["name"] as? String == "Etna")
        #expect(test.features(near).count == 1)
        // As the map asks: no text beside the name.
        let bare = try test.json("/collections/volcanoes/items", "properties=name&limit=10000")
        #expect(
            test.features(bare).map { ($0["properties"] as? [String: Any])?.keys.sorted() } == [["name"], ["name"]])
        #expect(try test.json("/collections/volcanoes/items", "q=STROM*")["numberMatched"] as? Int == 1)
        #expect(try test.json("/collections/volcanoes/items", "q=%F0%9F%8C%8B")["numberMatched"] as? Int == 0)
        let first = try test.json("/collections/volcanoes/items", "limit=1")
        let (path, query) = test.parts(try #require(test.link("next", of: first)))
        #expect(test.features(try test.json(path, query)).first?["id"] as? String == "gvp:211040")
        #expect(try test.json("/collections/volcanoes/items/gvp:211060")["id"] as? String == "gvp:211060")
        let page = try test.text(test.get("/collections/volcanoes/items/gvp:211060", "f=html"))
        #expect(page.contains("<h1>Etna</h1>") && page.contains("<td>number</td><td>211060</td>"))
        #expect(page.contains("<a rel=\"noopener noreferrer nofollow\" href=\"https://example.org/cam\">"))
        #expect(test.get("/collections/volcanoes/items", "min_magnitude=5").status == 400)
        #expect(test.get("/collections/volcanoes/items", "f=columns").status == 400)
        #expect(test.get("/collections/volcanoes/items", "f=html").status == 200)
        #expect(test.get("/collections/volcanoes/items", "f=csv").status == 200)
        let table = try test.text(test.get("/collections/volcanoes/items", "f=csv&limit=1&properties=name,key,name"))
        #expect(table == "name,key\r\nEtna,gvp:211060\r\n")
        let refusal = try test.json("/collections/volcanoes/items", "properties=magnitude", status: 400)
        #expect(refusal["found"] as? String == "magnitude")
        let collection = try test.json("/collections/volcanoes")
        let spatial = (collection["extent"] as? [String: Any])?["spatial"] as? [String: Any]
        #expect(spatial?["bbox"] as? [[Double]] == [[15, 37.7, 15.2, 38.8]])
    }
}
