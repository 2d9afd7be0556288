import Model
import Testing

@Suite struct IssueCountTests {
    @Test func equalIssuesAreOneWithTheirNumber() {
        var many = FeedIssue("bad_date", at: "item 4", found: "32 Foo")
        many.times = 5
        let issues = [
            FeedIssue("bad_date", at: "item 1", found: "32 Foo"), FeedIssue("bad_date", at: "item 2", found: "33 Foo"),
            FeedIssue("bad_date", at: "item 3", found: "32 Foo"), many,
            FeedIssue("bad_date", at: "item 5", found: "32 Foo", costsItem: true),
        ]
        #expect(
            issues.withoutRepetition.map(\.description) == [
                "item 1: bad_date: found \"32 Foo\" (and 6 more like it)", "item 2: bad_date: found \"33 Foo\"",
                "item 5: bad_date: found \"32 Foo\" (item refused)",
            ])
    }

    @Test func aSampleHasNoQuery() {
        #expect(FeedIssue("no_link", at: "item 1").sample == "item 1")
        #expect(FeedIssue("bad_date", at: "item 1", found: "when?").sample == "item 1: found \"when?\"")
        let link = FeedIssue("network_link", at: "line 2", found: "https://example.org/x.kml?key=1")
        #expect(link.sample == "line 2: found \"https://example.org/x.kml\"")
    }

    @Test func stepsOfAPollAddUp() {
        var (first, second) = (StepResult(), StepResult())
        first.count([FeedIssue("no_id", at: "item 1", costsItem: true), FeedIssue("bad_date", at: "item 2")])
        second.count([FeedIssue("bad_date", at: "item 1")])
        first.add(second)
        #expect(first.issues.numbers == ["bad_date": 2, "no_id": 1])
        #expect(first.issues["bad_date"]?.sample == "item 2")
        #expect(first.refused == ["no_id": 1])
    }
}
