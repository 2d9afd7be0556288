import Foundation
import Model
import Reading
import Store
import TestSupport

@testable import Serving

/// A store in its own directory with the source `quakes`, and the interface over it.
struct TestRecord {
    let directory = TemporaryDirectory()
    let store: EventStore
    let api = ReadAPI(program: "9.9")

    init() throws {
        store = try EventStore(path: directory.path + "/events.sqlite")
        try store.reconcile(
            [SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")], at: start)
    }

    func poll(_ events: [Event], withdrawals: [Withdrawal] = []) throws {
        let answer = FeedAnswer(events: events, withdrawals: withdrawals)
        _ = try store.write([.step(PollStep(source: "quakes", at: start, answer: answer, fingerprint: "f1"))])
    }

    /// Withdraws an event as deleted.
    func withdraw(_ id: String, minute: Double, erases: Bool = false) throws {
        try poll(
            [],
            withdrawals: [
                Withdrawal(
                    provider: "usgs", id: id, reason: .deleted, time: start + minute * 60, evidence: "deleted",
                    erases: erases)
            ])
    }

    /// Truncates everything.
    func truncate() throws { _ = try store.truncate(asOf: start + 100 * 3600) }

    /// Removes the changes up to a number, as truncation does after a month.
    func cut(upTo last: Int64) throws {
        try store.maintain { connection in
            try connection.run("DELETE FROM change WHERE seq <= CAST(? AS INTEGER)", "\(last)")
            try connection.run(
                "INSERT OR REPLACE INTO meta (key, value) VALUES ('oldest_change', ?)", "\(last + 1)")
        }
    }

    func answer(_ path: String, _ query: String? = nil, headers: [String: String] = [:]) -> APIAnswer {
        api.answer(APIRequest(path: path, query: query, headers: headers), from: store, now: start)
    }

    /// The body of an answer; empty for a stream.
    func body(_ path: String, _ query: String? = nil) -> String {
        guard case .whole(let bytes) = answer(path, query).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The client of a stream; nil if the request is refused.
    func stream(_ query: String? = nil, lastEventID: String? = nil) -> StreamClient? {
        let headers = lastEventID.map { ["last-event-id": $0] } ?? [:]
        guard case .stream(let client) = answer("/stream", query, headers: headers).body else { return nil }
        return client
    }
}

/// An earthquake two hours before `start`.
func version(_ id: String, updated: Double = 1, magnitude: Double = 5, aliases: [String] = []) -> Event {
    Event(
        provider: "usgs", id: id, aliases: aliases, time: start - 7200, updated: start + updated * 60,
        category: .earthquake, title: "M \(magnitude) - \(id)", weight: magnitude / 10, magnitude: magnitude,
        location: Coordinate(latitude: -20, longitude: -70).map { Location($0) })
}

extension StreamStep {
    /// The bytes as text; nil for `wait`.
    var text: String? {
        switch self {
        case .bytes(let bytes), .close(let bytes): String(decoding: bytes, as: UTF8.self)
        case .wait: nil
        }
    }

    /// Lines such as `5 revised us1` for each change, by the title's last word, without the event `5 left`; `gap` for a
    /// gap.
    var told: [String] { (text ?? "").components(separatedBy: "\n\n").compactMap { message(in: $0) } }
}

private func message(in text: String) -> String? {
    let lines = text.split(separator: "\n")
    if lines.contains("event: gap") { return "gap" }
    guard let data = lines.first(where: { $0.hasPrefix("data: ") })?.dropFirst(6) else { return nil }
    return changeWords(String(data))
}

/// A change of `/changes` or `/stream` as `5 revised us1`, or `5 left` without its event.
func changeWords(_ json: String) -> String? {
    try? JSONParser().withValue(of: Data(json.utf8)) { root throws(ReadingError) -> String in
        var words: [String] = []
        if let number = root["seq"]?.int64 { words.append("\(number)") }
        if let kind = root["kind"]?.string { words.append(kind) }
        if let title = root["feature"]?["properties"]?["title"]?.string, let name = title.split(separator: " ").last {
            words.append(String(name))
        }
        return words.joined(separator: " ")
    }
}
