import Foundation
import Model
import Reconciling
import Testing

@testable import Store

/// The updates that followers receive for their selected events.
@Suite struct EventUpdateTests {
    private let hour = 3600.0

    /// Updates as texts, such as `new us1`, or `merged us2 into us1` for a removed event; the id is its first upstream
    /// id.
    private func told(
        _ test: TestStore, after cursor: Int64, limit: Int = 1000, _ change: (inout EventQuery) -> Void = { _ in }
    ) throws -> [String] {
        let feed = ChangeFeed(of: test.store)
        var query = EventQuery()
        query.withdrawn = .include
        change(&query)
        let page = try feed.next(after: cursor, limit: limit)
        return try feed.updates(page, matching: query).map { update in
            switch update {
            case .changed(let event, let kind): "\(kind.rawValue) \(event.event.id)"
            case .gone(let change, let successor):
                "\(change.kind.rawValue) \(Self.names[change.publicID] ?? change.publicID)"
                    + (successor.map { " into \(Self.names[$0] ?? $0)" } ?? "")
            }
        }
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: ["us1", "us2", "us3", "ci1"].map { (PublicID.of(provider: "usgs", upstreamID: $0), $0) })

    private func withdrawal(_ id: String, minute: Double) -> Withdrawal {
        Withdrawal(provider: "usgs", id: id, reason: .deleted, time: start + minute * 60, evidence: "deleted")
    }

    @Test func eachChangeIsToldByItsKind() throws {
        let test = try TestStore()
        var cursor: Int64 = 0
        func expect(_ expected: [String], at place: SourceLocation = #_sourceLocation) throws {
            #expect(try told(test, after: cursor) == expected, sourceLocation: place)
            cursor = try test.store.lastChange()
        }
        var unlocated = quake("us2", hours: -3)
        unlocated.location = nil
        try test.poll([quake("us1", updated: 1), unlocated])
        try expect(["new us1", "new us2"])
        try test.poll([quake("us1", updated: 2, magnitude: 6)])
        try expect(["revised us1"])
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let outcomes = try test.store.unlocated(limit: 1, generation: "g").map {
            (event: $0, outcome: LocalOutcome.located(Location(place, method: .gazetteer)))
        }
        _ = try test.store.apply(outcomes, generation: "g", at: start)
        try expect(["located us2"])
        try test.poll([], withdrawals: [withdrawal("us1", minute: 3)])
        try expect(["withdrawn us1"])
        try test.poll([quake("us1", updated: 4, magnitude: 6)])
        try expect(["restored us1"])
        try test.poll([quake("ci1", hours: -4)], from: "more")
        try expect(["new ci1"])
        try test.poll([quake("us1", aliases: ["ci1"], updated: 5, magnitude: 6)])
        try expect(["merged ci1 into us1", "revised us1"])
        _ = try test.store.truncate(asOf: start + 100 * hour)
        try expect(["truncated us1", "truncated us2"])
        try expect([])
        // From the beginning: removed events are reported as removed only, once.
        #expect(try told(test, after: 0) == ["merged ci1", "truncated us1", "truncated us2"])
    }

    @Test func ofSeveralChangesOneIsTold() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1), quake("us2", updated: 1)])
        try test.poll([quake("us1", updated: 2, magnitude: 6)])
        #expect(try told(test, after: 0) == ["new us2", "new us1"], "in the order of their last changes")
        #expect(try told(test, after: 2) == ["revised us1"])
        // An event that has changed again is reported in its current state, and again with its later change.
        #expect(try told(test, after: 0, limit: 2) == ["new us1", "new us2"])
        try test.poll([], withdrawals: [withdrawal("us2", minute: 3)])
        #expect(try told(test, after: 0) == ["new us1", "withdrawn us2"])
        try test.poll([quake("us2", updated: 4)])
        #expect(try told(test, after: 3) == ["restored us2"])
    }

    @Test func onlyWhatIsChosenIsToldButAllThatHasGone() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1), quake("us2", updated: 1, magnitude: 6)])
        let strong: (inout EventQuery) -> Void = { $0.minimumMagnitude = 5.5 }
        #expect(try told(test, after: 0, strong) == ["new us2"])
        try test.poll([], withdrawals: [withdrawal("us2", minute: 3)])
        #expect(try told(test, after: 2) { $0.withdrawn = .exclude } == [])
        try test.poll([quake("ci1", hours: -4)], from: "more")
        try test.poll([quake("us1", aliases: ["ci1"], updated: 5)])
        #expect(try told(test, after: 3, strong) == ["merged ci1 into us1"])
        let last = try test.store.lastChange()
        _ = try test.store.reset(source: "quakes", includingEvents: true, at: start)
        #expect(try told(test, after: last, strong) == ["truncated us2"], "another source shows us1")
        let id = PublicID.of(provider: "usgs", upstreamID: "us1")
        #expect(try told(test, after: last) { $0.publicIDs = [id] } == [])
    }

    @Test func whatComesBackAfterItHasGoneIsNew() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")])
        _ = try test.store.reset(source: "quakes", includingEvents: true, at: start)
        #expect(try told(test, after: 2) == ["truncated us1", "truncated us2"])
        try test.poll([quake("us1")])
        #expect(try told(test, after: 2) == ["truncated us2", "new us1"])
        // The event is now below the limit: followers that have it must drop it.
        #expect(try told(test, after: 2) { $0.minimumMagnitude = 5.5 } == ["truncated us2", "truncated us1"])
        #expect(try told(test, after: 2, limit: 2) == ["truncated us1", "truncated us2"])
    }
}
