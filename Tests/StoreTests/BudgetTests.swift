import Foundation
import Model
import Testing

@testable import Store

/// The budget of rows and bytes that each source has in the database.
@Suite struct BudgetTests {
    private static let day: Double = 86_400
    private static let url = "https://example.org/quakes"

    /// A store whose source `quakes` has this budget; the others have the default.
    private func store(
        dailyRows: Int = 1000, dailyBytes: Int = 1 << 30, rows: Int = 1000, bytes: Int = 1 << 30
    ) throws -> TestStore {
        var sources = TestStore.sources
        sources[0].budget = SourceBudget(
            daily: StoredAmount(rows: dailyRows, bytes: dailyBytes), total: StoredAmount(rows: rows, bytes: bytes))
        return try TestStore(sources)
    }

    private func quakes(_ numbers: ClosedRange<Int>) -> [Event] { numbers.map { quake("us\($0)", updated: 1) } }

    private func cancel(_ id: String, minute: Double = 5, erases: Bool = false) -> Withdrawal {
        Withdrawal(
            provider: "usgs", id: id, reason: erases ? .deleted : .cancelled, time: start + minute * 60,
            evidence: "Cancel \(id)", erases: erases)
    }

    private func use(_ test: TestStore, of source: String = "quakes") throws -> SourceUse {
        try #require(try test.store.sources().first { $0.name == source }).use
    }

    private func begin(_ test: TestStore, at: Date = start) throws -> SourceRecord {
        let beginning = PollBeginning(source: "quakes", at: at, nextDue: at + 300, fingerprint: "f1")
        guard case .begun(let record)? = try test.store.write([.begin(beginning)]).first else {
            throw StoreError(.other, "no beginning")
        }
        return record
    }

    /// A step with everything that a poll may store.
    private func step(_ answer: FeedAnswer?, at: Date = start, isPaid: Bool = false) -> PollStep {
        let end = PollEnd(failure: nil, nextDue: at + 300, dueReason: .interval, failures: 0)
        var other = end
        other.failure = Failure(.operator, .overBudget, "it waits")
        other.failures = 1
        return PollStep(
            source: "quakes", at: at, answer: answer, fingerprint: "f1",
            validators: [Self.url: Validators(etag: "\"1\"")], state: FeedState(["since_id": "9"]),
            work: WorkList(pending: [], chains: [WorkList.Chain()]), isPaid: isPaid, end: end, endOverBudget: other)
    }

    /// The use of each source, counted anew from all tables.
    private func audit(_ test: TestStore) throws {
        let counted = try test.rows(
            """
            SELECT source_id, sum(rows), sum(bytes) FROM (
              SELECT s.source_id, 1 AS rows, \(StoredBytes.ofEvent) AS bytes
                FROM event e JOIN event_share s ON s.event_id = e.id
              UNION ALL SELECT s.source_id, 0, \(StoredBytes.ofName)
                FROM upstream_id u JOIN event_share s ON s.event_id = u.event_id
              UNION ALL SELECT s.source_id, 1, \(StoredBytes.ofRevision)
                FROM history h JOIN event_share s ON s.event_id = h.event_id
              UNION ALL SELECT source_id, 1, \(StoredBytes.ofWithdrawal) FROM withdrawal
              UNION ALL SELECT source_id, 1, \(StoredBytes.ofTombstone) FROM tombstone)
            GROUP BY source_id ORDER BY source_id
            """)
        let stored = "SELECT source_id, rows, bytes FROM source_use WHERE rows <> 0 OR bytes <> 0 ORDER BY source_id"
        #expect(try test.rows(stored) == counted)
        #expect(try test.value("SELECT count(*) FROM event") == test.value("SELECT count(*) FROM event_share"))
    }

    // MARK: What waits

