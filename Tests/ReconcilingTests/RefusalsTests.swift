import Model
import Reconciling
import Testing

/// Which refused items are kept.
@Suite struct RefusalsTests {
    private func kept(
        _ events: [Event] = [], _ issues: [FeedIssue] = [], room: Int = Refusals.most, deleted: Set<String> = []
    ) -> [Refusals.Item] {
        Refusals.kept(events.map { (event: $0, reason: "magnitude") }, issues, room: room) { deleted.contains($0.id) }
    }

    @Test func eventsComeBeforeItemsThatCannotBeRead() {
        let issues = [
            FeedIssue("no_id", at: "item 2", costsItem: true), FeedIssue("bad_date", at: "item 3"),
            FeedIssue("no_title", at: "item 4", found: "a", costsItem: true),
        ]
        let items = kept([quake("us1")], issues)
        #expect(items.map(\.id) == ["us1", "item 2", "a"], "the item with a bad date was kept")
        #expect(items.map(\.provider) == ["usgs", "", ""])
        #expect(items.map(\.reason) == ["magnitude", "no_id", "no_title"])
        #expect(items.map(\.title) == ["M 5.0 - Chile", "item 2", "item 4: found \"a\""])
    }

    @Test func aPollHasRoomForAHundred() {
        let events = (1...3).map { quake("us\($0)") }
        let issues = (1...3).map { FeedIssue("no_id", at: "item \($0)", costsItem: true) }
        #expect(kept(events, issues, room: 5).map(\.id) == ["us1", "us2", "us3", "item 1", "item 2"])
        #expect(kept(events, issues, room: 2).map(\.id) == ["us1", "us2"])
        #expect(kept(events, issues, room: 0).isEmpty && Refusals.most == 100)
    }

    @Test func deletedWordsAreNotKeptAndTakeNoRoom() {
        #expect(kept([quake("us1"), quake("us2")], room: 1, deleted: ["us1"]).map(\.id) == ["us2"])
    }

    @Test func namesAliasesAndTitlesAreCut() throws {
        let name = String(repeating: "a", count: 1023)
        #expect(Refusals.cut(name + "bc") == name + "b" && Refusals.cut(name) == name)
        #expect(Refusals.cut(name + "\u{E9}") == name, "whole scalars")
        let aliases = ["ci1", String(repeating: "a", count: 2048), "nc1"]
        let event = quake("us1", aliases: aliases, title: String(repeating: "\u{E9}", count: 201))
        let item = try #require(kept([event]).first)
        #expect(item.aliases == "\nci1\nnc1\n" && item.title.unicodeScalars.count == 200)
        #expect(kept([quake("us1")]).first?.aliases == nil)
        var long = quake(name + "bc")
        long.provider = name + "bc"
        #expect(kept([long]).map(\.id) == [name + "b"] && kept([long]).map(\.provider) == [name + "b"])
    }
}
