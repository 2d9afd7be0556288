import Foundation
import Model
import TestSupport

@testable import Store

/// 2026-03-01T00:00:00Z.
let start = Date(timeIntervalSince1970: 1_772_323_200)

/// A store in its own directory with the sources `quakes` and `more` (kept for 72 h) and `news` (kept for 240 h).
struct TestStore {
    let directory = TemporaryDirectory()
    let store: EventStore
    var path: String { directory.path + "/events.sqlite" }

    init(_ sources: [SourceSettings] = TestStore.sources) throws {
        store = try EventStore(path: directory.path + "/events.sqlite")
        try store.reconcile(sources, at: start)
    }

    static let sources = [
        SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes"),
        SourceSettings(name: "more", kind: "usgs", url: "https://example.org/more"),
        SourceSettings(name: "news", kind: "rss", url: "https://example.org/news", maxAge: .seconds(240 * 3600)),
    ]

    @discardableResult
    func step(_ step: PollStep) throws -> StepResult {
        guard case .stepped(let result)? = try store.write([.step(step)]).first else {
            throw StoreError(.other, "no result of a step")
        }
        return result
    }

    @discardableResult
    func poll(
        _ events: [Event], from source: String = "quakes", at: Date = start, withdrawals: [Withdrawal] = [],
        issues: [FeedIssue] = [], coverage: Coverage? = nil, filter: Filter = Filter(), isClockTrusted: Bool = true
    ) throws -> StepResult {
        let answer = FeedAnswer(events: events, withdrawals: withdrawals, issues: issues, coverage: coverage)
        return try step(
            PollStep(
                source: source, at: at, isClockTrusted: isClockTrusted, answer: answer, filter: filter,
                fingerprint: "f1"))
    }

    /// Writes a complete snapshot of `usgs` that covers the 48 hours before `start`.
    @discardableResult
    func snapshot(
        _ events: [Event], minute: Double, from source: String = "quakes", alsoPresent: [String] = []
    ) throws -> StepResult {
        let generated = start + minute * 60
        let present = events.flatMap { [$0.id] + $0.aliases } + alsoPresent
        let coverage = Coverage(
            provider: "usgs", generated: generated, window: (start - 48 * 3600)...start, present: present)
        return try poll(events, from: source, at: generated, coverage: coverage)
    }

    /// Rows of any query, all values as text, NULL as `NULL`.
    func rows(_ sql: String) throws -> [[String]] {
        try store.read { connection in
            let statement = try connection.prepare(sql)
            var rows: [[String]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" })
            }
            return rows
        }
    }

    /// The first column of the first row.
    func value(_ sql: String) throws -> String? { try rows(sql).first?.first }

    /// Number of rows written so far by the writing connection.
    func writtenRows() throws -> Int64 {
        var count: Int64 = 0
        try store.maintain { count = try $0.firstInt64("SELECT total_changes()") ?? 0 }
        return count
    }
}

/// An earthquake two hours before `start` in Chile.
func quake(
    _ id: String, aliases: [String] = [], hours: Double = -2, updated: Double? = nil, magnitude: Double? = 5,
    title: String = "M 5.0 - Chile", latitude: Double = -20, longitude: Double = -70
) -> Event {
    Event(
        provider: "usgs", id: id, aliases: aliases, time: start + hours * 3600,
        updated: updated.map { start + $0 * 60 }, category: .earthquake, title: title, weight: 0.5,
        magnitude: magnitude, depth: 10, status: "automatic",
        location: Coordinate(latitude: latitude, longitude: longitude).map { Location($0) }, details: #"{"nst":12}"#)
}

/// An article without a coordinate.
func article(_ id: String, title: String, summary: String? = nil, hours: Double? = -2, author: String? = nil) -> Event {
    Event(
        provider: "reuters", id: id, time: hours.map { start + $0 * 3600 }, category: .news, title: title,
        summary: summary, author: author.map { Author(name: $0) })
}

/// The code of the error that `body` throws; nil without one.
func storeErrorCode(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
