import Foundation
import Model
import Testing

@testable import Telling

@Suite struct WatchTests {
    private func fit(_ change: (inout WatchFilter) -> Void, _ event: StoredEvent = quake()) -> WatchFilter.Fit {
        var filter = WatchFilter()
        change(&filter)
        return filter.fit(event)
    }

    @Test("every condition must be met")
    func conditions() {
        #expect(fit { _ in } == .full)
        #expect(fit { $0.sources = ["quakes", "more"] } == .full)
        #expect(fit { $0.sources = ["more"] } == .none)
        #expect(fit { $0.providers = ["usgs"] } == .full)
        #expect(fit { $0.providers = ["emsc"] } == .none)
        #expect(fit { $0.categories = [.volcano] } == .none)
        #expect(fit { $0.keywords = KeywordFilter(["lisboa"]) } == .full)
        #expect(fit { $0.keywords = KeywordFilter(["porto"]) } == .none)
        #expect(fit({ $0.minimumMagnitude = 1 }, quake(nil)) == .none)
    }

    @Test("levels count as far as the provider gives them")
    func levels() {
        let grave = quake(details: #"{"nst":12,"alert":"orange","tsunami":1,"severity":"Severe"}"#)
        #expect(fit({ $0.minimumColour = .orange }, grave) == .full)
        #expect(fit({ $0.minimumColour = .red }, grave) == .none)
        #expect(fit({ $0.minimumSeverity = .moderate }, grave) == .full)
        #expect(fit({ $0.minimumSeverity = .extreme }, grave) == .none)
        #expect(fit({ $0.needsTsunami = true }, grave) == .full)
        #expect(fit { $0.needsTsunami = true } == .none)
        #expect(fit({ $0.minimumColour = .green }, quake(details: #"{"alert":null}"#)) == .none)
        #expect(EventLevel(quake(details: "[1]").event) == EventLevel(quake().event))
    }

    @Test("a place counts as point or city of enough confidence, and never as an author's home")
    func places() throws {
        let here = try #require(Coordinate(latitude: 38.7, longitude: -9.1))
        func fit(_ location: Location?) -> WatchFilter.Fit { lisbon().filter.fit(quake().located(location)) }
        #expect(fit(Location(here)) == .full)
        #expect(fit(Location(here, method: .gazetteer, precision: .city, confidence: 0.85)) == .full)
        #expect(fit(Location(here, method: .gazetteer, precision: .city, confidence: 0.84)) == .unplaced)
        #expect(fit(Location(here, method: .gazetteer, precision: .region)) == .unplaced)
        #expect(fit(Location(here, method: .gazetteer, precision: .country)) == .unplaced)
        #expect(fit(Location(here, method: .gazetteer, precision: .city, evidence: .author)) == .unplaced)
        #expect(fit(nil) == .unplaced)
    }

    @Test("an area of the feed's own counts by its shape")
    func areas() throws {
        var alert = quake(nil)
        alert.event.geometry =
            #"{"type":"Polygon","coordinates":[[[-10,38],[-8,38],[-8,39],[-10,39],[-10,38]]]}"#
        let centre = try #require(Coordinate(latitude: 38.5, longitude: -9))
        alert.event.location = Location(centre, method: .polygon, precision: .region)
        var filter = lisbon().filter
        filter.minimumMagnitude = nil
        #expect(filter.fit(alert) == .full)
        filter.near = Coordinate(latitude: 52, longitude: 13).map { .init(centre: $0, kilometres: 50) }
        #expect(filter.fit(alert) == .none)
    }

    @Test(
        "an announced event may be a little beyond a bound",
        arguments: [
            (4.7, 100.0, WatchFilter.Fit.almost), (4.6, 100, .none), (5, 209, .almost), (5, 221, .none),
            (4.7, 209, .almost),
            (5, 199, .full),
        ] as [(Double, Double, WatchFilter.Fit)])
    func slack(magnitude: Double, kilometres: Double, fit: WatchFilter.Fit) throws {
        let centre = try #require(lisbon().filter.near?.centre)
        let place = try #require(centre.moved(kilometres: kilometres, bearing: 90))
        let event = quake(magnitude, latitude: place.latitude, longitude: place.longitude)
        #expect(lisbon().filter.fit(event) == fit)
    }

    @Test("boxes may lie across 180°")
    func boxes() {
        func fit(_ longitude: Double) -> WatchFilter.Fit {
            var filter = WatchFilter()
            filter.box = BoundingBox(west: 170, south: -20, east: -170, north: 20)
            return filter.fit(quake(latitude: 0, longitude: longitude))
        }
        #expect(fit(175) == .full)
        #expect(fit(-175) == .full)
        #expect(fit(-169.8) == .none)
    }

    @Test("other conditions have another fingerprint, other texts and targets do not")
    func fingerprints() {
        var watch = lisbon()
        let before = watch.filter.fingerprint
        watch.targets = ["cms"]
        watch.maximumAge = .seconds(60)
        watch.filter.near?.name = "Lisbon"
        #expect(watch.filter.fingerprint == before)
        watch.filter.minimumMagnitude = 5.1
        #expect(watch.filter.fingerprint != before)
    }

    // MARK: - Quiet hours

    /// 2026-MM-DDTHH:MM:00Z as days of 2026 and minutes.
    private func time(day: Int, _ hour: Int, _ minute: Int = 0) -> Date {
        // 2026-01-01T00:00:00Z.
        Date(timeIntervalSince1970: 1_767_225_600 + Double(((day - 1) * 24 + hour) * 60 + minute) * 60)
    }

    @Test("quiet hours over midnight are in the zone's time")
    func quiet() throws {
        let hours = try #require(QuietHours(from: 22 * 60, to: 7 * 60, zone: "Europe/Lisbon"))
        #expect(hours.end(at: time(day: 10, 21, 59)) == nil)
        #expect(hours.end(at: time(day: 10, 22)) == time(day: 11, 7))
        #expect(hours.end(at: time(day: 11, 6, 59)) == time(day: 11, 7))
        #expect(hours.end(at: time(day: 11, 7)) == nil)
        // In July Lisbon is an hour ahead of UTC.
        #expect(hours.end(at: time(day: 190, 21)) == time(day: 191, 6))
        #expect(QuietHours(from: 0, to: 60, zone: "Europe/Lisboa") == nil)
        #expect(QuietHours(from: 60, to: 60, zone: "UTC") == nil)
    }

    @Test("quiet hours end at their hour when the clock changes in the night")
    func clockChange() throws {
        let hours = try #require(QuietHours(from: 22 * 60, to: 7 * 60, zone: "Europe/Lisbon"))
        // 29 March 2026, 1 h UTC: forward. 25 October 2026, 1 h UTC: back.
        #expect(hours.end(at: time(day: 87, 23)) == time(day: 88, 6))
        #expect(hours.end(at: time(day: 297, 23)) == time(day: 298, 7))
        #expect(hours.end(at: time(day: 298, 1, 30)) == time(day: 298, 7))
    }
}
