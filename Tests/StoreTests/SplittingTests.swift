import Foundation
import Model
import Testing

@testable import Store

/// An event with several ids that is listed as two events again.
@Suite struct SplittingTests {
    private let joined = quake("us1", aliases: ["ci2"], updated: 1, title: "Joined")
    private let first = quake("us1", updated: 3, title: "First")
    private let second = quake("ci2", updated: 4, title: "Second", latitude: 10)

    private let visible = "SELECT upstream_id, title, coalesce(withdrawn_reason, '-') FROM events_v1 ORDER BY 1"
    private let bothAreThere = [["ci2", "Second", "-"], ["us1", "First", "-"]]

    private func publicIDs(_ test: TestStore) throws -> [String: String] {
        let rows = try test.rows("SELECT upstream_id, public_id FROM events_v1")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }

    @Test(arguments: [false, true])
    func twoThatAreListedApartAreTwoRows(isSecondFirst: Bool) throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        let row = try publicIDs(test)["us1"]
        let both = isSecondFirst ? [second, first] : [first, second]
        let result = try test.snapshot(both, minute: 5)
        #expect([result.new, result.changed, result.withdrawn] == [1, 1, 0] as [Int])
        #expect(try test.rows(visible) == bothAreThere)
        #expect(try publicIDs(test)["us1"] == row)
        let names = try test.rows("SELECT upstream_id, public_id FROM aliases_v1 ORDER BY 1")
        let events = try test.rows("SELECT upstream_id, public_id FROM events_v1 ORDER BY 1")
        #expect(names == events)

        let changes = try test.store.lastChange()
        #expect(try test.snapshot(both, minute: 6).unchanged == 2)
        #expect(try test.store.lastChange() == changes)

        #expect(try test.snapshot([first], minute: 7).withdrawn == 1)
        #expect(try test.rows(visible) == [["ci2", "Second", "absent"], ["us1", "First", "-"]])
    }

    @Test func theirPublicIDsComeBack() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1", updated: 0), quake("ci2", updated: 0)], minute: 1)
        let ids = try publicIDs(test)
        for round in 0..<2 {
            let minute = Double(10 * round)
            let joined = quake("us1", aliases: ["ci2"], updated: minute + 1)
            #expect(try test.snapshot([joined], minute: minute + 2).merged == 1)
            #expect(try test.rows("SELECT public_id FROM merged_events_v1") == [[ids["ci2"] ?? ""]])
            let both = ["us1", "ci2"].map { quake($0, updated: minute + 3) }
            #expect(try test.snapshot(both, minute: minute + 4).new == 1)
            #expect(try publicIDs(test) == ids)
            #expect(try test.rows("SELECT public_id FROM merged_events_v1").isEmpty)
        }
        #expect(try test.store.details(of: ids["ci2"] ?? "")?.upstreamIDs == ["ci2"])
    }

    /// Feeds are regenerated at different times.
    @Test func aFeedThatLagsBehindUndoesNothing() throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        try test.snapshot([joined], minute: 2, from: "more")
        try test.snapshot([first, second], minute: 5)
        let changes = try test.store.lastChange()
        let behind = quake("us1", aliases: ["ci2"], updated: 2, title: "Joined and revised")
        for minute in [5.0, 6] {
            #expect(try test.snapshot([behind], minute: minute, from: "more").merged == 0)
            #expect(try test.snapshot([first, second], minute: minute + 1).new == 0)
        }
        #expect(try test.store.lastChange() == changes)
        #expect(try test.snapshot([first, second], minute: 7, from: "more").new == 0)
        #expect(try test.rows(visible) == bothAreThere)
    }

    @Test(arguments: [false, true])
    func bothStayWhereTheSourceThatHasSplitThemIsReset(isSecondFirst: Bool) throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        try test.snapshot([joined], minute: 2, from: "more")
        try test.snapshot(isSecondFirst ? [second, first] : [first, second], minute: 5)
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start) == 0)
        #expect(try test.rows(visible) == bothAreThere)
        // The source does not miss what it never listed.
        #expect(try test.snapshot([first], minute: 6, from: "more").withdrawn == 0)
        #expect(try test.snapshot([first, second], minute: 7, from: "more").withdrawn == 0)
        #expect(try test.snapshot([first], minute: 8, from: "more").withdrawn == 1)
    }

    @Test func aFeedFromBeforeTheyWereJoinedSplitsNothing() throws {
        let test = try TestStore()
        let before = [quake("us1", updated: 0), quake("ci2", updated: 0)]
        try test.snapshot(before, minute: 1, from: "more")
        try test.snapshot([joined], minute: 2)
        for minute in [3.0, 4] {
            #expect(try test.snapshot(before, minute: minute, from: "more").new == 0)
            #expect(try test.rows(visible) == [["us1", "Joined", "-"]])
        }
    }

    @Test func whatListsTheOtherAmongItsNamesIsTheSame() throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        let still = quake("us1", aliases: ["ci2"], updated: 3, title: "First")
        #expect(try test.snapshot([still, second], minute: 5).new == 0)
        #expect(try test.value("SELECT count(*) FROM events_v1") == "1")
    }

    /// Two feeds have listed one of the two events each, and the row has the content of the last.
    @Test func whatIsListedWithoutNewsIsSplitFromARowThatHasComeToSayTheOther() throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        let second = quake("ci2", updated: 3, title: "Second", latitude: 10)
        try test.snapshot([second], minute: 4)
        try test.snapshot([first], minute: 4, from: "more")
        #expect(try test.rows(visible) == [["us1", "First", "-"]])
        #expect(try test.snapshot([second, first], minute: 5).new == 1)
        #expect(try test.rows(visible) == bothAreThere)
    }

    @Test func whatWasAcceptedAsOneIsAcceptedAsTwo() throws {
        let test = try TestStore()
        try test.snapshot([joined], minute: 2)
        let coverage = Coverage(
            provider: "usgs", generated: start + 300, window: (start - 48 * 3600)...start, present: ["us1", "ci2"])
        let filter = Filter(minimumMagnitude: 6)
        let result = try test.poll([first, second], at: start + 300, coverage: coverage, filter: filter)
        #expect(result.refused.isEmpty)
        #expect(try test.rows(visible) == bothAreThere)
    }
}
