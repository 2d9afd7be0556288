import Foundation
import Model
import Testing

@testable import Store

/// The country of a place found by name.
@Suite struct CountryTests {
    private func report(_ id: String, place: String) -> Event {
        var event = article(id, title: "Report")
        event.place = place
        return event
    }

    private func location(_ method: Location.Method, in country: String?, evidence: PlaceEvidence? = nil) throws
        -> Location
    {
        let coordinate = try #require(Coordinate(latitude: 35, longitude: 135.75))
        return Location(
            coordinate, method: method, precision: .city, confidence: 0.9, matchedText: "Kyoto",
            name: country.map { "Kyoto, \($0)" }, evidence: evidence, placeID: "geonames:1", country: country)
    }

    private let question = PlaceQuery(text: "Kyoto", folded: "kyoto", evidence: .place)
    private let countries = "SELECT upstream_id, location_country FROM events_v1 ORDER BY upstream_id"

    @Test("It is stored with what the city table and a service have found, and goes with the place")
    func storedWithThePlace() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Kyoto"), report("b", place: "Quito"), quake("us1")], from: "news")
        let byTable = try location(.gazetteer, in: "JP", evidence: .place)
        let waiting = try test.store.unlocated(limit: 10, generation: "g")
        let outcomes = waiting.map { event in
            (event: event, outcome: event.place == "Kyoto" ? LocalOutcome.located(byTable) : .ask(question))
        }
        _ = try test.store.apply(outcomes, generation: "g", at: start)
        let byService = try location(.mapquest, in: "EC")
        let fresh = GeocodeSettlement.Fresh(provider: .mapquest, answer: .found(byService), expires: start + 3600)
        let settlement = GeocodeSettlement(
            job: GeocodeJob(query: question), at: start, fresh: fresh, end: .located(byService))
        #expect(try test.store.settle(settlement) == 1)
        #expect(try test.rows(countries) == [["a", "JP"], ["b", "EC"], ["us1", "NULL"]])
        #expect(try test.store.keptAnswers(to: question, at: start) == [.mapquest: .found(byService)])
        let stored = try test.store.events(EventQuery()).first { $0.event.id == "a" }
        #expect(stored?.event.location == byTable)

        // A revision with the same place keeps the country, one with another place drops both.
        var longer = report("a", place: "Kyoto")
        longer.summary = "More of it."
        try test.poll([longer, report("b", place: "Lima")], from: "news", at: start + 60)
        #expect(try test.rows(countries) == [["a", "JP"], ["b", "NULL"], ["us1", "NULL"]])
        let history = try test.rows(
            """
            SELECT json_extract(h.previous_json, '$.location_country') FROM event_history_v1 h JOIN events_v1 e
            USING (public_id) WHERE e.upstream_id = 'b' ORDER BY h.revision
            """)
        #expect(history == [["NULL"], ["EC"]])

        // Coordinates from a feed have no country.
        var located = longer
        located.location = Coordinate(latitude: 34, longitude: 135).map { Location($0) }
        try test.poll([located], from: "news", at: start + 120)
        #expect(try test.rows(countries) == [["a", "NULL"], ["b", "NULL"], ["us1", "NULL"]])
    }

    @Test("An answer of a service that was kept without one is still an answer")
    func olderAnswers() throws {
        let test = try TestStore()
        let until = (start + 3600).milliseconds
        try test.store.maintain { connection in
            try connection.run(
                """
                INSERT INTO place_cache (key, provider, text, answer, stored_ms, expires_ms)
                VALUES ('kyoto||', 'mapquest', 'Kyoto',
                  '{"confidence":0.9,"latitude":35,"longitude":135.75,"placeID":"geonames:1","precision":"city"}',
                  0, \(until))
                """)
        }
        let place = try location(.mapquest, in: nil)
        #expect(try test.store.keptAnswers(to: question, at: start) == [.mapquest: .found(place)])
    }
}