    @Test func newEventsBeyondTheDaysBudgetWaitAndComeTheNextDay() throws {
        let test = try store(dailyRows: 3)
        let answer = FeedAnswer(events: quakes(1...5))
        _ = try begin(test)
        let result = try test.step(step(answer))
        #expect(result.new == 3)
        #expect(result.refused == [StepResult.overBudget: 2])
        #expect(result.isOverBudget)
        let names = "SELECT upstream_id FROM events_v1 ORDER BY 1"
        #expect(try test.rows(names) == [["us1"], ["us2"], ["us3"]], "in the order of the document")
        let record = try begin(test, at: start + 3600)
        #expect(record.validators.isEmpty && record.state == FeedState() && record.work == nil)
        #expect(record.lastSuccess == nil && record.failures == 1)
        #expect(record.lastFailure?.hasCode(.overBudget) == true)
        #expect(try test.step(step(answer, at: start + 3600)).new == 0)
        #expect(try use(test).share(at: start + 3600) == 1)

        let tomorrow = start + Self.day
        _ = try begin(test, at: tomorrow)
        let rest = try test.step(step(answer, at: tomorrow))
        #expect(rest.new == 2 && rest.unchanged == 3 && !rest.isOverBudget)
        let after = try begin(test, at: tomorrow + 300)
        #expect(after.validators[Self.url]?.etag == "\"1\"" && after.state["since_id"] == "9")
        #expect(after.failures == 0)
        #expect(try use(test).today(at: tomorrow).rows == 2)
        #expect(try use(test).total.rows == 5)
        try audit(test)
    }

    @Test func bytesCountAndWhatIsRemovedMakesRoom() throws {
        let test = try store(bytes: 20_000)
        var long = quakes(1...3)
        for index in long.indices { long[index].summary = String(repeating: "é", count: 5_000) }
        #expect(try test.poll(long).new == 2, "the last may exceed the limit")
        #expect(try test.poll(long).isOverBudget)
        #expect(try use(test).total.bytes > 20_000)
        try audit(test)
        #expect(try test.store.truncate(asOf: start + 4 * Self.day).total == 2)
        #expect(try use(test).total == StoredAmount())
        try audit(test)
    }

    @Test func laterStepsOfThePollStoreNothingThatHidesWhatWaits() throws {
        let test = try store(dailyRows: 1)
        _ = try begin(test)
        var document = step(FeedAnswer(events: quakes(1...2)))
        (document.end, document.endOverBudget, document.validators, document.state) = (nil, nil, [:], nil)
        #expect(try test.step(document).isOverBudget)
        #expect(try test.step(step(nil)).isOverBudget, "it ends the poll with the validators of the index")
        let record = try begin(test)
        #expect(record.validators.isEmpty && record.state == FeedState() && record.work == nil)
        #expect(try !test.step(step(nil)).isOverBudget, "another poll begins anew")
        #expect(try begin(test).validators.count == 1)
    }

    /// A snapshot of the same time would else count as stale.
    @Test func theSameSnapshotIsTakenAgainForWhatWaits() throws {
        let test = try store(rows: 2)
        let (first, second) = (quakes(1...1), quakes(1...3))
        try test.snapshot(first, minute: 1)
        #expect(try test.snapshot(second, minute: 2).new == 1)
        #expect(try test.snapshot(second, minute: 2).isOverBudget)
        #expect(try test.snapshot(first, minute: 1).wasStale)
        var sources = TestStore.sources
        sources[0].budget = SourceBudget()
        try test.store.reconcile(sources, at: start)
        #expect(try test.snapshot(second, minute: 2).new == 1)
        #expect(try test.snapshot(second, minute: 2).wasStale)
    }

    @Test func othersAreUntouched() throws {
        let test = try store(dailyRows: 1)
        #expect(try test.poll(quakes(1...5)).new == 1)
        #expect(try test.poll(quakes(6...9), from: "more").new == 4)
        #expect(try test.poll(quakes(1...5), from: "more").new == 4)
        #expect(try use(test, of: "more").total.rows == 8, "an event counts for the source that added it")
        _ = try begin(test)
        #expect(try !test.poll(quakes(1...9)).isOverBudget, "what others have added costs nothing")
        try audit(test)
    }

    // MARK: What goes on

    @Test func revisionsWithdrawalsAndErasuresGoOn() throws {
        let test = try store(rows: 4)
        try test.poll(quakes(1...4))
        #expect(try use(test).share(at: start) == 1)
        let revised = quake("us1", updated: 2, magnitude: 6)
        let result = try test.poll([revised], withdrawals: [cancel("us2"), cancel("us3", erases: true)])
        #expect(result.changed == 1 && result.withdrawn == 2 && !result.isOverBudget)
        #expect(try test.value("SELECT count(*) FROM withdrawal") == "2", "they matched events")
        try audit(test)
    }

