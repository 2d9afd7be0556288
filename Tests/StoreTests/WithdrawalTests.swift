import Foundation
import Model
import Testing

@testable import Store

@Suite struct WithdrawalTests {
    private func cancel(
        _ id: String, family: Bool = false, minute: Double? = 5, erases: Bool = false, replacements: [String] = []
    ) -> Withdrawal {
        Withdrawal(
            provider: "usgs", id: id, takesFamily: family, reason: erases ? .deleted : .cancelled,
            time: minute.map { start + $0 * 60 }, evidence: "Cancel \(id)", erases: erases, replacements: replacements)
    }

    private let reasons = "SELECT upstream_id, coalesce(withdrawn_reason, '-') FROM events_v1 ORDER BY 1"

    @Test func cancelledEventIsKeptWithItsEvidence() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        #expect(try test.poll([], withdrawals: [cancel("us1")]).withdrawn == 1)
        #expect(try test.store.events(EventQuery()).isEmpty)
        var query = EventQuery()
        query.withdrawn = .only
        let withdrawal = try #require(try test.store.events(query).first?.withdrawal)
        #expect(withdrawal.reason == "cancelled")
        #expect(withdrawal.at == start + 300)
        #expect(withdrawal.evidence == "Cancel us1")
        #expect(try test.poll([], withdrawals: [cancel("us1")]).withdrawn == 0)
        #expect(try test.rows("SELECT kind FROM changes_v1") == [["new"], ["withdrawn"]])
    }

    /// A network's own report is deleted once it belongs to another's event, which goes on.
    @Test func whatASnapshotListsUnderItsOwnNameIsNotTakenBackUnderAnother() throws {
        let test = try TestStore()
        let event = quake("us1", aliases: ["ci2"], updated: 1)
        let coverage = Coverage(
            provider: "usgs", generated: start + 600, window: (start - 48 * 3600)...start, present: ["us1", "ci2"])
        let result = try test.poll([event], withdrawals: [cancel("ci2")], coverage: coverage)
        #expect(result.new == 1 && result.withdrawn == 0)
        #expect(try test.poll([], withdrawals: [cancel("ci2")]).withdrawn == 1, "alone it is the event's")
    }

    @Test func newerVersionStaysAndComesBack() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 9)])
        #expect(try test.poll([], withdrawals: [cancel("us1", minute: 5)]).withdrawn == 0)
        try test.poll([], withdrawals: [cancel("us1", minute: 10)])
        try test.poll([quake("us1", updated: 9, magnitude: 5.2)])
        #expect(try test.rows(reasons) == [["us1", "cancelled"]])
        #expect(try test.poll([quake("us1", updated: 11)]).changed == 1)
        #expect(try test.rows(reasons) == [["us1", "-"]])
        #expect(try test.value("SELECT kind FROM changes_v1 ORDER BY seq DESC") == "restored")
    }

    @Test func withdrawalCountsWhenItComesFirst() throws {
        let test = try TestStore()
        try test.poll([], withdrawals: [cancel("us1"), cancel("alert", family: true), cancel("us3")])
        let late = ["us1", "alert 2", "alert/3", "us2"].map { quake($0, updated: 1) }
        let result = try test.poll(late + [quake("us3", updated: 6)])
        #expect(result.new == 5)
        #expect(result.withdrawn == 2)
        let expected = [
            ["alert 2", "cancelled"], ["alert/3", "-"], ["us1", "cancelled"], ["us2", "-"], ["us3", "-"],
        ]
        #expect(try test.rows(reasons) == expected)
    }

    @Test func familyGoesTogetherButReplacementsStay() throws {
        let test = try TestStore()
        try test.poll(["x a", "x b", "x", "x/1", "xy a", "x!"].map { quake($0) })
        let result = try test.poll([], withdrawals: [cancel("x", family: true, replacements: ["x b"])])
        #expect(result.withdrawn == 2)
        let expected = [
            ["x", "cancelled"], ["x a", "cancelled"], ["x b", "-"], ["x!", "-"], ["x/1", "-"], ["xy a", "-"],
        ]
        #expect(try test.rows(reasons) == expected)
    }

    /// An Update as decoded from CAP: the superseded ids are among its aliases.
    private func update(
        _ id: String, of earlier: [String], minute: Double
    ) -> (event: Event, withdrawals: [Withdrawal]) {
        let withdrawals = earlier.map { cancel($0, family: true, minute: minute, replacements: [id]) }
        return (quake(id, aliases: earlier, updated: minute), withdrawals)
    }

    /// A split warning; its documents arrive in the order of sending or in that of an index.
    @Test(arguments: [["x"], ["x", "north"], ["north"]], [false, true])
    func twoUpdatesOfOneAlertAreTwoEvents(cancelled: [String], isNewestFirst: Bool) throws {
        let test = try TestStore()
        let alert = (event: quake("x", updated: 1), withdrawals: [Withdrawal]())
        let answers = [alert, update("north", of: ["x"], minute: 2), update("south", of: ["x"], minute: 3)]
        for _ in 0..<2 {
            for answer in isNewestFirst ? answers.reversed() : answers {
                try test.poll([answer.event], withdrawals: answer.withdrawals)
            }
            #expect(try test.rows(reasons) == [["north", "-"], ["south", "-"]])
        }
        try test.poll([], withdrawals: cancelled.map { cancel($0, family: true, minute: 4) })
        // Replacements of the alert are meant only if they are named.
        let north = cancelled.contains("north") ? "cancelled" : "-"
        #expect(try test.rows(reasons) == [["north", north], ["south", "-"]])
        let changes = try test.store.lastChange()
        for answer in answers { try test.poll([answer.event], withdrawals: answer.withdrawals) }
        #expect(try test.store.lastChange() == changes)
    }

    @Test func twoUpdatesOfOneMomentInOneDocumentAreTwoEvents() throws {
        let test = try TestStore()
        let (north, south) = (update("north", of: ["x"], minute: 1), update("south", of: ["x"], minute: 1))
        let events = [quake("x", updated: 1), north.event, south.event]
        for round in 0..<3 {
            let result = try test.poll(events, withdrawals: north.withdrawals + south.withdrawals)
            #expect(result.new + result.changed + result.unchanged == 3)
            #expect(result.new == (round == 0 ? 2 : 0))
            #expect(try test.rows(reasons) == [["north", "-"], ["south", "-"]])
        }
    }

    /// Part of a warning ends and the rest goes on, in one document; either message may be read first.
    @Test(arguments: [false, true])
    func anUpdateOutlivesTheCancelOfItsAlertInTheSameMoment(isCancelledFirst: Bool) throws {
        let test = try TestStore()
        try test.poll([quake("x", updated: 1)])
        let rest = update("rest", of: ["x"], minute: 5)
        if isCancelledFirst { try test.poll([], withdrawals: [cancel("x", family: true)]) }
        try test.poll([rest.event], withdrawals: rest.withdrawals)
        if !isCancelledFirst { try test.poll([], withdrawals: [cancel("x", family: true)]) }
        #expect(try test.rows(reasons) == [["rest", "-"]])
    }

    /// As when an index lists an Update before the alert that it refers to.
    @Test(arguments: ["x", "x a"])
    func whatHasBeenSupersededInTheSameMomentDoesNotComeBack(earlier: String) throws {
        let test = try TestStore()
        try test.poll(
            [quake("y", aliases: [earlier], updated: 5, title: "Update")],
            withdrawals: [cancel("x", family: true, replacements: ["y"])])
        #expect(try test.poll([quake(earlier, updated: 5, title: "Alert")]).unchanged == 1)
        let rows = try test.rows("SELECT upstream_id, title, withdrawn_reason FROM events_v1")
        #expect(rows == [["y", "Update", "NULL"]])
    }

    @Test func deletedTextIsErasedEverywhere() throws {
        let test = try TestStore()
        var event = quake("us1", title: "zanzibar secret words")
        event.summary = "zanzibar summary"
        event.author = Author(name: "Zanzibari")
        try test.poll([event])
        event.title = "zanzibar again"
        try test.poll([event])
        try test.store.keepFailedBody(
            source: "quakes", url: "https://example.org/quakes?key=1", at: start, failure: Failure(.feed, "x", "y"),
            body: Data("zanzibar".utf8))
        #expect(try test.poll([], withdrawals: [cancel("us1", minute: nil, erases: true)]).withdrawn == 1)
        #expect(
            try test.rows("SELECT title, summary, author_name, details_json, latitude FROM events_v1")
                == [["(deleted)", "NULL", "NULL", "{}", "NULL"]])
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'zanzibar'").isEmpty)
        #expect(try test.store.failedBody(source: "quakes") == nil)
        #expect(try test.value("SELECT count(*) FROM event_position") == "0")
        #expect(try test.poll([event]).unchanged == 1)
        #expect(try test.value("SELECT title FROM events_v1") == "(deleted)")

        _ = try test.store.truncate(asOf: start)
        try test.store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: test.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: test.path + "-wal"))
        #expect(file.range(of: Data("zanzibar".utf8)) == nil)
        #expect(log.range(of: Data("zanzibar".utf8)) == nil)
    }

    @Test func deletedMessageThatComesLaterIsStoredWithoutItsText() throws {
        let test = try TestStore()
        try test.poll([], withdrawals: [cancel("us1", erases: true)])
        try test.poll([quake("us1", title: "zanzibar")])
        #expect(try test.rows("SELECT title, withdrawn_reason FROM events_v1") == [["(deleted)", "deleted"]])
    }

    /// An edited message has the id of its first version, and lists the ids of all.
    @Test(arguments: ["001", "002"], [true, false])
    func deletedWordsDoNotComeBackUnderAnotherName(deleted: String, isKnown: Bool) throws {
        let test = try TestStore()
        let other = deleted == "001" ? "002" : "001"
        for name in isKnown ? ["001", "002"] : [other] {
            for words in ["zanzibar one", "zanzibar two"] { try test.poll([quake(name, title: words)]) }
        }
        try test.poll([], withdrawals: [cancel(deleted, minute: nil, erases: true)])
        let edited = quake("001", aliases: ["002"], updated: 60, title: "zanzibar edited")
        let result = try test.poll([edited])
        #expect(result.merged == (isKnown ? 1 : 0))
        #expect(try test.rows("SELECT title, withdrawn_reason FROM events_v1") == [["(deleted)", "deleted"]])
        #expect(try test.rows("SELECT previous_json FROM event_history_v1").isEmpty)
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'zanzibar'").isEmpty)
        #expect(try test.value("SELECT count(*) FROM event_position") == "0")
        #expect(try test.poll([edited]).unchanged == 1)
    }
}
