import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// `EventQuery.matches` and the SQL give the same answer.
@Suite struct MatchingTests {
    // MARK: - Odd events

    private static let words = [
        "Étna", "ETNA", "e\u{301}tna", "Chile", "chilly", "東京", "東京都", "地震", "mañana", "İstanbul", "ISTANBUL",
        "straße", "STRASSE", "naïve", "M5.0", "5", "5.0", "x-y", "o'Neil", "١٢", "ﬁre", "ＡＢＣ", "한글",
        "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", "नमस्ते", "Ærø", "œuvre", "Ⓐ", "👍🏽", "—", "a\"b", "Ǆ",
        "\u{e000}",
    ]
    private static let shapes = [
        #"{"type":"Polygon","coordinates":[[[175,-15],[-175,-15],[-175,-20],[175,-20],[175,-15]]]}"#,
        #"{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[3,3],[7,3],[7,7],[3,7],[3,3]]]}"#,
        #"{"type":"Polygon","coordinates":[[[0,80],[90,80],[180,80],[-90,80],[0,80]]]}"#,
        #"{"type":"LineString","coordinates":[[170,10],[-170,20]]}"#,
        #"{"type":"MultiPoint","coordinates":[[180,-20],[-180,20],[0,-90]]}"#,
        #"{"type":"Polygon","coordinates":[]}"#,
        "no shape",
    ]
    private static let edges: [Double] = [-180, -179, -90, 0, 5, 90, 179, 180]

