import Foundation
import Gazetteer
import Model
import Reading
import Store
import TestSupport
import Testing

@testable import Serving

/// 2026-03-01T00:00:00Z.
let start = Date(timeIntervalSince1970: 1_772_323_200)

/// The interface over a small store in its own directory, with the sources `quakes`, `news` and `tweets`.
struct TestAPI {
    let directory = TemporaryDirectory()
    let store: EventStore
    let api = ReadAPI(program: "1.0")

    init() throws {
        store = try EventStore(path: directory.path + "/events.sqlite")
        let sources = ["quakes", "news", "tweets"].map {
            SourceSettings(name: $0, kind: "rss", url: "https://example.org/\($0)", maxAge: .seconds(240 * 3600))
        }
        try store.reconcile(sources, at: start)
    }

    /// Makes a city table beside the store, of id, name, country, inhabitants, latitude and longitude.
    /// - Returns: The interface with this table.
    func seeded(cities: [(Int64, String, String, Int64, Double, Double)]) throws -> ReadAPI {
        let path = directory.path + "/cities.sqlite"
        let builder = try CityTableBuilder(path: path, at: start)
        for (id, name, country, population, latitude, longitude) in cities {
            let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
            try builder.add(
                CityRecord(id: id, name: name, country: country, population: population, coordinate: coordinate))
        }
        _ = try builder.finish()
        return ReadAPI(program: "1.0", cityTable: path)
    }

    func poll(
        _ events: [Event], from source: String = "quakes", at: Date = start, withdrawals: [Withdrawal] = []
    ) throws {
        let answer = FeedAnswer(events: events, withdrawals: withdrawals)
        _ = try store.write([.step(PollStep(source: source, at: at, answer: answer, fingerprint: "f1"))])
    }

    func get(
        _ path: String, _ query: String? = nil, headers: [String: String] = [:], now: Date = start
    ) -> APIAnswer {
        let all = headers.merging(["host": "api.example:8423"]) { own, _ in own }
        return api.answer(
            APIRequest(path: path, query: query, headers: all), from: store, now: now)
    }

    /// The answer's whole text, pieces included.
    func text(_ answer: APIAnswer) throws -> String {
        switch answer.body {
        case .none, .stream: return ""
        case .whole(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .pieces(let pieces):
            var bytes: [UInt8] = []
            while let piece = try pieces(store) { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    func json(
        _ path: String, _ query: String? = nil, status: Int = 200, now: Date = start
    ) throws -> [String: Any] {
        let answer = get(path, query, now: now)
        #expect(answer.status == status, "\(path)?\(query ?? "")")
        let object = try JSONSerialization.jsonObject(with: Data(try text(answer).utf8))
        return try #require(object as? [String: Any])
    }

    /// The root of a sound XML document.
    func xml(_ path: String, _ query: String? = nil) throws -> XMLNode {
        let answer = get(path, query)
        #expect(answer.status == 200, "\(path)?\(query ?? "")")
        let document = try XMLReader.read(Data(try text(answer).utf8))
        #expect(document.problems.isEmpty, "\(document.problems)")
        #expect(!document.isTruncated)
        return document.root
    }

    /// The upstream ids of the features, in order.
    func ids(_ query: String? = nil, _ collection: String = "events") throws -> [String] {
        try features(json("/collections/\(collection)/items", query)).compactMap { feature in
            (feature["properties"] as? [String: Any])?["upstream_id"] as? String
        }
    }

    func features(_ collection: [String: Any]) -> [[String: Any]] { collection["features"] as? [[String: Any]] ?? [] }

    /// The address of a link of this relation.
    func link(_ rel: String, of object: [String: Any]) -> String? {
        let links = object["links"] as? [[String: Any]] ?? []
        return links.first { $0["rel"] as? String == rel }?["href"] as? String
    }

    /// Path and query of an address of the service.
    func parts(_ address: String) -> (path: String, query: String?) {
        let rest = address.dropFirst("http://api.example:8423".count).split(separator: "?", maxSplits: 1)
        return (String(rest.first ?? "/"), rest.count > 1 ? String(rest[1]) : nil)
    }

    func publicID(_ upstreamID: String) throws -> String {
        var query = EventQuery()
        query.withdrawn = .include
        query.limit = nil
        return try #require(try store.events(query).first { $0.event.id == upstreamID }).publicID
    }

    /// Four earthquakes an hour apart, two articles and a message.
    static func filled() throws -> TestAPI {
        let test = try TestAPI()
        try test.poll([
            quake("chile", hours: -1), quake("fiji-west", hours: -2, magnitude: 6, latitude: -17, longitude: 179.5),
            quake("fiji-east", hours: -3, magnitude: nil, latitude: -17.5, longitude: -179.5),
            quake("pole", hours: -4, latitude: 89.9, longitude: 10),
        ])
        try test.poll(
            [
                article("eruption", title: "Étna erupts <img src=x onerror=alert(1)>", hours: -5),
                article("storm", title: "Storm over Chile", hours: -6),
            ], from: "news")
        try test.poll([message("hello", hours: -7)], from: "tweets")
        return test
    }
}

func quake(
    _ id: String, aliases: [String] = [], hours: Double = -2, magnitude: Double? = 5, latitude: Double = -20,
    longitude: Double = -70, updated: Double? = nil
) -> Event {
    Event(
        provider: "usgs", id: id, aliases: aliases, time: start + hours * 3600,
        updated: updated.map { start + $0 * 60 }, category: .earthquake, title: "M \(id)", weight: 0.5,
        magnitude: magnitude, depth: 10, status: "automatic",
        location: Coordinate(latitude: latitude, longitude: longitude).map { Location($0) })
}

func article(_ id: String, title: String, hours: Double) -> Event {
    Event(
        provider: "reuters", id: id, time: start + hours * 3600, category: .news, title: title,
        link: "javascript:alert(1)", author: Author(name: "A. Writer"))
}

func message(_ id: String, hours: Double) -> Event {
    Event(provider: "twitter", id: id, time: start + hours * 3600, category: .message, title: "Hello")
}
