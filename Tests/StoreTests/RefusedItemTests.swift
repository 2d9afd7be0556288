import Foundation
import Model
import Testing

@testable import Store

/// Refused items and issues, as `visiventd refused` and `visiventd status` show them.
@Suite struct RefusedItemTests {
    private let fire = Filter(keywords: KeywordFilter(["fire"]))

    private func begin(_ test: TestStore, _ source: String = "news", at: Date = start) throws {
        let beginning = PollBeginning(source: source, at: at, nextDue: at + 300, fingerprint: "f1")
        _ = try test.store.write([.begin(beginning)])
    }

    private func record(_ test: TestStore, _ name: String = "news") throws -> SourceRecord {
        try #require(try test.store.sources().first { $0.name == name })
    }

    private func titles(_ test: TestStore, _ source: String = "news") throws -> [String] {
        try test.store.refusedItems(of: source).map(\.title)
    }

    private func message(_ id: String, _ title: String, aliases: [String] = []) -> Event {
        var event = Event(provider: "twitter", id: id, time: start - 60, category: .message, title: title)
        event.aliases = aliases
        return event
    }

    private func deletion(_ id: String) -> Withdrawal {
        Withdrawal(provider: "twitter", id: id, reason: .deleted, evidence: "delete message", erases: true)
    }

    // MARK: - Items

    @Test func refusedItemsAreListedUntilTheyBecomeEvents() throws {
        let test = try TestStore()
        let items = [
            article("a", title: "Ash"), article("b", title: "Flood"), article("old", title: "Fire", hours: -999),
        ]
        let issue = FeedIssue("no_id", at: "item 4", found: "A title", costsItem: true)
        try test.poll(items, from: "news", issues: [issue, FeedIssue("bad_date", at: "item 1")], filter: fire)
        let kept = try test.store.refusedItems(of: "news")
        #expect(kept.map(\.title) == ["Ash", "Flood", "Fire", "item 4: found \"A title\""])
        #expect(kept.map(\.reason) == ["keywords", "keywords", "expired", "no_id"])
        #expect(kept.map(\.id) == ["a", "b", "old", nil] && kept.allSatisfy { $0.at == start })
        #expect(kept.map(\.provider) == ["reuters", "reuters", "reuters", nil])
        #expect(try test.store.refusedItems(of: "quakes").isEmpty)

        let before = try test.rows("SELECT * FROM refused_item ORDER BY id")
        let moved = FeedIssue("no_id", at: "item 5", found: "A title", costsItem: true)
        try test.poll(items, from: "news", at: start + 60, issues: [moved], filter: fire)
        #expect(try test.rows("SELECT * FROM refused_item ORDER BY id") == before, "what comes again changes nothing")
        try test.poll(
            Array(items.dropFirst()), from: "news", at: start + 120, filter: Filter(keywords: KeywordFilter(["flood"])))
        let now = try test.store.refusedItems(of: "news")
        #expect(now.map(\.title) == ["Fire", "Ash", "item 4: found \"A title\""], "one is an event now")
        #expect(now.map(\.reason) == ["keywords", "keywords", "no_id"], "one is refused for another reason")
    }

    @Test func whatAnotherSourceBringsIsRefusedNoLonger() throws {
        let test = try TestStore()
        let item = article("a", title: "Ash")
        try test.poll([item], from: "news", filter: fire)
        try test.poll([item], from: "more")
        #expect(try titles(test) == ["Ash"])
        try test.poll([item], from: "news", filter: fire)
        #expect(try titles(test).isEmpty, "a known event is shown by both")
    }

    @Test func aHundredAreKeptAndTheirTextsAreCut() throws {
        let test = try TestStore()
        let long = String(repeating: "火山", count: 2000)
        let items = (0..<150).map { article("\($0)" + long, title: "\($0) \(long)") }
        for minute in 0..<2 {
            try begin(test, at: start + Double(60 * minute))
            try test.poll(items, from: "news", at: start + Double(60 * minute), filter: fire)
            let kept = try test.store.refusedItems(of: "news")
            #expect(kept.count == 100 && kept.first?.title.hasPrefix("0 火") == true)
            #expect(kept.allSatisfy { $0.title.unicodeScalars.count == 200 && $0.at == start })
        }
        let longest = try test.value("SELECT max(length(CAST(upstream_id AS BLOB))) FROM refused_item")
        #expect(longest.flatMap { Int($0) }.map { (1022...1024).contains($0) } == true)
        try begin(test, at: start + 300)
        try test.poll((0..<30).map { article("new \($0)", title: "New") }, from: "news", at: start + 300, filter: fire)
        let kept = try test.store.refusedItems(of: "news")
        #expect(kept.count == 100 && kept.prefix(30).allSatisfy { $0.title == "New" }, "the last ones stay")
    }

