import Foundation
import Model
import Testing

@testable import Store

/// The homes of sources in the store: each event counts once, in the order of rows.
@Suite struct HomeTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private static let louisiana = ["US": 1.97, "US.LA": 1.31]
    /// The most events of a lesson.
    private static let batch = 256

    /// Counts all events that have not counted, with these votes; returns their number.
    @discardableResult
    private func learn(_ votes: [String: Double] = louisiana) throws -> Int {
        var events = 0
        while case let lesson = try test.store.homeLesson(of: "news", limit: Self.batch), !lesson.events.isEmpty {
            events += lesson.events.count
            try test.store.learn(lesson, votes: lesson.events.map { _ in votes })
        }
        return events
    }

    private func poll(_ ids: Range<Int>, at: Date = start) throws {
        try test.poll(ids.map { article("\($0)", title: "Title \($0)") }, from: "news", at: at)
    }

    @Test func eachEventCountsOnceInTheOrderOfRows() throws {
        try poll(0..<300)
        let lesson = try test.store.homeLesson(of: "news", limit: Self.batch)
        #expect(lesson.events.count == Self.batch)
        let rows = lesson.events.map(\.handle.number)
        #expect(rows == rows.sorted())
        #expect(try learn() == 300)
        #expect(try learn() == 0)
        try poll(290..<310)
        #expect(try learn() == 10)
        #expect(try test.store.homes() == ["news": PlaceContext(country: "US", region: "LA")])
        var expected = LearnedHome()
        for _ in 0..<310 { expected.count(Self.louisiana) }
        #expect(try test.store.sources().first { $0.name == "news" }?.home == expected)
        #expect(try test.store.homeLesson(of: "nobody", limit: Self.batch).events.isEmpty)
    }

    @Test func aLessonThatAnotherHasOvertakenCountsNothing() throws {
        try poll(0..<4)
        let lesson = try test.store.homeLesson(of: "news", limit: Self.batch)
        #expect(try test.store.learn(lesson, votes: lesson.events.map { _ in Self.louisiana }))
        #expect(try !test.store.learn(lesson, votes: lesson.events.map { _ in Self.louisiana }))
        #expect(try test.store.sources().first { $0.name == "news" }?.home.events == 4)
    }

    @Test("when the home changes, unresolved events of the source are looked up once more, located ones stay")
    func lookAgain() throws {
        try poll(0..<3)
        let coordinate = try #require(Coordinate(latitude: 31.3, longitude: -92.4))
        let events = try test.store.unlocated(limit: 10, generation: "g")
        let place = LocalOutcome.located(Location(coordinate, method: .gazetteer, precision: .city, confidence: 1))
        let outcomes = events.enumerated().map { index, event in
            (event: event, outcome: index == 0 ? place : .unresolved(reason: "no place named"))
        }
        _ = try test.store.apply(outcomes, generation: "g", at: start)
        #expect(try test.store.unlocated(limit: 10, generation: "g").isEmpty)
        try learn()
        #expect(try test.store.unlocated(limit: 10, generation: "g").count == 2)
        _ = try test.store.apply(Array(outcomes.dropFirst()), generation: "g", at: start)
        try poll(3..<4)
        try learn()
        #expect(
            try test.store.unlocated(limit: 10, generation: "g").map(\.title) == ["Title 3"], "the home is the same")
        #expect(try test.rows("SELECT count(*) FROM events_v1 WHERE latitude IS NOT NULL") == [["1"]])
    }

    @Test func aResetOrAnotherAddressClearsTheHome() throws {
        try poll(0..<4)
        try learn()
        #expect(try test.store.homes().keys.sorted() == ["news"])
        _ = try test.store.reset(source: "news", includingEvents: false, at: start)
        #expect(try test.store.homes().isEmpty)
        #expect(try learn() == 0, "what has been seen does not count again")
        try poll(4..<8)
        #expect(try learn() == 4)
        var sources = TestStore.sources
        try test.store.reconcile(sources, at: start)
        #expect(try test.store.homes().keys.sorted() == ["news"])
        sources[2].url = "https://example.org/other"
        try test.store.reconcile(sources, at: start)
        #expect(try test.store.homes().isEmpty)
        #expect(try learn() == 0)
    }
}
