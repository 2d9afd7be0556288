import Foundation
import Model
import Testing

@testable import Store

@Suite struct IngestionTests {
    @Test func newEventIsStoredWhole() throws {
        let test = try TestStore()
        var event = quake("us1", aliases: ["ci1"], updated: 1)
        event.expires = start + 3600
        event.summary = "Felt widely"
        event.link = "https://example.org/us1"
        event.author = Author(name: "USGS", link: "https://usgs.gov", picture: "https://usgs.gov/p.png")
        event.place = "20 km N of Iquique"
        event.language = "en"
        event.geometry = #"{"type":"Point","coordinates":[-70,-20]}"#
        #expect(try test.poll([event]).new == 1)
        let stored = try #require(try test.store.events(EventQuery()).first)
        #expect(stored.event == event)
        #expect(stored.revision == 1)
        #expect(stored.firstSeen == start)
        #expect(stored.hasFeedTime)
        #expect(stored.publicID.count == 16)
        #expect(try test.store.details(of: stored.publicID)?.upstreamIDs == ["ci1", "us1"])
        let sightings = [EventDetails.Sighting(source: "quakes", firstSeen: start)]
        #expect(try test.store.details(of: stored.publicID)?.sources == sightings)
    }

    @Test func identicalPollWritesNothingButTheSource() throws {
        let test = try TestStore()
        let events = (0..<20).map { quake("us\($0)", aliases: ["ci\($0)"], updated: 1) }
        try test.poll(events)
        let before = try test.writtenRows()
        let result = try test.poll(events, at: start + 60)
        #expect(result.unchanged == 20)
        #expect(result.new + result.changed == 0)
        #expect(try test.writtenRows() - before == 1)
    }

