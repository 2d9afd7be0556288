import Foundation
import Gazetteer
import Model
import Store
import Testing

@testable import Serving

/// Circles round a volcano or city that is named.
@Suite struct NamedPlaceTests {
    private static let items = "/collections/events/items"

    private struct Scene {
        let test: TestAPI
        let api: ReadAPI

        /// Volcanoes, and by default a city table; earthquakes near La Paz (Bolivia), Kilauea and Villarrica.
        init(hasTable: Bool = true) throws {
            test = try TestAPI()
            var cities: [(Int64, String, String, Int64, Double, Double)] = [
                (1, "La Paz", "BO", 812_799, -16.5, -68.15), (2, "La Paz", "MX", 250_141, 24.142, -110.313),
                (3, "Paris", "FR", 2_138_551, 48.8534, 2.3488), (4, "Paris", "US", 24_782, 33.6609, -95.5555),
                (5, "Kilauea", "US", 2_803, 22.212, -159.407), (6, "Colima", "MX", 146_904, 19.244, -103.723),
                (7, "Mount Isa", "AU", 21_998, -20.73, 139.5), (8, "Novo", "BR", 0, -1, -50),
                (9, "Novo", "BR", 0, -10, -60),
            ]
            for number in 0..<25 {
                cities.append((100 + Int64(number), "Salem", "US", 1000, 30 + Double(number) / 2, -90))
            }
            api =
                hasTable
                ? try test.seeded(cities: cities)
                : ReadAPI(program: "1.0", cityTable: test.directory.path + "/cities.sqlite")
            try test.poll([
                quake("bolivia", hours: -1, latitude: -16.6, longitude: -68.1),
                quake("hawaii", hours: -2, latitude: 19.5, longitude: -155.3),
                quake("chile", hours: -3, latitude: -39.5, longitude: -71.9),
            ])
            let volcanoes: [(Int, String, String, Double, Double)] = [
                (332_010, "Kilauea", "United States", 19.421, -155.287),
                (357_120, "Villarrica", "Chile", -39.42, -71.93), (341_040, "Colima", "Mexico", 19.514, -103.62),
                (341_090, "Popocatépetl", "Mexico", 19.023, -98.622), (283_030, "Fujisan", "Japan", 35.361, 138.728),
                (273_030, "Isarog", "Philippines", 13.658, 123.38), (311_370, "Isanotski", "USA", 54.765, -163.723),
            ]
            try seed(volcanoes)
        }

