import Foundation
import Model
import SQLite

/// The JSON of a place in `place_cache`. The service determines the method, the question the words.
private struct KeptPlace: Codable {
    var latitude: Double
    var longitude: Double
    var precision: String
    var confidence: Double
    var placeID: String?
    /// Missing from answers kept before schema 6.
    var country: String?
    /// Missing from answers kept before schema 11.
    var name: String?

    init(_ location: Location) {
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        precision = location.precision.rawValue
        confidence = location.confidence
        placeID = location.placeID
        country = location.country
        name = location.name
    }

    func location(of provider: GeocodeProvider, text: String) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let precision = Location.Precision(rawValue: precision)
        else { return nil }
        return Location(
            coordinate, method: provider.method, precision: precision, confidence: confidence, matchedText: text,
            name: name, placeID: placeID, country: country)
    }
}

extension Connection {
    /// The services' answers to a question that have not expired at `now`. Unreadable answers are left out.
    func keptAnswers(to key: String, at now: Int64) throws -> [GeocodeProvider: ProviderAnswer] {
        let find = try prepare(QueueSQL.answers, key, now)
        var answers: [GeocodeProvider: ProviderAnswer] = [:]
        while try find.step() {
            guard let provider = GeocodeProvider(rawValue: find.string(0)) else { continue }
            if let reason = find.text(3) {
                answers[provider] = .missing(reason: reason)
            } else if let place = StoredJSON.decoded(KeptPlace.self, from: find.text(2)),
                let location = place.location(of: provider, text: find.string(1))
            {
                answers[provider] = .found(location)
            }
        }
        return answers
    }

    /// Stores an answer in place of the service's last one.
    func keep(_ fresh: GeocodeSettlement.Fresh, to query: PlaceQuery, at now: Int64) throws {
        let (place, reason): (String?, String?) =
            switch fresh.answer {
            case .found(let location): (try StoredJSON.encoded(KeptPlace(location)), nil)
            case .missing(let reason): (nil, reason)
            }
        try run(
            """
            INSERT OR REPLACE INTO place_cache (key, provider, text, answer, reason, stored_ms, expires_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, query.key, fresh.provider.rawValue, query.text, place, reason, now, fresh.expires.milliseconds)
    }
}

/// The text of `geocode_job.answered`: the services that know no such place, or `found`.
///
/// Jobs that wait for the same services are neighbours in the index, so the next job for a service is found at once,
/// however many wait for another.
enum Answered {
    private static let found = "found"

    /// The text for the kept answers.
    static func text(_ answers: [GeocodeProvider: ProviderAnswer]) -> String {
        for case .found in answers.values { return found }
        return text(missing: Set(answers.keys))
    }

    /// The texts of jobs that one of the services has not answered, or that a kept place settles.
    static func open(to providers: [GeocodeProvider]) -> [String] {
        [found] + subsets.filter { !$0.isSuperset(of: providers) }.map(text(missing:))
    }

    private static func text(missing: Set<GeocodeProvider>) -> String {
        missing.map(\.rawValue).sorted().joined(separator: " ")
    }

    private static let subsets: [Set<GeocodeProvider>] = GeocodeProvider.allCases.reduce(into: [[]]) { sets, provider in
        sets += sets.map { $0.union([provider]) }
    }
}