    @Test func differentContentIsARevisionEvenWithTheSameUpdated() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        #expect(try test.poll([quake("us1", updated: 1, magnitude: 5.4)], at: start + 60).changed == 1)
        let stored = try #require(try test.store.events(EventQuery()).first)
        #expect(stored.event.magnitude == 5.4)
        #expect(stored.revision == 2)
        #expect(stored.lastChanged == start + 60)
        let history = try #require(try test.store.details(of: stored.publicID)?.history)
        #expect(history.map(\.revision) == [2])
        #expect(history.first?.previous == #"{"magnitude":5.0}"#)
        #expect(try test.rows("SELECT kind FROM changes_v1") == [["new"], ["revised"]])
    }

    @Test func olderVersionNeverReplacesANewerOne() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 10, magnitude: 6)])
        let result = try test.poll([quake("us1", aliases: ["ci1"], updated: 5, magnitude: 5)], from: "more")
        #expect(result.unchanged == 1)
        #expect(try test.value("SELECT magnitude FROM events_v1") == "6.0")
        #expect(try test.value("SELECT count(*) FROM aliases_v1") == "2")
    }

    @Test func movedUpdatedAloneIsNoRevision() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        #expect(try test.poll([quake("us1", updated: 2)]).unchanged == 1)
        let updated = (start + 120).milliseconds
        #expect(try test.rows("SELECT revision, updated_ms FROM events_v1") == [["1", "\(updated)"]])
    }

    @Test func historyKeepsFirstAndLatestRevisions() throws {
        let test = try TestStore()
        for minute in 0..<40 { try test.poll([quake("us1", updated: Double(minute), magnitude: Double(minute))]) }
        let revisions = try test.rows("SELECT revision FROM event_history_v1 ORDER BY revision").compactMap(\.first)
        #expect(revisions == ["2"] + (22...40).map { "\($0)" })
        let first = try test.value("SELECT previous_json FROM event_history_v1 WHERE revision = 2")
        #expect(first?.hasPrefix(#"{"magnitude":0.0,"#) == true)
    }

    /// As in Atom (RFC 4287 §4.1.1), whose feeds start with new entries.
    @Test func ofTwoInOneAnswerTheOneTouchedLastCountsAndOfEqualsTheFirst() throws {
        let test = try TestStore()
        let result = try test.poll([
            quake("us1", updated: 2, magnitude: 1), quake("us2"), quake("us1", updated: 1, magnitude: 2),
            quake("us3", updated: 1, magnitude: 1), quake("us3", updated: 2, magnitude: 2),
            quake("us4", hours: -3, magnitude: 1), quake("us4", magnitude: 2), quake("us4", magnitude: 3),
        ])
        #expect(result.new == 4)
        #expect(result.changed == 0)
        let magnitudes = try test.rows("SELECT magnitude FROM events_v1 ORDER BY upstream_id").compactMap(\.first)
        #expect(magnitudes == ["1.0", "5.0", "2.0", "2.0"])
    }

    @Test func changedIDFindsTheRowThroughItsAlias() throws {
        let test = try TestStore()
        try test.poll([quake("ci1", updated: 1)])
        let publicID = try #require(try test.value("SELECT public_id FROM events_v1"))
        let result = try test.poll([quake("us1", aliases: ["ci1"], updated: 2)])
        #expect(result.new == 0)
        #expect(result.changed == 1)
        #expect(try test.rows("SELECT public_id, upstream_id FROM events_v1") == [[publicID, "us1"]])
    }

    @Test func twoRowsOfOneEventAreMergedIntoTheOlder() throws {
        let test = try TestStore()
        try test.poll([quake("us1", title: "Old")])
        try test.poll([quake("ci1", title: "Young")], from: "more", at: start + 60)
        try test.poll([quake("ci1", magnitude: 5.1, title: "Young")], from: "more", at: start + 90)
        let ids = try test.rows("SELECT public_id FROM events_v1 ORDER BY first_seen_ms").compactMap(\.first)
        let result = try test.poll([quake("us1", aliases: ["ci1"], title: "One")], at: start + 120)
        #expect(result.merged == 1)
        #expect(try test.rows("SELECT public_id, title FROM events_v1") == [[ids[0], "One"]])
        #expect(try test.rows("SELECT * FROM merged_events_v1") == [[ids[1], ids[0]]])
        #expect(try test.store.details(of: ids[1])?.upstreamIDs == ["ci1", "us1"])
        let sightings = [("quakes", start), ("more", start + 60)].map {
            EventDetails.Sighting(source: $0.0, firstSeen: $0.1)
        }
        #expect(try test.store.details(of: ids[0])?.sources == sightings)
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'young'").isEmpty)
        #expect(try test.value("SELECT count(*) FROM event_position") == "1")
        let kinds = try test.rows("SELECT kind, public_id FROM changes_v1 WHERE kind = 'merged' ORDER BY seq")
        #expect(kinds == [["merged", ids[1]], ["merged", ids[0]]])
        let merges = "SELECT count(*) FROM event_history_v1 WHERE previous_json LIKE '%merged_public_id%'"
        #expect(try test.value(merges) == "1")
        #expect(try test.poll([quake("us1", aliases: ["ci1"], title: "One")], at: start + 180).unchanged == 1)
    }

    @Test func twoSourcesThatWordOneEventDifferentlyDoNotFlap() throws {
        let test = try TestStore()
        var first = quake("us1", title: "From quakes")
        first.summary = "A longer text"
        let second = quake("us1", title: "From more")
        try test.poll([first])
        #expect(try test.poll([second], from: "more").changed == 1)
        #expect(try test.rows("SELECT title, summary FROM events_v1") == [["From more", "A longer text"]])
        let changes = try test.store.lastChange()
        for _ in 0..<3 {
            #expect(try test.poll([first]).unchanged == 1)
            #expect(try test.poll([second], from: "more").unchanged == 1)
        }
        #expect(try test.store.lastChange() == changes)
    }

    @Test func filterDecidesAcceptanceOnly() throws {
        let test = try TestStore()
        let filter = Filter(minimumMagnitude: 5)
        let result = try test.poll([quake("us1"), quake("us2", magnitude: 4)], filter: filter)
        #expect(result.new == 1)
        #expect(result.refused == ["magnitude": 1])
        #expect(try test.poll([quake("us1", magnitude: 4.9)], filter: filter).changed == 1)
        #expect(try test.value("SELECT magnitude FROM events_v1") == "4.9")
    }

    @Test func eventWithoutDateTakesTheTimeOfFirstSight() throws {
        let test = try TestStore()
        try test.poll([article("a", title: "Ash", hours: nil)], from: "news", at: start + 5)
        let undated = ["\((start + 5).milliseconds)", "first_seen"]
        #expect(try test.rows("SELECT time_ms, time_source FROM events_v1") == [undated])
        try test.poll([article("a", title: "Ash", hours: -1)], from: "news", at: start + 60)
        let dated = ["\((start - 3600).milliseconds)", "feed"]
        #expect(try test.rows("SELECT time_ms, time_source FROM events_v1") == [dated])
        #expect(try test.value("SELECT time_ms FROM link") == dated[0])
    }

    @Test func geocodedPlaceStaysUntilThePlaceTextChanges() throws {
        let test = try TestStore()
        var event = article("a", title: "Ash over town")
        event.place = "Quito"
        try test.poll([event], from: "news")
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "1")
        try test.store.transaction { writer in
            try writer.connection.run(
                "UPDATE event SET latitude = -0.2, longitude = -78.5, location_method = 'gazetteer'")
            try writer.connection.run(
                """
                INSERT INTO event_position
                SELECT id, -78.5, -78.5, -0.2, -0.2, time_ms / 3600000.0, time_ms / 3600000.0 FROM event
                """)
            try writer.connection.run("DELETE FROM geocode_queue")
        }
        event.title = "More ash over town"
        #expect(try test.poll([event], from: "news").changed == 1)
        #expect(try test.value("SELECT latitude FROM events_v1") == "-0.2")
        event.place = "Lima"
        try test.poll([event], from: "news")
        #expect(try test.value("SELECT latitude FROM events_v1") == "NULL")
        #expect(try test.value("SELECT count(*) FROM event_position") == "0")
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "1")
    }

    @Test func coordinateThatTheFeedTakesBackIsRemoved() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        var event = quake("us1")
        event.location = nil
        #expect(try test.poll([event]).changed == 1)
        #expect(try test.value("SELECT latitude FROM events_v1") == "NULL")
    }

    @Test func issuesThatCostAnItemAreCounted() throws {
        let test = try TestStore()
        let issues = [
            FeedIssue("no_id", at: "item 1", costsItem: true), FeedIssue("bad_date", at: "item 2"),
            FeedIssue("no_id", at: "item 3", costsItem: true),
        ]
        #expect(try test.poll([quake("us1")], issues: issues).refused == ["no_id": 2])
        try test.poll([], issues: issues)
        #expect(try test.store.sources().first { $0.name == "quakes" }?.refused == ["no_id": 4])
    }

    @Test func changeNumbersGrowAndEachRowKeepsItsLast() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([quake("us1", magnitude: 6)])
        let sequence = try test.rows("SELECT seq FROM changes_v1 ORDER BY seq").compactMap(\.first)
        #expect(sequence == ["1", "2", "3"])
        #expect(
            try test.rows("SELECT upstream_id, change_seq FROM events_v1 ORDER BY 1") == [["us1", "3"], ["us2", "2"]])
    }

    @Test func failedTransactionStoresNothing() throws {
        let test = try TestStore()
        let answer = FeedAnswer(events: [quake("us1")])
        let good = PollStep(
            source: "quakes", at: start, answer: answer, fingerprint: "f1",
            validators: ["https://example.org/quakes": Validators(etag: "\"1\"")])
        let bad = PollStep(source: "nobody", at: start, fingerprint: "f1")
        #expect(storeErrorCode { _ = try test.store.write([.step(good), .step(bad)]) } == .unknownSource)
        #expect(try test.rows("SELECT 1 FROM event UNION ALL SELECT 1 FROM validator").isEmpty)
        #expect(try test.store.lastChange() == 0)
        #expect(try test.step(good).new == 1)
        #expect(try test.store.lastChange() == 1)
    }
}
