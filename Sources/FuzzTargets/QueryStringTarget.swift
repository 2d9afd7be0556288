import Foundation
import Model
import Reading
import Serving
import Store
import TestSupport

extension FuzzTarget {
    /// Requests of the reading interface, one a line: a path, perhaps with a query. Each must be answered in a form that
    /// its head names, without an internal error.
    static let queryStrings = FuzzTarget("query-strings", seeds: []) { data in
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(32) {
            let parts = line.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            try checkRequest(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    /// A store with one event of each kind, made once.
    private static let store: (directory: TemporaryDirectory, store: EventStore)? = {
        let directory = TemporaryDirectory()
        guard let store = try? EventStore(path: directory.path + "/events.sqlite") else { return nil }
        let time = Date(timeIntervalSince1970: 1_772_323_200)
        let source = SourceSettings(name: "all", kind: "rss", url: "https://example.org/all")
        let place = Coordinate(latitude: 37, longitude: 179.5).map { Location($0) }
        let categories: [Model.Category] = [.earthquake, .volcano, .alert, .news, .message]
        let events = categories.map { category in
            Event(
                provider: "fuzz", id: category.rawValue, time: time, category: category, title: "<b>\(category)</b>",
                magnitude: category == .earthquake ? 5 : nil, location: category == .message ? nil : place)
        }
        let step = PollStep(source: "all", at: time, answer: FeedAnswer(events: events), fingerprint: "f")
        guard (try? store.reconcile([source], at: time)) != nil, (try? store.write([.step(step)])) != nil else {
            return nil
        }
        return (directory, store)
    }()

    private static let api = ReadAPI(program: "0")

    private static func checkRequest(_ path: String, _ query: String?) throws(BrokenInvariant) {
        guard let store = Self.store?.store else { throw BrokenInvariant("the store cannot be made") }
        let request = APIRequest(path: path, query: query, headers: ["host": "localhost"])
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        let answer = api.answer(request, from: store, now: now)
        let asked = quoted(path + "?" + (query ?? ""))
        // Nothing polls the store, which is what /health tells.
        var known: Set = [200, 301, 400, 404, 410]
        switch request.segments?.first {
        case "fdsnws": known.formUnion([204, 413])
        case "health": known.insert(503)
        default: break
        }
        try hold(known.contains(answer.status), "\(asked) is answered by \(answer.status)")
        for (name, value) in answer.headers {
            let isOneLine = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            try hold(isOneLine, "the field \(name) of \(asked) is \(quoted(value))")
        }
        guard case .whole(let bytes) = answer.body, let type = answer.header("content-type") else { return }
        try hold(String(validating: bytes, as: UTF8.self) != nil, "the answer to \(asked) is not UTF-8")
        if type.contains("html") {
            try hold(!String(decoding: bytes, as: UTF8.self).contains("<b>"), "the page of \(asked) has foreign markup")
        }
        // Lines and sequences are no single value.
        guard type.contains("json"), !type.contains("ndjson"), !type.contains("json-seq") else { return }
        let parser = JSONParser()
        let data = Data(bytes)
        do throws(ReadingError) {
            _ = try parser.withValue(of: data) { (_: JSONValue) throws(ReadingError) -> Bool in true }
        } catch {
            throw BrokenInvariant("the answer to \(asked) is no JSON")
        }
        try hold(!parser.hasMended, "the answer to \(asked) must be mended")
    }
}
