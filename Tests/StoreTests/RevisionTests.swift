import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The revisions of many events in the order of their times.
@Suite struct RevisionTests {
    /// The upstream id and the number of each revision.
    private func revisions(
        _ test: TestStore, since: Date? = nil, until: Date? = nil, limit: Int? = nil,
        _ select: (inout EventQuery) -> Void = { _ in }
    ) throws -> [String] {
        var query = EventQuery()
        select(&query)
        var found: [String] = []
        try test.store.forEachRevision(of: query, since: since, until: until, limit: limit) { event, number in
            #expect(event.history.contains { $0.revision == number })
            found.append("\(event.stored.event.id) \(number)")
        }
        return found
    }

    private func revised() throws -> TestStore {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1), quake("us2", updated: 1), quake("us3", updated: 1)])
        try test.poll([quake("us1", updated: 2, magnitude: 2.9)], at: start + 60)
        try test.poll([quake("us2", updated: 2, magnitude: 6, latitude: 10)], at: start + 120)
        try test.poll([quake("us1", updated: 3, magnitude: 3.2)], at: start + 180)
        return test
    }

    @Test func theLatestComeFirst() throws {
        let test = try revised()
        #expect(try revisions(test) == ["us1 3", "us2 2", "us1 2"])
        #expect(try revisions(test, limit: 2) == ["us1 3", "us2 2"])
        #expect(try revisions(test, limit: 0).isEmpty)
    }

    @Test func timesAreThoseOfTheRevisions() throws {
        let test = try revised()
        #expect(try revisions(test, since: start + 120) == ["us1 3", "us2 2"])
        #expect(try revisions(test, until: start + 120) == ["us2 2", "us1 2"])
        #expect(try revisions(test, since: start + 61, until: start + 179) == ["us2 2"])
        #expect(try revisions(test, since: start + 181).isEmpty)
    }

    @Test func eachConditionSelectsEvents() throws {
        let test = try revised()
        #expect(try revisions(test) { $0.minimumMagnitude = 5 } == ["us2 2"])
        #expect(try revisions(test) { $0.sources = ["quakes"] }.count == 3)
        #expect(try revisions(test) { $0.sources = ["more"] }.isEmpty)
        #expect(try revisions(test) { $0.text = "chile" }.count == 3)
        #expect(try revisions(test) { $0.changedSince = start + 150 } == ["us1 3", "us1 2"])
        let centre = try #require(Coordinate(latitude: 10, longitude: -70))
        #expect(try revisions(test) { $0.near = EventQuery.Circle(centre: centre, kilometres: 50) } == ["us2 2"])
        let deletion = Withdrawal(provider: "usgs", id: "us1", reason: .deleted, time: start + 240, evidence: "deleted")
        try test.poll([], at: start + 240, withdrawals: [deletion])
        #expect(try revisions(test) == ["us2 2"])
        #expect(try revisions(test) { $0.withdrawn = .include }.first == "us1 4")
    }
}