        func seed(_ volcanoes: [(Int, String, String, Double, Double)]) throws {
            _ = try test.store.seed(
                volcanoes.map { number, name, country, latitude, longitude in
                    PointOfInterest(
                        number: number, name: name, foldedName: NameFolding.folded(name),
                        coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)), country: country
                    )
                }, at: start)
        }

        func answer(_ path: String, _ query: String) -> APIAnswer {
            api.answer(
                APIRequest(path: path, query: query, headers: ["host": "api.example:8423"]), from: test.store,
                now: start)
        }

        func object(_ path: String, _ query: String) throws -> [String: Any] {
            let text = try test.text(answer(path, query))
            return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        /// The upstream ids that a query finds.
        func ids(_ query: String) throws -> [String] {
            try test.features(object(NamedPlaceTests.items, query)).compactMap {
                ($0["properties"] as? [String: Any])?["upstream_id"] as? String
            }
        }
    }

    @Test(arguments: [
        ("Kilauea", "hawaii"), ("kilauea,+Hawaii", "hawaii"), ("Mount+Kilauea", "hawaii"), ("Villarrica", "chile"),
        ("La+Paz,+Bolivia", "bolivia"), ("la%20paz,BOLIVIA", "bolivia"), ("villarr", "chile"),
    ]) func aNameIsAPlace(name: String, id: String) throws {
        #expect(try Scene().ids("near=\(name)&radius=50") == [id])
    }

    @Test(arguments: [
        ("La+Paz", ["La Paz, Bolivia (-16.5, -68.15)", "La Paz, Mexico (24.142, -110.313)"]),
        ("Colima", ["Colima volcano, Mexico (19.514, -103.62)", "Colima, Mexico (19.244, -103.723)"]),
    ]) func anAmbiguousNameIsAnsweredWithItsPlaces(name: String, places: [String]) throws {
        let scene = try Scene()
        for path in [Self.items, "/changes", "/feed.atom", "/summary/histogram", "/stream"] {
            let answer = scene.answer(path, "near=\(name)")
            #expect(answer.status == 400, "\(path)")
            let problem = try scene.object(path, "near=\(name)")
            #expect(problem["parameter"] as? String == "near")
            #expect(problem["accepted"] as? String == places.joined(separator: "; "))
            let detail = try #require(problem["detail"] as? String)
            #expect(detail.hasPrefix("'\(name.replacing("+", with: " "))' is the name of 2 places; "), "\(detail)")
        }
    }

    @Test func aVolcanoIsToldFromACityOfItsName() throws {
        let scene = try Scene()
        #expect(scene.answer(Self.items, "near=Colima+volcano,+Mexico").status == 200)
        #expect(scene.answer(Self.items, "near=Paris").status == 200)
        let volcanoes = try scene.object("/collections/volcanoes/items", "near=Colima+volcano&radius=30")
        #expect(scene.test.features(volcanoes).map { $0["id"] as? String } == ["gvp:341040"])
    }

    @Test(arguments: [
        ("Kilauea", "Kilauea volcano, United States (19.421, -155.287)"),
        ("Mount+Fuji", "Fujisan volcano, Japan (35.361, 138.728)"),
        ("Mount+Isa", "Mount Isa, Australia (-20.73, 139.5)"), ("La+Paz,+Mexico", "La Paz, Mexico (24.142, -110.313)"),
    ]) func theAnswerSaysWhichPlaceItTook(name: String, place: String) throws {
        let scene = try Scene()
        for query in ["near=\(name)", "near=\(name)&f=csv"] {
            #expect(scene.answer(Self.items, query).header("near")?.removingPercentEncoding == place)
        }
        #expect(scene.answer("/stream", "near=\(name)").header("near")?.contains(" ") == false)
        #expect(scene.answer(Self.items, "latitude=1&longitude=2").header("near") == nil)
    }

    @Test(arguments: [
        ("isa", "'isa' is a part of 3 names; write one of their full names, or latitude and longitude: Fujisan "),
        ("Novo", "'Novo' is the name of 2 places; no name tells them apart; write latitude and longitude: Novo"),
        (
            "Salem",
            "'Salem' is the name of at least 20 places; no name tells them apart; write latitude and longitude; the "
                + "first 20: Salem"
        ),
        ("is", "no volcano or city named 'is' is known"), ("Mount+Is", "no volcano or city named 'Mount Is' is known"),
        (
            "139.7,35.7",
            "latitude=35.7&longitude=139.7 if the longitude comes first, as near took it in earlier versions"
        ),
        ("35.7,139.7", "numbers are given as latitude and longitude; write latitude=35.7&longitude=139.7"),
        ("400,100", "; numbers are given as latitude and longitude"),
    ]) func whatIsNoOnePlaceIsToldTruly(name: String, words: String) throws {
        let detail = try #require(try Scene().object(Self.items, "near=\(name)")["detail"] as? String)
        #expect(detail.hasSuffix(words) || detail.hasPrefix(words), "\(detail)")
    }

    @Test func theOrderInWhichNumbersAreAPositionIsOfferedAlone() throws {
        let scene = try Scene()
        for (numbers, count) in [("-68.15,-16.5", 2), ("139.7,35.7", 1), ("35.7,139.7", 1), ("400,100", 0)] {
            let detail = try #require(try scene.object(Self.items, "near=\(numbers)")["detail"] as? String)
            #expect(detail.components(separatedBy: "latitude=").count == count + 1, "\(detail)")
        }
    }

    @Test func anAnswerIsTheClientsWhileItsPlaceStays() throws {
        let scene = try Scene()
        func answer(_ tag: String? = nil) throws -> APIAnswer {
            var headers = ["host": "api.example:8423"]
            headers["if-none-match"] = tag
            let request = APIRequest(
                path: Self.items, query: "near=Kilauea", headers: headers, change: try scene.test.store.lastMark())
            return scene.api.answer(request, from: scene.test.store, now: start)
        }
        let tag = try #require(try answer().header("etag"))
        let kept = try answer(tag)
        #expect(kept.status == 304 && kept.header("near") != nil)
        try scene.seed([(332_010, "Kilauea", "United States", 19.5, -155.2)])
        #expect(try answer(tag).status == 200)
    }

    @Test func withoutACityTableVolcanoesAreFoundAndItIsSaid() throws {
        let scene = try Scene(hasTable: false)
        #expect(try scene.ids("near=Kilauea&radius=50") == ["hawaii"])
        let problem = try scene.object(Self.items, "near=Paris")
        #expect(problem["status"] as? Int == 400)
        let detail = try #require(problem["detail"] as? String)
        #expect(detail.contains("there is no city table; seed one with: visiventd seed cities FILE"), "\(detail)")
        let none = try TestAPI.filled().json(Self.items, "near=Paris", status: 400)
        #expect((none["detail"] as? String)?.contains("there is no city table") == true)
    }

    @Test func whatElseIsWrongIsToldFirstAndOtherAddressesTakeNoPlaceButTheWayToTheItems() throws {
        let scene = try Scene()
        #expect(try scene.object(Self.items, "near=Atlantis&limit=0")["parameter"] as? String == "limit")
        #expect(try scene.object(Self.items, "near=Atlantis")["parameter"] as? String == "near")
        #expect(scene.answer("/collections", "near=Kilauea").status == 200)
        #expect(scene.answer("/fdsnws/event/1/query", "near=Kilauea").status == 400)
        guard case .stream = scene.answer("/stream", "near=Kilauea").body else {
            Issue.record("no stream")
            return
        }
    }

    @Test func linksKeepTheName() throws {
        let scene = try Scene()
        let page = try scene.object(Self.items, "near=Villarrica&radius=20000&limit=1")
        let next = try #require(scene.test.link("next", of: page))
        #expect(next.contains("near=Villarrica"))
        let (path, query) = scene.test.parts(next)
        #expect(scene.answer(path, query ?? "").status == 200)
    }
}