    @Test("Of a poll in several answers the first hundred are kept, of a stream those after its last note")
    func aPollKeepsAHundred() throws {
        let test = try TestStore()
        var before: [[String]] = []
        for minute in [0.0, 1] {
            try begin(test, at: start + minute * 60)
            for answer in 0..<3 {
                let items = (0..<60).map { article("\(answer) \($0)", title: "Ash \(answer)") }
                let issue = FeedIssue("no_id", at: "item \(answer)", costsItem: true)
                try test.poll(items, from: "news", at: start + minute * 60, issues: [issue], filter: fire)
            }
            let kept = try titles(test)
            #expect(kept.filter { $0 == "Ash 0" }.count == 60 && kept.filter { $0 == "Ash 1" }.count == 39)
            #expect(kept.count == 100 && kept.contains("item 0"))
            let rows = try test.rows("SELECT * FROM refused_item ORDER BY id")
            if minute > 0 { #expect(rows == before, "the next poll changes nothing") }
            before = rows
        }
        var note = PollStep(source: "news", at: start + 120, fingerprint: "f1")
        note.end = PollEnd(failure: nil, nextDue: start + 300, dueReason: .stream, failures: 0)
        try test.step(note)
        try test.poll([article("late", title: "Late")], from: "news", at: start + 130, filter: fire)
        #expect(try titles(test).first == "Late")
    }

    @Test("An id that is cut leads to its item when it becomes an event and when its words are deleted")
    func longIDs() throws {
        let test = try TestStore()
        let long = String(repeating: "火", count: 500)
        let items = [article(long, title: "Long"), article("a", title: "Short")]
        try test.poll(items, from: "news", filter: fire)
        #expect(try titles(test) == ["Long", "Short"])
        try test.poll([items[0], article("ab", title: "Ash")], from: "news", at: start + 60)
        #expect(try titles(test) == ["Short"], "the other id is a beginning, but it is not cut")
        try test.poll([message(long, "Words")], from: "news", at: start + 120, filter: fire)
        #expect(try titles(test) == ["Words", "Short"])
        try test.poll([], from: "news", at: start + 180, withdrawals: [deletion(long)])
        #expect(try titles(test) == ["Short"])
    }

    @Test func whatAProviderDeletesIsErasedAmongTheRefusedToo() throws {
        let test = try TestStore()
        let items = [
            message("1", "First"), message("2", "Second"), message("3", "Edited", aliases: ["31", "32"]),
        ]
        let issues = [FeedIssue("no_id", at: "item 4", found: "Words of a message", costsItem: true)]
        try begin(test)
        try test.poll(items, from: "news", issues: issues, filter: fire)
        #expect(try titles(test).count == 4)
        try test.poll([], from: "more", withdrawals: [deletion("1")])
        #expect(try titles(test).first == "Second", "whoever shows the deletion")
        try test.poll([], from: "news", withdrawals: [deletion("32")])
        #expect(try titles(test) == ["Second"], "also under another name, and what has none")
        #expect(try record(test).issues == ["no_id": IssueCount(items: 1, sample: "")])
        let late = [message("4", "Late"), message("2", "Second")]
        try test.poll(late, from: "news", withdrawals: [deletion("4")], filter: fire)
        try test.poll(late + [items[0]], from: "news", filter: fire)
        #expect(try titles(test) == ["Second"], "it stays out when the feed lists it again")
    }

    @Test("An erasing answer brings no samples, and what sources of its kind have shown without an id goes")
    func erasureConcernsAKind() throws {
        let kinds = ["a": "twitter", "b": "twitter", "c": "rss"]
        let test = try TestStore(
            kinds.map { SourceSettings(name: $0.key, kind: $0.value, url: "https://example.org/\($0.key)") })
        let issue = FeedIssue("no_id", at: "item 1", found: "Words of a message", costsItem: true)
        for name in kinds.keys.sorted() {
            try begin(test, name)
            try test.poll([], from: name, issues: [issue])
        }
        let date = FeedIssue("bad_date", at: "item 2", found: "Words of a message")
        let result = try test.poll([], from: "a", withdrawals: [deletion("1"), deletion("2")], issues: [date])
        let blank = IssueCount(items: 1, sample: "")
        #expect(result.issues == ["bad_date": blank])
        #expect(try record(test, "a").issues == ["no_id": blank, "bad_date": blank])
        #expect(try record(test, "b").issues == ["no_id": blank])
        #expect(try record(test, "c").issues == ["no_id": IssueCount(items: 1, sample: issue.sample)])
        #expect(try ["a", "b", "c"].map { try titles(test, $0).count } == [0, 0, 1])
    }

    @Test("After the next truncation no file has what was erased, although it belonged to no event")
    func erasedFromTheFiles() throws {
        let test = try TestStore()
        try begin(test)
        let issue = FeedIssue("no_id", at: "item 2", found: "timbuktu", costsItem: true)
        try test.poll([message("1", "zanzibar")], from: "news", issues: [issue], filter: fire)
        try test.poll([], from: "news", withdrawals: [deletion("1")])
        _ = try test.store.truncate(asOf: start)
        try test.store.close()
        for file in [test.path, test.path + "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            for word in ["zanzibar", "timbuktu"] { #expect(bytes.range(of: Data(word.utf8)) == nil, "\(file)") }
        }
    }

    @Test("A deletion finds refused items through indexes, by their ids and among those with aliases")
    func indexes() throws {
        let test = try TestStore()
        for (sql, index) in [
            (Ingestion.eraseUnderID, "refused_item_name (provider=? AND upstream_id=?)"),
            (Ingestion.eraseUnderAlias, "refused_item_alias (provider=?)"),
        ] {
            let plan = try test.rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] }
            #expect(plan.contains { $0.contains("INDEX " + index) }, "\(plan)")
        }
    }

    @Test func refusedItemsGoWithAgeWithAResetAndWithTheirSource() throws {
        let test = try TestStore()
        func refuse(at: Date) throws {
            try begin(test, at: at)
            try test.poll(
                [article("a", title: "Ash", hours: nil)], from: "news", at: at,
                issues: [FeedIssue("bad_date", at: "item 1")], filter: fire)
            #expect(try titles(test) == ["Ash"])
        }
        try refuse(at: start)
        _ = try test.store.truncate(asOf: start + 239 * 3600)
        #expect(try titles(test) == ["Ash"])
        _ = try test.store.truncate(asOf: start + 241 * 3600)
        #expect(try titles(test).isEmpty)
        try refuse(at: start + 242 * 3600)
        _ = try test.store.reset(source: "news", includingEvents: false, at: start + 243 * 3600)
        #expect(try titles(test).isEmpty)
        let forgotten = try record(test)
        #expect(forgotten.issues.isEmpty && forgotten.lastRefused.isEmpty)
        try refuse(at: start + 244 * 3600)
        try test.store.reconcile(TestStore.sources.filter { $0.name != "news" }, at: start + 245 * 3600)
        #expect(try titles(test).isEmpty)
        #expect(try record(test).issues.isEmpty)
    }

    // MARK: - Counts

    @Test func whatTheLastPollHasRefusedIsToldApartFromTheTotal() throws {
        let test = try TestStore()
        try begin(test)
        try test.poll([article("a", title: "Ash"), article("b", title: "Flood")], from: "news", filter: fire)
        try test.poll([article("c", title: "Storm")], from: "news", filter: fire)
        #expect(try record(test).lastRefused == ["keywords": 3], "all steps of the poll")
        try begin(test, at: start + 300)
        try test.step(PollStep(source: "news", at: start + 300, fingerprint: "f1"))
        #expect(try record(test).lastRefused == ["keywords": 3], "nothing has been read since")
        try begin(test, at: start + 600)
        let issue = FeedIssue("no_id", at: "item 1", costsItem: true)
        try test.poll([article("a", title: "Ash")], from: "news", at: start + 600, issues: [issue])
        #expect(try record(test).lastRefused == ["no_id": 1])
        #expect(try record(test).refused == ["keywords": 3, "no_id": 1])
        try begin(test, at: start + 900)
        try test.poll([article("a", title: "Ash")], from: "news", at: start + 900)
        #expect(try record(test).lastRefused.isEmpty)
    }

    @Test func issuesAreThoseOfTheLastPollThatHasReadSomething() throws {
        let test = try TestStore()
        let dates = ["32 Foo", "33 Foo"].enumerated().map { FeedIssue("bad_date", at: "item \($0 + 1)", found: $1) }
        let link = FeedIssue("bad_link", at: "item 9", found: "https://example.org/x?key=1")
        try begin(test)
        try test.poll([article("a", title: "Ash")], from: "news", issues: dates)
        try test.poll([], from: "news", issues: [link] + dates)
        let first = [
            "bad_date": IssueCount(items: 4, sample: "item 1: found \"32 Foo\""),
            "bad_link": IssueCount(items: 1, sample: "item 9: found \"https://example.org/x\""),
        ]
        #expect(try record(test).issues == first)
        try begin(test, at: start + 300)
        try test.step(PollStep(source: "news", at: start + 300, fingerprint: "f1"))
        #expect(try record(test).issues == first, "the document has not changed")
        try begin(test, at: start + 600)
        var step = PollStep(source: "news", at: start + 600, fingerprint: "f1")
        step.issues = [FeedIssue("document_http_404", at: "https://example.org/d", costsItem: true)]
        #expect(try test.step(step).refused == ["document_http_404": 1])
        #expect(try record(test).issues.numbers == ["document_http_404": 1])
        try begin(test, at: start + 900)
        try test.poll([article("a", title: "Ash")], from: "news", at: start + 900)
        #expect(try record(test).issues.isEmpty)
        #expect(try record(test, "quakes").issues.isEmpty)
    }

    @Test func codesThatAFeedInventsAreFew() throws {
        let test = try TestStore()
        for poll in 0..<4 {
            let issues = (0..<300).map { FeedIssue("twitter_\(poll)_\($0)", at: "item \($0)", costsItem: true) }
            try begin(test, at: start + Double(poll))
            let result = try test.poll([], from: "news", at: start + Double(poll), issues: issues)
            #expect(result.issues.count == 51 && result.issues["other"]?.items == 250)
        }
        #expect(try record(test).issues.count == 51)
        #expect(try record(test).refused.count == 100)
    }
}
