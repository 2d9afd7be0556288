import Model
import Reconciling
import Testing

/// What an answer says as a whole.
@Suite struct DocumentTests {
    private func isNews(_ generated: Int64, after last: Int64?, under fingerprint: String = "f1") -> Bool {
        let coverage = Coverage(
            provider: "usgs", generated: .init(milliseconds: start + generated), window: nil, present: [])
        let last = last.map { LastSnapshot(generated: start + $0, fingerprint: "f1", settledFingerprint: "f0") }
        return Document.isNews(coverage, after: last, under: fingerprint)
    }

    @Test func aSnapshotMustBeNewer() {
        #expect(isNews(0, after: nil))
        #expect(isNews(1, after: 0) && !isNews(0, after: 0) && !isNews(0, after: 1))
    }

    @Test func underOtherSettingsAnEqualTimeIsEnough() {
        #expect(isNews(0, after: 0, under: "f2") && !isNews(0, after: 1, under: "f2"))
    }

    @Test func theVersionUpdatedLaterCountsWithTheNamesOfBoth() throws {
        var events = [
            quake("us1", aliases: ["a"], updated: 2, title: "first"), quake("us2"),
            quake("us1", aliases: ["a", "b"], updated: 2, title: "equal"),
            quake("us1", aliases: ["c"], updated: 1, title: "older"),
            quake("us1", aliases: ["d"], updated: 3, title: "later"),
        ]
        let listed = Document.join(&events)
        #expect(listed.values.sorted() == [1, 4])
        let index = try #require(listed[ContentHash.name("us1", of: "usgs")])
        #expect(events[index].title == "later" && events[index].aliases == ["d", "a", "b", "c"])
    }

    @Test func equalTimesLeaveTheFirst() {
        var events = [quake("us1", aliases: ["a"], updated: 2), quake("us1", aliases: ["b"], updated: 2)]
        #expect(Array(Document.join(&events).values) == [0] && events[0].aliases == ["a", "b"])
        var timeless = [quake("us1", time: nil), quake("us1", time: 0)]
        #expect(Array(Document.join(&timeless).values) == [1], "a version without a time is the oldest")
    }

    @Test func oneNameOfTwoProvidersIsTwoEvents() {
        var events = [quake("1"), report("1")]
        #expect(Document.join(&events).values.sorted() == [0, 1])
    }
}
