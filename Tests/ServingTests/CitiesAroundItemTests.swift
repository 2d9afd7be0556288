import Foundation
import Gazetteer
import Model
import Store
import Testing

@testable import Serving

/// The cities around an item, and the people in them.
@Suite struct CitiesAroundItemTests {
    private struct Scene {
        let test: TestAPI
        let api: ReadAPI

        /// Two cities of Chile, 34 and 80 km from -20,-70.
        init() throws {
            test = try TestAPI()
            let place = try #require(Coordinate(latitude: -20, longitude: -70))
            let pica = try #require(place.moved(kilometres: 34, bearing: 45))
            let iquique = try #require(place.moved(kilometres: 80, bearing: 45))
            api = try test.seeded(cities: [
                (1, "Pica", "CL", 6_000, pica.latitude, pica.longitude),
                (2, "Iquique", "CL", 191_000, iquique.latitude, iquique.longitude),
            ])
        }

        func text(_ path: String, _ query: String? = nil) throws -> String {
            let answer = api.answer(
                APIRequest(path: path, query: query, headers: ["host": "api.example:8423"]), from: test.store,
                now: start)
            #expect(answer.status == 200)
            return try test.text(answer)
        }

        func object(_ path: String, _ query: String? = nil) throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(try text(path, query).utf8))
            return try #require(object as? [String: Any])
        }

        func item(_ name: String, _ query: String? = nil) throws -> [String: Any] {
            try object("/collections/events/items/\(test.publicID(name))", query)
        }
    }

    private func words(_ item: [String: Any]) -> [String] {
        (item["nearest_cities"] as? [[String: Any]] ?? []).compactMap { $0["words"] as? String }
    }

    private func within(_ item: [String: Any]) -> [Int]? {
        (item["exposure"] as? [String: Any]).map { exposure in
            ["within_50_km", "within_100_km"].compactMap { exposure[$0] as? Int }
        }
    }

    @Test func anItemTellsWhereItIsAndWhoLivesNear() throws {
        let scene = try Scene()
        try scene.test.poll([
            quake("strong", magnitude: 4.5), quake("weak", magnitude: 4.4), quake("none", magnitude: nil),
        ])
        let strong = try scene.item("strong")
        #expect(words(strong) == ["34 km SW of Pica, Chile", "80 km SW of Iquique, Chile"])
        #expect(within(strong) == [6_000, 197_000])
        let exposure = strong["exposure"] as? [String: Any]
        #expect(
            exposure?["words"] as? String
                == "at least 6,000 people within 50 km and 197,000 within 100 km, in the cities of the seeded table")
        #expect((strong["cities_attribution"] as? String)?.contains("GeoNames") == true)
        #expect(strong["links"] is [Any])
        let city = try #require((strong["nearest_cities"] as? [[String: Any]])?.first)
        #expect(city["bearing"] as? String == "SW" && city["country"] as? String == "CL")
        #expect(city["distance_km"] as? Double == 34 && city["population"] as? Int == 6_000)
        for name in ["weak", "none"] {
            let item = try scene.item(name)
            #expect(words(item).count == 2 && within(item) == nil, "\(name)")
        }
        #expect(try within(scene.item("strong", "as_of=3")) == [6_000, 197_000])
        let page = try scene.text("/collections/events/items/\(scene.test.publicID("strong"))", "f=html")
        #expect(page.contains("34 km SW of Pica, Chile; 80 km SW of Iquique, Chile"))
        #expect(page.contains("at least 6,000 people"))
    }

    @Test func aPointWithoutWordsGetsSome() throws {
        let scene = try Scene()
        var named = quake("named")
        named.place = "off the coast"
        try scene.test.poll([quake("near"), named, quake("far", latitude: -6, longitude: 128)])
        #expect(try scene.item("near")["derived_place"] as? String == "34 km SW of Pica, Chile")
        #expect(try scene.item("named")["derived_place"] == nil)
        #expect(try scene.item("far")["derived_place"] as? String == "Banda Sea")
        let page = try scene.text("/collections/events/items/\(scene.test.publicID("far"))", "f=html")
        #expect(page.contains("Banda Sea"))
    }

    @Test func listsAndChangesAreFreeOfIt() throws {
        let scene = try Scene()
        try scene.test.poll([quake("strong", magnitude: 7)])
        for (path, query) in [
            ("/collections/events/items", nil), ("/collections/earthquakes/items", "f=ndjson"), ("/changes", nil),
        ] as [(String, String?)] {
            let text = try scene.text(path, query)
            #expect(text.contains("strong") && !text.contains("nearest_cities") && !text.contains("exposure"))
        }
    }

    @Test func onlyAPointHasCitiesAndOnlyWhatStandsHasExposure() throws {
        let scene = try Scene()
        var region = quake("region")
        region.location?.precision = .region
        var report = quake("report", magnitude: nil)
        report.category = .volcano
        var news = quake("news", magnitude: nil)
        news.category = .news
        try scene.test.poll([region, report, news, quake("gone")])
        let withdrawal = Withdrawal(provider: "usgs", id: "gone", reason: .cancelled, time: start, evidence: "Cancel")
        try scene.test.poll([], at: start + 60, withdrawals: [withdrawal])
        #expect(try scene.item("region")["nearest_cities"] == nil)
        #expect(try within(scene.item("report")) == [6_000, 197_000])
        for name in ["news", "gone"] {
            let item = try scene.item(name)
            #expect(words(item).count == 2 && within(item) == nil, "\(name)")
        }
    }

    @Test(arguments: [(-1.0, true), (-55 * 24, true), (-57 * 24, false), (nil, false)] as [(Double?, Bool)])
    func aVolcanoHasExposureWhileItIsReported(hours: Double?, isExposed: Bool) throws {
        let scene = try Scene()
        if let hours {
            var report = quake("report", hours: hours, magnitude: nil, latitude: -20.1)
            report.category = .volcano
            try scene.test.store.reconcile(
                [
                    SourceSettings(
                        name: "gvp", kind: "cap", url: "https://example.org/gvp", maxAge: .seconds(90 * 86_400))
                ],
                at: start)
            try scene.test.poll([report], from: "gvp")
        }
        let place = try #require(Coordinate(latitude: -20, longitude: -70))
        _ = try scene.test.store.seed(
            [PointOfInterest(number: 355_050, name: "Isluga", foldedName: "isluga", coordinate: place)], at: start)
        let volcano = try scene.object("/collections/volcanoes/items/gvp:355050")
        #expect(words(volcano).first == "34 km SW of Pica, Chile")
        #expect(within(volcano) == (isExposed ? [6_000, 197_000] : nil))
    }

    @Test func withoutATableAnItemIsAnsweredAsItIs() throws {
        let test = try TestAPI.filled()
        let path = test.directory.path + "/cities.sqlite"
        let item = try "/collections/events/items/\(test.publicID("chile"))"
        let plain = try test.text(test.get(item))
        #expect(!plain.contains("nearest_cities"))
        try Data("no table".utf8).write(to: URL(fileURLWithPath: path))
        let broken = ReadAPI(program: "1.0", cityTable: path)
        let request = APIRequest(path: item, query: nil, headers: ["host": "api.example:8423"])
        #expect(try test.text(broken.answer(request, from: test.store, now: start)) == plain)
    }
}
