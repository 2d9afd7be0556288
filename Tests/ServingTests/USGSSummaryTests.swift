import Foundation
import Model
import Testing

@testable import Serving

@Suite struct USGSSummaryTests {
    private func summary(_ test: TestAPI, _ name: String) throws -> [String: Any] {
        try test.json("/earthquakes/feed/v1.0/summary/\(name)")
    }

    private func titles(_ test: TestAPI, _ name: String) throws -> [String] {
        try test.features(summary(test, name)).compactMap {
            ($0["properties"] as? [String: Any])?["title"] as? String
        }
    }

    /// Earthquakes of the last hour, day, week and month, and one older.
    private func filled() throws -> TestAPI {
        let test = try TestAPI()
        let kept = ["quakes", "news"].map {
            SourceSettings(
                name: $0, kind: "rss", url: "https://example.org/\($0)", maxAge: .seconds(60 * 86_400))
        }
        try test.store.reconcile(kept, at: start)
        try test.poll([
            quake("hour", hours: -0.5, magnitude: 4.5), quake("day", hours: -20, magnitude: 2.4),
            quake("week", hours: -150, magnitude: nil), quake("month", hours: -29 * 24, magnitude: 1),
            quake("older", hours: -31 * 24, magnitude: 9),
        ])
        try test.poll([article("news", title: "News", hours: -0.1)], from: "news")
        return test
    }

    @Test(arguments: [
        ("all_hour", ["hour"]), ("all_day", ["hour", "day"]), ("all_week", ["hour", "day", "week"]),
        ("all_month", ["hour", "day", "week", "month"]), ("1.0_month", ["hour", "day", "month"]),
        ("2.5_month", ["hour"]), ("4.5_week", ["hour"]), ("4.5_hour", ["hour"]), ("significant_month", [] as [String]),
    ]) func aFeedHasTheEarthquakesOfItsPeriodAndMagnitude(name: String, ids: [String]) throws {
        let test = try filled()
        #expect(try titles(test, "\(name).geojson") == ids.map { "M \($0)" })
    }

    @Test func theFrameIsThatOfUSGS() throws {
        let test = try filled()
        let feed = try summary(test, "4.5_day.geojson")
        let metadata = try #require(feed["metadata"] as? [String: Any])
        #expect(metadata["generated"] as? Int == 1_772_323_200_000)
        let url = "http://api.example:8423/earthquakes/feed/v1.0/summary/4.5_day.geojson"
        #expect(metadata["url"] as? String == url)
        #expect(metadata["title"] as? String == "Magnitude 4.5+ Earthquakes, Past Day")
        #expect(metadata["status"] as? Int == 200)
        #expect(metadata["count"] as? Int == 1)
        #expect(feed["bbox"] as? [Double] == [-70, -20, 10, -70, -20, 10])
        let empty = try summary(test, "significant_hour.geojson")
        #expect(empty["bbox"] == nil)
        #expect((empty["metadata"] as? [String: Any])?["count"] as? Int == 0)
        #expect((empty["metadata"] as? [String: Any])?["title"] as? String == "Significant Earthquakes, Past Hour")
    }

    @Test func aSignificantEarthquakeHasSixHundredPoints() throws {
        let test = try TestAPI()
        let points = ["strong": 600, "weak": 599]
        try test.poll(
            points.keys.sorted().map { name in
                var event = quake(name)
                event.details = "{\"sig\":\(points[name] ?? 0)}"
                return event
            })
        #expect(try titles(test, "significant_day.geojson") == ["M strong"])
        #expect(try titles(test, "all_day.geojson").count == 2)
    }

    @Test func aSignificantOneIsFoundBehindManyOthers() throws {
        let test = try TestAPI()
        var events = (0..<2_100).map { quake("q\($0)", hours: -Double($0) / 100) }
        events[2_050].details = #"{"sig":700}"#
        try test.poll(events)
        #expect(try titles(test, "significant_day.geojson") == ["M q2050"])
        let feed = try summary(test, "all_day.geojson")
        #expect((feed["metadata"] as? [String: Any])?["count"] as? Int == 2_100)
        #expect(test.features(feed).count == 2_100)
    }

    @Test func withdrawnAndUnlocatedEarthquakes() throws {
        let test = try TestAPI()
        var nowhere = quake("nowhere")
        nowhere.location = nil
        try test.poll([quake("gone"), nowhere])
        let withdrawal = Withdrawal(provider: "usgs", id: "gone", reason: .deleted, evidence: "deleted")
        try test.poll([], at: start + 60, withdrawals: [withdrawal])
        let feed = try summary(test, "all_day.geojson")
        #expect(try titles(test, "all_day.geojson") == ["M nowhere"])
        #expect(test.features(feed).first?["geometry"] is NSNull)
        #expect(feed["bbox"] == nil)
    }

    @Test func aFeedAsATable() throws {
        let test = try filled()
        let answer = test.get("/earthquakes/feed/v1.0/summary/2.5_day.csv")
        #expect(answer.header("content-type") == "text/csv; charset=utf-8")
        let lines = try test.text(answer).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("time,latitude,longitude,depth,mag,magType,") == true)
        #expect(lines.last?.hasPrefix("2026-02-28T23:30:00.000Z,-20,-70,10,4.5,") == true)
    }

    @Test func aFeedIsMadeAnewEachMinute() throws {
        let test = try filled()
        let path = "/earthquakes/feed/v1.0/summary/all_hour.geojson"
        let tag = try #require(test.get(path).header("etag"))
        #expect(test.get(path).header("cache-control") == "no-cache")
        #expect(test.get(path, headers: ["if-none-match": tag], now: start + 59).status == 304)
        let later = test.get(path, headers: ["if-none-match": tag], now: start + 1_860)
        #expect(later.status == 200)
        #expect(try test.text(later).contains(#""generated":1772325060000"#))
        #expect(try test.text(later).contains(#""count":0"#))
    }

    @Test(arguments: [
        "all_year.geojson", "all_day", "all_day.xml", "3.0_day.geojson", "day.geojson", "all_day.geojson/x", "",
    ]) func anotherNameIsNotFound(name: String) throws {
        let test = try TestAPI()
        let answer = test.get("/earthquakes/feed/v1.0/summary/\(name)")
        #expect(answer.status == 404)
        #expect(answer.header("content-type") == "application/problem+json")
    }

    @Test func aFeedTakesNoParameters() throws {
        let test = try TestAPI()
        #expect(test.get("/earthquakes/feed/v1.0/summary/all_day.geojson", "limit=5").status == 400)
    }
}
