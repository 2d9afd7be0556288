import Foundation
import Model
import Testing

@testable import Store

/// The extents of categories enclose shapes, too.
@Suite struct ExtentTests {
    private func event(
        _ id: String, _ category: Model.Category, _ geometry: String?, at place: [Double]? = nil
    ) -> Event {
        Event(
            provider: "p", id: id, time: start - 3600, category: category, title: id,
            location: place.flatMap { Coordinate(latitude: $0[1], longitude: $0[0]) }.map { Location($0) },
            geometry: geometry)
    }

    private func polygon(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
        let ring = "[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]"
        return "{\"type\":\"Polygon\",\"coordinates\":[[\(ring)]]}"
    }

    private func box(_ test: TestStore, _ category: Model.Category) throws -> [Double]? {
        try test.store.extents().first { $0.category == category }?.box.map { [$0.west, $0.south, $0.east, $0.north] }
    }

    @Test func aShapeIsEnclosedToFiveDecimals() throws {
        let test = try TestStore()
        try test.poll([
            event("point", .news, nil, at: [-109.93, -15.05]),
            event("area", .news, polygon(20.1, -20, 45.3, 46.46), at: [30, 10]),
            event("quake", .earthquake, nil, at: [1.1, 2.2]),
        ])
        let found = try #require(try box(test, .news))
        for (edge, exact) in zip(found, [-109.93, -20, 45.3, 46.46]) { #expect(abs(edge - exact) < 0.0001) }
        #expect(found[0] == -109.93 && found[1] == -20 && found[2] >= 45.3 && found[3] >= 46.46)
        #expect(found.allSatisfy { ($0 * 100_000).rounded() / 100_000 == $0 })
        #expect(try box(test, .earthquake) == [1.1, 2.2, 1.1, 2.2], "points are exact")
    }

    @Test func aShapeAcross180DegreesSpansTheMap() throws {
        let test = try TestStore()
        try test.poll([event("fiji", .alert, polygon(175, -20, -175, -15))])
        #expect(try box(test, .alert) == [-180, -20, 180, -15])
        try test.poll([event("tonga", .alert, polygon(-176, -25, -174, -24))], at: start + 60)
        #expect(try box(test, .alert) == [-180, -25, 180, -15])
    }

    @Test func aShapeWithoutACoordinateCountsAndAWithdrawnOneDoesNot() throws {
        let test = try TestStore()
        try test.poll([event("near", .alert, polygon(0, 0, 1, 1)), event("far", .alert, polygon(50, 50, 60, 60))])
        #expect(try box(test, .alert) == [0, 0, 60, 60])
        let withdrawal = Withdrawal(provider: "p", id: "far", reason: .cancelled, time: start, evidence: "Cancel")
        try test.poll([], at: start + 60, withdrawals: [withdrawal])
        #expect(try box(test, .alert) == [0, 0, 1, 1])
        #expect(try box(test, .news) == nil)
    }

    @Test func shapesAreFoundWithoutAWalkOverAllEvents() throws {
        let test = try TestStore()
        let plan = try test.rows("EXPLAIN QUERY PLAN " + EventStore.shapeExtents).map { $0[3] }
        #expect(plan.contains { $0.contains("INDEX event_shape") }, "\(plan)")
        #expect(plan.contains { $0.hasSuffix("VIRTUAL TABLE INDEX 1:") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}
