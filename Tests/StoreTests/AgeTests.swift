import Foundation
import Model
import Testing

@testable import Store

/// Other ages of events (`max_age`) than those in force.
@Suite struct AgeTests {
    private static let validators = ["https://example.org/quakes": Validators(etag: "\"1\"")]

    /// The sources of `TestStore`, some of them kept for other times in hours.
    private func sources(_ hours: [String: Int]) -> [SourceSettings] {
        TestStore.sources.map { source in
            var source = source
            if let other = hours[source.name] { source.maxAge = .seconds(other * 3600) }
            return source
        }
    }

    private func begin(_ test: TestStore) throws -> SourceRecord {
        let beginning = PollBeginning(source: "quakes", at: start, nextDue: start + 60, fingerprint: "f1")
        guard case .begun(let record)? = try test.store.write([.begin(beginning)]).first else {
            throw StoreError(.other, "no result of a beginning")
        }
        return record
    }

    private func poll(_ test: TestStore) throws {
        _ = try begin(test)
        try test.step(
            PollStep(
                source: "quakes", at: start, fingerprint: "f1", validators: Self.validators,
                state: FeedState(["seen": "1"])))
    }

    @Test func aLongerAgeAsksOnceWithoutValidatorsAndState() throws {
        let test = try TestStore()
        try poll(test)
        try test.store.reconcile(sources(["quakes": 24, "more": 240]), at: start)
        let before = try begin(test)
        #expect(before.validators == Self.validators && before.state == FeedState(["seen": "1"]))
        _ = try test.store.write([.reconcile(sources(["quakes": 48]))])
        for _ in 1...2 {
            let record = try begin(test)
            #expect(record.validators.isEmpty && record.state == FeedState(), "until a poll succeeds")
        }
        try poll(test)
        try test.store.reconcile(sources(["quakes": 48]), at: start)
        #expect(try begin(test).validators == Self.validators, "once")
    }

    @Test func aSnapshotOfTheSameTimeCountsAgain() throws {
        let test = try TestStore()
        let old = quake("us1", hours: -100)
        #expect(try test.snapshot([old], minute: 1).refused == ["expired": 1])
        #expect(try test.snapshot([old], minute: 1).wasStale)
        try test.store.reconcile(sources(["quakes": 240]), at: start)
        #expect(try test.snapshot([old], minute: 1).new == 1)
    }

    @Test func paidReadsAreNotMadeAgain() throws {
        let test = try TestStore()
        _ = try test.store.write([.reserve(Reservation(source: "quakes", at: start, reads: 1, monthlyCap: 10))])
        try poll(test)
        let longer = sources(["quakes": 240])
        #expect(try test.store.ageChanges(under: longer, asOf: start).sources.map(\.isPaid) == [true])
        try test.store.reconcile(longer, at: start)
        #expect(try begin(test).state == FeedState(["seen": "1"]))
    }

    @Test func aLongerAgeTellsWhatItsHorizonKeepsAway() throws {
        let test = try TestStore()
        let longer = sources(["quakes": 240])
        func change(at time: Date) throws -> AgeChanges.Source {
            try #require(try test.store.ageChanges(under: longer, asOf: time).sources.first)
        }
        let first = try change(at: start)
        #expect(first.horizon == nil)
        #expect(first.old == .seconds(72 * 3600) && first.new == .seconds(240 * 3600) && !first.isPaid)
        _ = try test.store.truncate(asOf: start)
        #expect(try change(at: start).horizon == start - 72 * 3600)
        #expect(try change(at: start + 200 * 3600).horizon == nil, "the new age does not reach that far")
    }

    @Test func whatGoesByShorterAgesIsCounted() throws {
        let test = try TestStore()
        try test.poll([quake("us1", hours: -60), quake("us2", hours: -40), quake("us3", hours: -2)])
        try test.poll([quake("us2", hours: -40)], from: "more")
        func removed(_ hours: [String: Int], at time: Date = start) throws -> Int {
            try test.store.ageChanges(under: sources(hours), asOf: time).removed
        }
        #expect(try removed(["quakes": 24]) == 1, "another source keeps the second")
        #expect(try removed(["quakes": 24, "more": 24]) == 2)
        #expect(try removed(["quakes": 50, "news": 24]) == 1)
        #expect(try removed(["quakes": 24, "more": 240]) == 1)
        #expect(try removed(["quakes": 24], at: start + 13 * 3600) == 0, "the first goes by its own age")
        #expect(try removed(["quakes": 240]) == 0)
        #expect(try test.store.ageChanges(under: sources([:]), asOf: start) == AgeChanges())
        let strange = SourceSettings(name: "strange", kind: "rss", url: "https://example.org/", maxAge: .seconds(60))
        #expect(try test.store.ageChanges(under: [strange], asOf: start) == AgeChanges())
        #expect(try test.value("SELECT count(*) FROM event") == "3", "nothing has changed")
    }
}