    private static func text(_ random: inout SplitMix) -> String {
        var chosen: [String] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            chosen.append(words.randomElement(using: &random) ?? "")
        }
        return chosen.joined(separator: Bool.random(using: &random) ? " " : ", ")
    }

    private static func longitude(_ random: inout SplitMix) -> Double {
        let isOdd = Bool.random(using: &random)
        return isOdd ? edges.randomElement(using: &random) ?? 0 : Double.random(in: -180...180, using: &random)
    }

    private static func latitude(_ random: inout SplitMix) -> Double {
        let odd: [Double] = [-90, -20, 0, 5, 80, 90]
        let isOdd = Bool.random(using: &random)
        return isOdd ? odd.randomElement(using: &random) ?? 0 : Double.random(in: -90...90, using: &random)
    }

    private static func event(_ number: Int, _ random: inout SplitMix) -> Event {
        func maybe<T>(_ value: (inout SplitMix) -> T) -> T? { Bool.random(using: &random) ? value(&random) : nil }
        let categories: [Model.Category] = [.earthquake, .news, .alert]
        // Some have no place.
        let point = maybe { Coordinate(latitude: latitude(&$0), longitude: longitude(&$0)) }.flatMap { $0 }
        let precision = Location.Precision.allCases.randomElement(using: &random) ?? .point
        let evidence = maybe { PlaceEvidence.allCases.randomElement(using: &$0) ?? .title }
        let country = maybe { ["CL", "JP"].randomElement(using: &$0) ?? "CL" }
        return Event(
            provider: number.isMultiple(of: 2) ? "usgs" : "alerts", id: "e\(number)",
            time: maybe { start - Double(Int.random(in: 0...20, using: &$0)) * 600 },
            category: categories[number % 3], title: text(&random), summary: maybe { text(&$0) },
            author: maybe { Author(name: text(&$0)) }, weight: Double(number % 5) / 4,
            magnitude: maybe { Double(Int.random(in: 0...8, using: &$0)) },
            depth: maybe { Double(Int.random(in: -1...5, using: &$0)) * 10 }, place: maybe { text(&$0) },
            location: point.map {
                Location($0, method: .gazetteer, precision: precision, evidence: evidence, country: country)
            }, geometry: number.isMultiple(of: 3) ? shapes.randomElement(using: &random) : nil)
    }

    private func filled(_ random: inout SplitMix) throws -> TestStore {
        let test = try TestStore()
        var events: [Event] = []
        for number in 0..<150 { events.append(Self.event(number, &random)) }
        try test.poll(Array(events[..<60]), at: start + 0.25)
        try test.poll(Array(events[40..<100]), from: "more", at: start + 60)
        try test.poll(Array(events[100...]), from: "news", at: start + 120)
        let withdrawals = [4, 40, 100, 120].map { number in
            Withdrawal(
                provider: events[number].provider, id: events[number].id, reason: .deleted, evidence: "deleted",
                erases: number == 120)
        }
        try test.poll([], at: start + 180, withdrawals: withdrawals)
        return test
    }

    // MARK: - Odd queries

    private static func query(_ events: [StoredEvent], _ last: Int64, _ random: inout SplitMix) -> EventQuery {
        func isSet() -> Bool { Int.random(in: 0..<8, using: &random) == 0 }
        let orders: [EventQuery.Order] = [.newestFirst, .oldestFirst, .largestFirst, .smallestFirst]
        var query = EventQuery()
        query.limit = nil
        query.withdrawn = EventQuery.Withdrawn.allCases.randomElement(using: &random) ?? .include
        query.order = orders.randomElement(using: &random) ?? .newestFirst
        guard let model = events.randomElement(using: &random) else { return query }
        if isSet() { query.publicIDs = [model.publicID, events[0].publicID] }
        if isSet() { query.sources = ["news"] }
        if isSet() { query.sources = ["more", "quakes", "nobody"] }
        if isSet() { query.categories = [model.event.category, .message] }
        if isSet() { query.providers = [model.event.provider] }
        if isSet() { query.since = model.event.time }
        if isSet() { query.until = model.event.time }
        if isSet() { query.author = model.event.author?.name }
        if isSet() { query.minimumMagnitude = model.event.magnitude }
        if isSet() { query.maximumMagnitude = model.event.magnitude }
        if isSet() { query.minimumDepth = model.event.depth }
        if isSet() { query.maximumDepth = model.event.depth }
        if isSet() { query.minimumWeight = model.event.weight }
        if isSet() { query.precisions = [.city, .point] }
        if isSet() { query.evidence = [.title, .place] }
        if isSet() { query.countries = ["JP"] }
        if isSet() { query.isLocated = Bool.random(using: &random) }
        if isSet() { query.changedSince = model.lastChanged }
        if isSet() { query.changedAfter = Int64.random(in: 0...last, using: &random) }
        if isSet() { query.text = text(&random) + (Bool.random(using: &random) ? "*" : "") }
        if isSet() {
            let south = latitude(&random)
            query.box = BoundingBox(
                west: longitude(&random), south: south, east: longitude(&random),
                north: min(90, south + Double.random(in: 0...60, using: &random)))
        }
        if isSet(), let centre = Coordinate(latitude: latitude(&random), longitude: longitude(&random)) {
            let radii: [Double] = [0, 10, 500, 5000, 20_100]
            query.near = EventQuery.Circle(centre: centre, kilometres: radii.randomElement(using: &random) ?? 0)
        }
        if isSet(), let centre = Coordinate(latitude: latitude(&random), longitude: longitude(&random)) {
            query.outside = EventQuery.Circle(centre: centre, kilometres: Bool.random(using: &random) ? 500 : 5000)
        }
        if isSet() { query.homes = Bool.random(using: &random) ? .only : .exclude }
        return query
    }

    private func expectAgreement(
        _ query: EventQuery, _ test: TestStore, _ events: [StoredEvent]
    ) throws -> Int {
        let found = try test.store.events(query).map(\.publicID).sorted()
        let expected = events.filter { query.matches($0) }.map(\.publicID).sorted()
        #expect(found == expected, "\(query)")
        return found.count
    }

    private func all(_ test: TestStore) throws -> [StoredEvent] {
        var query = EventQuery()
        (query.withdrawn, query.limit) = (.include, nil)
        return try test.store.events(query)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func anyQueryMatchesWhatSQLFinds(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let test = try filled(&random)
        let events = try all(test)
        #expect(events.count == 150)
        let last = try test.store.lastChange()
        var total = 0
        for _ in 0..<500 { total += try expectAgreement(Self.query(events, last, &random), test, events) }
        #expect(total > 300)
    }

    @Test func wordsMatchAsTheIndexFindsThem() throws {
        var random = SplitMix(seed: 4)
        let test = try filled(&random)
        let events = try all(test)
        var query = EventQuery()
        (query.withdrawn, query.limit) = (.include, nil)
        for word in Self.words {
            let first = String(word.prefix(1))
            let texts: [String] = [
                word, word.uppercased(), word.lowercased(), word.decomposedStringWithCanonicalMapping, first,
                "\(first)*", "\(word)*", "*\(word)", "\"\(word)\"", "\(word)-chile", "\(word) chile", "chile \(word)",
                "Ⓐ \(word)", "(\(word)) AND NEAR", "\(word)\(word)",
            ]
            for text in texts {
                query.text = text
                _ = try expectAgreement(query, test, events)
            }
        }
        query.text = "etna"
        #expect(try expectAgreement(query, test, events) > 3)
        query.text = "東京*"
        #expect(try expectAgreement(query, test, events) > 3)
        query.text = "Ⓐ"
        #expect(try expectAgreement(query, test, events) == 0)
    }

    @Test func authorsAreComparedByTheirBytes() throws {
        let test = try TestStore()
        try test.poll(
            [article("a", title: "x", author: "Ren\u{e9}"), article("b", title: "x", author: "Rene\u{301}")],
            from: "news")
        let events = try all(test)
        var query = EventQuery()
        query.author = "Ren\u{e9}"
        #expect(try expectAgreement(query, test, events) == 1)
        query.author = "ren\u{e9}"
        #expect(try expectAgreement(query, test, events) == 0)
    }

    /// The first page from a key and the last one are no conditions on an event.
    @Test func keysOrderAndLimitAreNoConditions() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let event = try #require(try all(test).first)
        var query = EventQuery()
        query.limit = 0
        query.olderThan = EventQuery.Key(event)
        query.newerThan = EventQuery.Key(event)
        #expect(query.matches(event))
    }
}
