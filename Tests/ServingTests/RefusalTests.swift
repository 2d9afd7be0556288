import Foundation
import Model
import Testing

@testable import Serving

/// What refusals say, so that who asked finds the way.
@Suite struct RefusalTests {
    private static let items = "/collections/events/items"

    // MARK: - Names

    @Test(arguments: [
        "/collections/events/items", "/changes", "/stream", "/feed.atom", "/events.kml", "/network-link.kml",
        "/summary/histogram", "/summary/hotspots", "/summary/authors",
    ]) func namesThatNothingKnowsAreRefused(path: String) throws {
        let test = try TestAPI.filled()
        for (parameter, name, accepted, hint) in [
            ("source", "quake", "news, quakes, tweets", "; did you mean quakes?"),
            ("provider", "USGS", "gvp, reuters, twitter, usgs", "; did you mean usgs?"),
        ] {
            let problem = try test.json(path, "\(parameter)=\(name)", status: 400)
            #expect(problem["parameter"] as? String == parameter)
            #expect(problem["found"] as? String == name)
            #expect(problem["accepted"] as? String == accepted)
            #expect(problem["detail"] as? String == "no \(parameter) named '\(name)'; known are \(accepted)\(hint)")
        }
        let category = try test.json(path, "category=news,quake", status: 400)
        #expect(category["found"] as? String == "quake")
        #expect((category["accepted"] as? String)?.hasPrefix("alert, chemical_explosion, ") == true)
        for known in ["category=alert", "category=Quarry-Blast", "provider=gvp", "source=tweets"] {
            #expect(test.get(path, known).status == 200, "\(known)")
        }
    }

    @Test func whatIsConfiguredIsKnownWithoutEvents() throws {
        let test = try TestAPI.filled()
        var feed = SourceSettings(name: "huts", kind: "rss", url: "https://example.org/huts?key=1")
        feed.options["category"] = .text("Hut")
        let api = ReadAPI(program: "1.0", feeds: [feed])
        for query in ["source=huts", "category=hut", "provider=https://example.org/huts"] {
            let request = APIRequest(path: Self.items, query: query, headers: ["host": "api.example:8423"])
            #expect(api.answer(request, from: test.store, now: start).status == 200, "\(query)")
            #expect(test.get(Self.items, query).status == 400, "\(query)")
        }
        let other = APIRequest(path: Self.items, query: "source=hut", headers: ["host": "api.example:8423"])
        let answer = try test.text(api.answer(other, from: test.store, now: start))
        #expect(answer.contains("did you mean huts?"), "\(answer)")
    }

    // MARK: - Words

    @Test(arguments: [
        ("/collections/events/items", "datetime=2026-03-02/2026-03-01", "2026-03-02 is later than 2026-03-01"),
        ("/collections/volcanoes/items", "datetime=2026-03-02/2026-03-01", "2026-03-02 is later than 2026-03-01"),
        ("/collections/events/items", "datetime=2026-03-01T10:15Z", "datetime takes a time with seconds and zone"),
        ("/collections/events/items", "versions=true", "versions takes true only with f=columns"),
        ("/collections/events/items", "versions=true&f=columns&as_of=1", "versions takes true only without as_of"),
        (
            "/collections/events/items", "near=35.7,139.7",
            "longitude comes before latitude here: did you mean 139.7,35.7?"
        ),
        ("/collections/events/items", "near=0,0&radius=20101", "radius takes kilometres above 0, up to 20100"),
        ("/collections/events/items", "near=0,0&radius=wide", "radius takes kilometres above 0, up to 20100"),
        ("/collections/events/items", "min_depth=deep", "min_depth takes kilometres"),
        ("/collections/events/items", "min_depth=6&max_depth=5.5", "at most max_depth, which is 5.5"),
        (
            "/collections/events/items", "minmagnitude=5",
            "there is no parameter minmagnitude here; did you mean min_magnitude?"
        ),
        ("/collections/events/items", "as_of=8", "there is no change 8 yet; the last change is 7"),
        (
            "/collections/events/items", "as_of=2026-03-02",
            "2026-03-02T00:00:00.000Z is still to come; it is 2026-03-01T00:00:00.000Z now"
        ),
        ("/collections/events/items", "after=-1", "after takes a whole number from 0 on"),
        ("/collections/volcanoes/items", "cursor=gvp:1", "begin again without cursor"),
        ("/changes", "limit=1001", "limit takes a whole number from 1 to 1000"),
        ("/network-link.kml", "limit=2001", "limit takes a whole number from 1 to 2000"),
        ("/network-link.kml", "bbox=1,2,3,4", "bbox takes no value here, since the view on the map gives it"),
        ("/summary/hotspots", "cell=wide", "cell takes degrees from 0.01 to 10"),
    ]) func theWordsNameTheWay(path: String, query: String, words: String) throws {
        let test = try TestAPI.filled()
        let detail = try #require(try test.json(path, query, status: 400)["detail"] as? String)
        #expect(detail.contains(words), "\(detail)")
    }

    @Test(arguments: [
        ("maxradius=5", "a circle needs latitude and longitude: maxradius came without latitude and longitude"),
        ("lon=5", "a circle needs latitude and longitude: longitude came without latitude"),
        ("minlatitude=91", "minlatitude takes degrees from -90 to 90"),
        ("lat=0&lon=0&maxradius=181", "maxradius takes degrees from 0 to 180"),
        ("mindepth=deep", "mindepth takes kilometres"),
        ("min_magnitude=5", "there is no parameter min_magnitude here; did you mean minmagnitude?"),
    ]) func theWordsOfFDSNNameTheWay(query: String, words: String) throws {
        let test = try TestAPI.filled()
        let text = try test.text(test.get("/fdsnws/event/1/query", query))
        #expect(text.contains(words), "\(text)")
    }

    @Test func onlyASwapIsTakenForOne() throws {
        let problem = try TestAPI.filled().json(Self.items, "near=139.7,-139.7", status: 400)
        #expect((problem["detail"] as? String)?.contains("did you mean") == false)
    }

    // MARK: - Times

    @Test(arguments: [
        "2026-03-01T10:15Z", "2026-03-01T10:15:00", "2026-03-01T10", "2026-03", "2026", "2026-03-01T10:15:00+01",
        "2026-03-01T10:15:00.Z", "2026-03-01T10:15:00,5Z", "2026-03-01T10:15:00GMT",
        "2026-03-01T10:15:00Z/2026-03-02T10:15", "2026-03-01/2026-03-02/2026-03-03", "../..x",
    ]) func aTimeNeedsSecondsAndZone(text: String) throws {
        let isRead = TimeText.interval(text) != nil
        #expect(!isRead)
        let problem = try TestAPI.filled().json(Self.items, "datetime=\(text)", status: 400)
        #expect(problem["parameter"] as? String == "datetime")
    }

    @Test(arguments: [
        "2026-03-01", "2026-03-01T10:15:00Z", "2026-03-01t10:15:00z", "2026-03-01T10:15:00.123456Z",
        "2026-03-01T10:15:00%2B01:00", "2026-03-01T10:15:00+01:00", "2026-03-01T10:15:00-01:00", "../2026-03-01",
        "2026-03-01/", "2026-03-01/2026-03-01",
    ]) func timesOfRFC3339AreTaken(text: String) throws {
        #expect(try TestAPI.filled().get(Self.items, "datetime=\(text)").status == 200)
    }
}
