import Foundation
import Gazetteer
import Model
import Store
import Testing

@testable import Serving

/// `/basemap/places`.
@Suite struct PlacesTests {
    private struct Scene {
        let test: TestAPI
        let api: ReadAPI

        init() throws {
            test = try TestAPI()
            api = try test.seeded(cities: [
                (1, "Paris", "FR", 2_138_551, 48.8534, 2.3488), (2, "Paris", "US", 24_782, 33.6609, -95.5555),
                (3, "A \"quoted\" <b>", "FR", 0, 43.7, 7.25),
            ])
        }

        func answer(_ query: String? = nil, headers: [String: String] = [:]) -> APIAnswer {
            api.answer(
                APIRequest(path: "/basemap/places", query: query, headers: headers), from: test.store, now: start)
        }

        func text(_ query: String? = nil) throws -> String { try test.text(answer(query)) }
    }

    private static let attribution =
        #""truncated":false,"attribution":"GeoNames (https://www.geonames.org), CC BY 4.0"}"# + "\n"

    @Test func citiesAreRowsWithTheirCountry() throws {
        let scene = try Scene()
        let all = try scene.text()
        #expect(
            all == #"{"places":[[2.3488,48.8534,2138551,"Paris","FR"],[-95.5555,33.6609,24782,"Paris","US"],"#
                + #"[7.25,43.7,0,"A \"quoted\" <b>","FR"]],"# + Self.attribution)
        let france = try scene.text("bbox=0,40,10,50&q=PAR")
        #expect(france == #"{"places":[[2.3488,48.8534,2138551,"Paris","FR"]],"# + Self.attribution)
        let nothing = try scene.text("q=%21")
        #expect(nothing == #"{"places":[],"# + Self.attribution)
        let one = try scene.text("limit=1")
        #expect(one.contains(#""truncated":true"#))
    }

    @Test func anAnswerIsKeptUntilTheTableIsSeededAnew() throws {
        let scene = try Scene()
        let answer = scene.answer()
        #expect(answer.header("cache-control") == "max-age=600")
        let tag = try #require(answer.header("etag"))
        #expect(scene.answer(headers: ["if-none-match": tag]).status == 304)
        let path = scene.test.directory.path + "/cities.sqlite"
        _ = try CityTableBuilder(path: path, keeping: CityTableBuilder.Kept(cities: true), at: start).finish()
        #expect(scene.answer(headers: ["if-none-match": tag]).status == 200)
    }

    @Test(arguments: [
        ("bbox=1,2,3", "bbox"), ("limit=0", "limit"), ("q=", "q"), ("zoom=3", "zoom"), ("f=csv", "f"),
        ("q=" + String(repeating: "a", count: 101), "q"),
    ]) func whatIsWrongIsNamed(query: String, parameter: String) throws {
        let scene = try Scene()
        let problem = try scene.text(query)
        #expect(problem.contains("\"parameter\":\"\(parameter)\""))
        #expect(scene.answer(query).status == 400)
    }

    @Test func withoutATableThereIsNothing() throws {
        let test = try TestAPI()
        let path = test.directory.path + "/cities.sqlite"
        for api in [test.api, ReadAPI(program: "1.0", cityTable: path)] {
            let answer = api.answer(APIRequest(path: "/basemap/places"), from: test.store, now: start)
            #expect(answer.status == 404)
            #expect(try test.text(answer).contains("visiventd seed cities"))
        }
        try Data("no table".utf8).write(to: URL(fileURLWithPath: path))
        let broken = ReadAPI(program: "1.0", cityTable: path)
        let answer = broken.answer(APIRequest(path: "/basemap/places"), from: test.store, now: start)
        #expect(answer.status == 503)
        #expect(try !test.text(answer).contains(path))
        #expect(test.get("/basemap").status == 404)
        #expect(test.get("/basemap/places/1").status == 404)
    }
}