    @Test func revisionsEndAtTwiceTheBudget() throws {
        let test = try store(rows: 3)
        try test.poll(quakes(1...2))
        for version in 2...9 { try test.poll([quake("us1", updated: Double(version), magnitude: Double(version))]) }
        #expect(try use(test).total.rows == 6)
        #expect(try test.value("SELECT magnitude FROM events_v1 WHERE upstream_id = 'us1'") == "5.0")
        let cancelled = try test.poll([], withdrawals: [cancel("us1", minute: 60)])
        #expect(cancelled.withdrawn == 1, "a warning that is over must not stay")
        try audit(test)
    }

    @Test func withdrawalsThatMatchNothingWait() throws {
        let test = try store(rows: 3)
        try test.poll(quakes(1...1))
        let unknown = (1...5).map { cancel("gone\($0)") }
        let result = try test.poll([], withdrawals: unknown + [cancel("us1")])
        #expect(result.withdrawn == 1)
        #expect(result.refused == [StepResult.overBudget: 3])
        #expect(try test.value("SELECT count(*) FROM withdrawal") == "3")
        // Those that are kept already cost nothing.
        #expect(try test.poll([], withdrawals: Array(unknown.prefix(2))).refused.isEmpty)
        #expect(try test.poll([], withdrawals: [cancel("secret", erases: true)]).refused.isEmpty)
        try audit(test)
        _ = try test.store.truncate(asOf: start + 91 * Self.day)
        #expect(try use(test).total == StoredAmount())
        try audit(test)
    }

    // MARK: Paid reads

    @Test func noReadIsPaidForThatWouldHaveToWait() throws {
        let test = try store(dailyRows: 2)
        func reserve(at: Date) throws -> ReadGrant? {
            let reservation = Reservation(source: "quakes", at: at, reads: 10, monthlyCap: 100)
            guard case .reserved(let grant)? = try test.store.write([.reserve(reservation)]).first else { return nil }
            return grant
        }
        #expect(try reserve(at: start) == .granted)
        let result = try test.step(step(FeedAnswer(events: quakes(1...5)), isPaid: true))
        #expect(result.new == 5 && !result.isOverBudget, "what was paid for is kept")
        #expect(try reserve(at: start) == .overBudget)
        #expect(try reserve(at: start + Self.day) == .granted)
    }

    // MARK: Exactness

    @Test func everyWayOfAddingAndRemovingIsCounted() throws {
        let test = try store()
        try test.poll([quake("us1", aliases: ["ci1", "us1", "ci1"], updated: 1), quake("us2", updated: 1)])
        try audit(test)
        for version in 2...30 {
            let title = "M \(version) " + String(repeating: "ä", count: version % 7)
            let place = version % 3 == 0 ? nil : "Quito"
            var event = quake("us1", updated: Double(version), magnitude: Double(version % 9), title: title)
            (event.place, event.author) = (place, Author(name: "A", link: "https://example.org", picture: nil))
            try test.poll([event], from: version % 2 == 0 ? "quakes" : "more")
        }
        try audit(test)
        // Two rows become one, which then becomes two again.
        for round in 0..<3 {
            let minute = Double(100 * round + 50)
            let joined = quake("us1", aliases: ["us2"], updated: minute)
            #expect(try test.snapshot([joined], minute: minute + 1).merged == 1)
            try audit(test)
            let apart = ["us1", "us2"].map { quake($0, updated: minute + 2) }
            #expect(try test.snapshot(apart, minute: minute + 3).new == 1)
            try audit(test)
        }
        try test.poll([], withdrawals: [cancel("us1", minute: 900, erases: true), cancel("us9", minute: 900)])
        try audit(test)
        // A stored withdrawal gets other words, by another source.
        var longer = cancel("us9", minute: 901)
        (longer.evidence, longer.replacements) = ("Cancel with more words", ["x", "y"])
        try test.poll([], from: "more", withdrawals: [longer])
        try audit(test)
        try test.poll([article("a", title: "Ash", hours: nil), article("b", title: "Hail")], from: "news")
        let event = try #require(try test.store.unlocated(limit: 9, generation: "g").first)
        let place = try #require(Coordinate(latitude: -1, longitude: -78))
        _ = try test.store.apply(
            [(event, .located(Location(place, method: .gazetteer, matchedText: "Quito")))], generation: "g", at: start)
        try audit(test)
        #expect(try test.store.truncate(asOf: start + 11 * Self.day).tombstones > 0)
        try audit(test)
        let late = article("c", title: "Snow", hours: 263)
        #expect(try test.poll([late], from: "news", at: start + 11 * Self.day).new == 1)
        _ = try test.store.reset(source: "news", includingEvents: true, at: start + 11 * Self.day)
        try audit(test)
        try test.poll([], from: "news", at: start + 60 * Self.day)
        _ = try test.store.truncate(asOf: start + 500 * Self.day)
        try audit(test)
        #expect(try test.rows("SELECT rows, bytes FROM source_use WHERE rows <> 0 OR bytes <> 0").isEmpty)
    }

