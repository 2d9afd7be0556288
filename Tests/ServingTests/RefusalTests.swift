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
        #expect((category["detail"] as? String)?.hasSuffix("; did you mean earthquake?") == true)
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

    @Test(arguments: [
        ("quakes", "; did you mean earthquakes?"), ("earthquake", "; did you mean earthquakes?"),
        ("volcanic_activity", "; did you mean volcanic-activity?"), ("floods", "news, messages, volcanoes"),
    ]) func aCollectionThatIsNotThereIsAnsweredWithTheNearest(name: String, end: String) throws {
        let problem = try TestAPI.filled().json("/collections/\(name)/items", status: 404)
        let detail = try #require(problem["detail"] as? String)
        #expect(detail.hasPrefix("there is no collection \(name); there are events, earthquakes, "))
        #expect(detail.hasSuffix(end), "\(detail)")
    }

    @Test(arguments: [
        ("magnitude", "; did you mean min_magnitude or max_magnitude?"),
        ("starttime", "; did you mean datetime=2026-03-01T00:00:00Z/..?"),
        ("start", "; did you mean datetime=2026-03-01T00:00:00Z/..?"),
        ("since", "; did you mean datetime=2026-03-01T00:00:00Z/.. for times, or after=NUMBER for changes?"),
        ("from", "; did you mean datetime=2026-03-01T00:00:00Z/.. for times, or after=NUMBER for changes?"),
        ("last_event_id", "; did you mean after?"), ("minmag", "; did you mean min_magnitude?"),
        ("lat", "; did you mean latitude and longitude, with radius in kilometres?"),
        ("orderby", "; did you mean sortby?"), ("search", "; did you mean q?"),
        ("offset", "; did you mean cursor, as the link to the next page has it?"),
        ("endtime", "; did you mean datetime=../2026-03-01T00:00:00Z?"),
        ("end", "; did you mean datetime=../2026-03-01T00:00:00Z?"),
        ("Until", "; did you mean datetime=../2026-03-01T00:00:00Z?"),
        ("format", "; did you mean f?"), ("query", "; did you mean q?"), ("fields", "; did you mean properties?"),
        ("revised", "; did you mean updated_after, or the history of an item?"),
        ("filter", ""), ("x", ""),
    ]) func aNameOfAnotherServiceIsAnsweredWithOurs(name: String, hint: String) throws {
        let problem = try TestAPI.filled().json(Self.items, "\(name)=1", status: 400)
        #expect(problem["detail"] as? String == "there is no parameter \(name) here\(hint)")
    }

    @Test func onlyWhatAnAddressTakesIsNamed() throws {
        let test = try TestAPI.filled()
        for (path, query) in [("/status", "from=1"), ("/collections/volcanoes/items", "magnitude=5")] {
            let detail = try #require(try test.json(path, query, status: 400)["detail"] as? String)
            #expect(detail.hasSuffix(" here"), "\(detail)")
        }
        // The refusal of a time shows a value that is taken.
        #expect(try test.ids("datetime=2026-02-28T22:00:00Z/..") == ["chile", "fiji-west"])
    }

    @Test(arguments: [
        "/changes", "/stream", "/feed.atom", "/events.kml", "/network-link.kml", "/metrics",
        "/earthquakes/feed/v1.0/summary/all_day.geojson", "/fdsnws/event/1/version",
    ]) func whereThereIsOneFormItIsSaid(path: String) throws {
        let test = try TestAPI.filled()
        let answer = test.get(path, "f=csv")
        #expect(answer.status == 400)
        let text = try test.text(answer)
        #expect(text.contains("there is no parameter f here; this address has one form"), "\(text)")
    }

    // MARK: - Words

    @Test(arguments: [
        ("/collections/events/items", "datetime=2026-03-02/2026-03-01", "2026-03-02 is later than 2026-03-01"),
        ("/collections/volcanoes/items", "datetime=2026-03-02/2026-03-01", "2026-03-02 is later than 2026-03-01"),
        ("/collections/events/items", "datetime=2026-03-01T10:15Z", "datetime takes a time with seconds and zone"),
        ("/collections/events/items", "versions=true", "versions takes true only with f=columns"),
        ("/collections/events/items", "versions=true&f=columns&as_of=1", "versions takes true only without as_of"),
        (
            "/collections/events/items", "near=-70,-20&radius=50",
            "numbers are given as latitude and longitude; write latitude=-20&longitude=-70 if the longitude comes first"
        ),
        ("/changes", "near=-16.5,-68.15", "or latitude=-16.5&longitude=-68.15"),
        ("/collections/volcanoes/items", "near=5", "near takes the name of a volcano or city"),
        ("/collections/events/items", "latitude=5", "latitude takes a value only together with longitude"),
        ("/collections/events/items", "radius=5", "radius takes a value only together with latitude and longitude"),
        (
            "/collections/events/items", "latitude=0&longitude=0&radius=20101",
            "radius takes kilometres above 0, up to 20100"
        ),
        (
            "/collections/events/items", "latitude=0&longitude=0&radius=wide",
            "radius takes kilometres above 0, up to 20100"
        ),
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
        ("/collections/events/items", "properties=time,mag", "there is no property mag here; did you mean magnitude?"),
        ("/collections/volcanoes/items", "properties=nmae", "there is no property nmae here; did you mean name?"),
        ("/collections/events/items", "limit=1&limit=2", "limit is given twice; give it once"),
        ("/collections/events/items", "f=csv&f=csv", "f is given twice; give it once"),
        (
            "/collections/events/items", "bbox=1&bbox=2&bbox=3&bbox=4",
            "bbox is given 4 times; give it once, its numbers separated by commas"
        ),
        (
            "/collections/events/items", "bbox=35,139,36.5,140",
            "the order is west,south,east,north: longitude comes before latitude; did you mean 139,35,140,36.5?"
        ),
        ("/collections/volcanoes/items", "bbox=35,139,0,36,140,9", "; did you mean 139,35,0,140,36,9?"),
        (
            "/collections/events/items", "datetime=24h",
            "datetime takes no time that is counted from now; write the time itself, as in datetime=2026-03-01T10"
        ),
        ("/changes", "datetime=P7D/..", "as in datetime=2026-03-01T10:15:00Z/.."),
        ("/collections/events/items", "updated_after=7d", "as in updated_after=2026-03-01T10:15:00Z"),
        ("/collections/events/items", "as_of=24h", "as in as_of=2026-03-01T10:15:00Z"),
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
        ("magnitude=5", "there is no parameter magnitude here; did you mean minmagnitude or maxmagnitude?"),
        ("since=2026-03-01", "there is no parameter since here; did you mean starttime?"),
        ("until=2026-03-01", "there is no parameter until here; did you mean endtime?"),
        ("datetime=2026-03-01", "there is no parameter datetime here; did you mean starttime and endtime?"),
        ("f=csv", "there is no parameter f here; did you mean format?"),
        ("limit=1&limit=2", "limit is given twice; give it once"),
        ("magnitudetype=mww", "magnitudetype takes no value here: one magnitude of each event is kept"),
        ("updatedafter=24h", "write the time itself, as in updatedafter=2026-03-01T10:15:00"),
    ]) func theWordsOfFDSNNameTheWay(query: String, words: String) throws {
        let test = try TestAPI.filled()
        let text = try test.text(test.get("/fdsnws/event/1/query", query))
        #expect(text.contains(words), "\(text)")
    }

    @Test func onlyASwapIsTakenForOne() throws {
        for (box, saysTheOrder) in [("0,0,0,91", false), ("139,36,140,35", false), ("35,139,91,140", true)] {
            let problem = try TestAPI.filled().json(Self.items, "bbox=\(box)", status: 400)
            let detail = try #require(problem["detail"] as? String)
            #expect(detail.contains("longitude comes before latitude") == saysTheOrder, "\(detail)")
            #expect(!detail.contains("did you mean"), "\(detail)")
        }
    }

    // MARK: - Times

    @Test(arguments: [
        "24h", "7d", "-7 days", "+1h", "1.5h", "1h30m", "P1D", "PT24H", "2W", "now", "now-1h", "Today", "yesterday",
        "24h/..", "../now",
    ]) func whatIsCountedFromNowIsKnown(text: String) {
        #expect(TimeText.isRelative(text))
    }

    @Test(arguments: [
        "", "/", "24", "h", "2026", "2026-03", "2026-03-01T10:15Z", "2026-03-01T10:15:00", "20260301T101500Z", "then",
        "monday", "3 march", "2026-03-01/..",
    ]) func otherTextsAreNotCountedFromNow(text: String) {
        #expect(!TimeText.isRelative(text))
    }

    @Test(arguments: [
        "2026-03-01T10:15Z", "2026-03-01T10:15", "2026-03-01T10", "2026-03", "2026", "2026-03-01T10:15:00+01",
        "2026-03-01T10:15:00.Z", "2026-03-01T10:15:00,5Z", "2026-03-01T10:15:00GMT",
        "2026-03-01T10:15:00Z/2026-03-02T10:15", "2026-03-01/2026-03-02/2026-03-03", "../..x",
        // Without an end on either side.
        "/", "../..", "/..", "../", "..",
        // Times that no clock shows, leap seconds where there are none.
        "2026-03-01T24:00:00Z", "2026-03-01T24:00:00", "2026-03-01/2026-03-01T24:00:00+01:00", "2026-03-01T10:15:60Z",
        "2026-03-01T23:59:60Z", "2016-12-31T23:59:60-01:00", "2016-12-31T23:59:61Z",
        // Seconds, days and months as one number.
        "1772316000", "177231600000", "17723160000000", "0772316000000", "-177231600000", "20260301", "202603011015",
        "2026-03-01Z", "2026-03T", "0000-13-01T00:00:00Z",
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
