import Foundation
import Model
import Testing

@testable import Store

/// The details of one event.
@Suite struct DetailsTests {
    private func publicID(_ test: TestStore, _ name: String) throws -> String {
        try #require(try test.value("SELECT public_id FROM events_v1 WHERE upstream_id = '\(name)'"))
    }

    @Test func aRevisionNamesTheSourceThatGaveIt() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"])])
        try test.poll([quake("us1", aliases: ["ci1"], magnitude: 5.4)], from: "more", at: start + 60)
        let details = try #require(try test.store.details(of: publicID(test, "us1")))
        #expect(details.stored.event.aliases == ["ci1"])
        #expect(details.stored.event.magnitude == 5.4)
        let revision = EventDetails.Revision(
            revision: 2, at: start + 60, source: "more", previous: #"{"magnitude":5.0}"#)
        #expect(details.history == [revision])
        #expect(details.search == nil)
    }

    @Test func aSourceThatNoLongerListsTheEventIsMissingIt() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1"), quake("us2")], minute: 1)
        try test.snapshot([quake("us1")], minute: 2)
        let sighting = EventDetails.Sighting(source: "quakes", firstSeen: start + 60, missingSince: start + 120)
        let details = try #require(try test.store.details(of: publicID(test, "us2")))
        #expect(details.sources == [sighting])
        #expect(details.stored.withdrawal?.reason == "absent")
    }

    @Test func anEventWithoutAPlaceSaysHowTheSearchStands() throws {
        let test = try TestStore()
        var event = article("a", title: "Ash over town")
        event.place = "Quito"
        try test.poll([event], from: "news", at: start + 60)
        let id = try publicID(test, "a")
        let new = EventDetails.Search(state: "new", since: start + 60, placeText: "Quito")
        #expect(try test.store.details(of: id)?.search == new)
        try test.store.transaction { writer in
            for sql in [
                "INSERT INTO geocode_job VALUES (1, 'quito||', '{}', 'unresolved', 'nominatim', 0)",
                "UPDATE geocode_queue SET state = 'asked', job_id = 1, place_text = 'Quito town'",
                "INSERT INTO place_cache VALUES ('quito||', 'nominatim', 'Quito town', NULL, 'no result', 1000, 2000)",
            ] { try writer.connection.run(sql) }
        }
        let search = try #require(try test.store.details(of: id)?.search)
        #expect(search.state == "unresolved")
        #expect(search.placeText == "Quito town")
        #expect(search.reason == "no configured service knows the place")
        let miss = EventDetails.Search.Miss(
            provider: "nominatim", reason: "no result", at: Date(milliseconds: 1000), until: Date(milliseconds: 2000))
        #expect(search.misses == [miss])
    }

    @Test func deletedWordsAreSaidToBeErased() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        let id = try publicID(test, "us1")
        #expect(try test.store.details(of: id)?.stored.isErased == false)
        let deletion = Withdrawal(
            provider: "usgs", id: "us1", reason: .deleted, time: start + 300, evidence: "deleted", erases: true)
        try test.poll([], withdrawals: [deletion])
        #expect(try test.store.details(of: id)?.stored.isErased == true)
    }

    @Test func anIdOfAProviderFindsItsEvents() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"]), quake("us2")])
        try test.poll([article("us1", title: "Ash over town")], from: "news")
        let quakes = try test.rows("SELECT public_id FROM events_v1 WHERE upstream_id = 'us1' ORDER BY provider")
        #expect(quakes.count == 2)
        #expect(try test.store.publicIDs(ofUpstreamID: "us1") == quakes.map { $0[0] })
        #expect(try test.store.publicIDs(ofUpstreamID: "ci1") == [quakes[1][0]])
        #expect(try test.store.publicIDs(ofUpstreamID: "us").isEmpty)
        let plan = try test.rows("EXPLAIN QUERY PLAN \(EventStore.eventOfUpstreamID)").map { $0[3] }
        #expect(plan.count == 2)
        #expect(plan.allSatisfy { $0.hasPrefix("SEARCH ") && $0.contains("PRIMARY KEY") }, "\(plan)")
    }

    @Test func theLastChangeOfAnIdOutlivesItsEvent() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        try test.poll([quake("ci1")], from: "more", at: start + 60)
        let (older, younger) = (try publicID(test, "us1"), try publicID(test, "ci1"))
        try test.poll([quake("us1", aliases: ["ci1"])], at: start + 120)
        #expect(try test.store.details(of: younger)?.stored.publicID == older)
        #expect(try test.store.details(of: older)?.mergedIDs == [younger])
        let row = try #require(try test.value("SELECT id FROM event").flatMap { Int64($0) })
        try test.store.transaction { writer in
            try EventRemoval(writer).remove(row, at: (start + 180).milliseconds)
        }
        #expect(try test.store.details(of: younger) == nil)
        #expect(try test.store.lastChange(of: older)?.kind == .truncated)
        #expect(try test.store.lastChange(of: older)?.at == start + 180)
        #expect(try test.store.lastChange(of: younger)?.kind == .merged)
        #expect(try test.store.lastChange(of: "nobody") == nil)
        let plan = try test.rows(
            "EXPLAIN QUERY PLAN SELECT seq, kind, at_ms FROM change WHERE public_id = 'x' ORDER BY seq DESC LIMIT 1")
        #expect(plan.map { $0[3] } == ["SEARCH change USING INDEX change_event (public_id=?)"])
    }
}