    @Test func aResetBeginsTheDayAnew() throws {
        let test = try store(dailyRows: 1)
        try test.poll(quakes(1...2))
        _ = try test.store.reset(source: "quakes", includingEvents: true, at: start)
        #expect(try use(test).today(at: start) == StoredAmount())
        #expect(try test.poll(quakes(1...1)).new == 1)
    }

    @Test func whatWasThereBeforeCountsAfterTheMigration() throws {
        let test = try store()
        try test.poll(quakes(1...3))
        for version in 2...4 { try test.poll([quake("us1", updated: Double(version), magnitude: Double(version))]) }
        try test.poll([article("a", title: "Ash", hours: nil)], from: "news")
        let shares = "SELECT event_id, source_id, rows, bytes FROM event_share ORDER BY 1"
        let before = (try test.rows(shares), try test.rows("SELECT source_id, rows, bytes FROM source_use ORDER BY 1"))
        try test.store.maintain { connection in
            try connection.execute(
                """
                DROP TABLE event_share; DROP TABLE source_use; ALTER TABLE withdrawal DROP COLUMN source_id;
                """)
            try connection.execute(Schema.version10)
        }
        #expect(try test.rows(shares) == before.0)
        let used = "SELECT source_id, rows, bytes FROM source_use WHERE rows > 0 ORDER BY 1"
        #expect(try test.rows(used) == before.1.filter { $0[1] != "0" })
    }

    @Test func validatorsAreShortAndFew() throws {
        let test = try TestStore()
        let long = String(repeating: "a", count: 5000)
        let validators = [Self.url: Validators(etag: long), Self.url + "/2": Validators(etag: "\"2\"")]
        try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", validators: validators))
        #expect(try begin(test).validators.keys.sorted() == [Self.url + "/2"])
        let many = Dictionary(
            uniqueKeysWithValues: (0..<10_050).map { ("\(Self.url)/\($0)", Validators(etag: "\"\($0)\"")) })
        try test.step(PollStep(source: "quakes", at: start + 60, fingerprint: "f1", validators: many))
        let count = "SELECT count(*) FROM validator"
        _ = try test.store.truncate(asOf: start + 3600)
        #expect(try test.value(count) == "10000")
        _ = try test.store.truncate(asOf: start + 40 * Self.day)
        #expect(try test.value(count) == "100")
    }

    @Test func aPollGetsTheNewestValidatorsAndThoseOfItsFirstURLs() throws {
        let test = try TestStore()
        for minute in 0..<30 {
            let documents = Dictionary(
                uniqueKeysWithValues: (0..<100).map { ("\(Self.url)/\(minute).\($0)", Validators(etag: "\"d\"")) })
            let index = minute == 0 ? [Self.url: Validators(etag: "\"i\"")] : [:]
            try test.step(
                PollStep(
                    source: "quakes", at: start + Double(minute) * 60, fingerprint: "f1",
                    validators: documents.merging(index) { first, _ in first }))
        }
        let newest = try begin(test).validators
        #expect(newest.count == 1000)
        #expect(newest["\(Self.url)/29.0"] != nil && newest["\(Self.url)/20.99"] != nil && newest[Self.url] == nil)
        func validators(_ fingerprint: String) throws -> [String: Validators] {
            let beginning = PollBeginning(
                source: "quakes", at: start, nextDue: start + 300, fingerprint: fingerprint,
                urls: [Self.url, "\(Self.url)/29.0", "https://nowhere.test/"])
            guard case .begun(let record)? = try test.store.write([.begin(beginning)]).first else { return [:] }
            return record.validators
        }
        #expect(try validators("f1") == newest.merging([Self.url: Validators(etag: "\"i\"")]) { first, _ in first })
        #expect(try validators("f2").isEmpty)
    }
}
