public import Fetching
import Foundation
public import Model
import Reading

/// MapQuest's Geocoding API v1: makes the request for a question and reads the answer.
///
/// Both functions are pure; order and rate of requests are decided elsewhere. `docs/geocoding.md` has the rules.
public struct MapQuest: Sendable, Hashable {
    /// Enough candidates to see that a name is ambiguous.
    private static let maximumCandidates = 10
    private static let name = "MapQuest"

    private let url: String
    let key: Secret?

    /// Creates the service; nothing is checked.
    /// - Parameters:
    ///   - url: Address of the service's `address` call, `http` or `https`, without a query.
    ///   - key: The account's key; nil sends none, which the service refuses (`key_refused`).
    public init(url: String, key: Secret?) {
        self.url = url
        self.key = key
    }

    /// The GET request for a question, for at most ten places as JSON.
    ///
    /// The service wants the key in the URL's query, so log the URL only without its query.
    public func request(for query: PlaceQuery) -> FetchRequest {
        // No thumbnails, since the URL of each would hold the key.
        var parameters: [(name: String, value: String)] = [
            ("location", query.line(withCountry: true)), ("maxResults", "\(Self.maximumCandidates)"),
            ("thumbMaps", "false"), ("outFormat", "json"),
        ]
        if let key { parameters.insert(("key", key.value), at: 0) }
        return FetchRequest(url: url.appending(parameters: parameters))
    }

    /// The answer in the body of an HTTP 200: `found` without `evidence`, or `missing` if no place fits, or
    /// several fit that cannot be told apart. Also `missing` for statuscode 400, since the text cannot be a place.
    ///
    /// - Throws: `Failure` with fault `operator` and code `key_refused`, or with fault `server` and code
    ///   `quota_exceeded`, `mapquest_<statuscode>`, `no_statuscode`, `no_locations`; for a body that is not JSON
    ///   `empty_body`, `html_page`, `not_json` or another code of the parser.
    public func answer(_ body: FetchedBody, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        try read(body.data, query, isWhole: true)
    }

    /// The answer behind a failed request: `missing` for statuscode 400, since the text cannot be a place.
    /// - Parameter failure: The failure of the request, with its HTTP status and the beginning of the body as excerpt.
    /// - Throws: `Failure` without excerpt: `quota_exceeded` if the body mentions a limit, `key_refused` if the service
    ///   or HTTP 401 or 403 says so, else the given failure.
    public func answer(failing failure: Failure, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        var failure = failure
        let excerpt = failure.excerpt ?? Data()
        failure.excerpt = nil
        guard let status = failure.status, (400...599).contains(status) else { throw failure }
        do throws(Failure) {
            return try read(excerpt, query, isWhole: false)
        } catch {
            let isTold = error.code == "key_refused" || error.code == "quota_exceeded"
            guard isTold || status == 401 || status == 403 else { throw failure }
            let told = isTold ? error : keyRefused(nil)
            failure.fault = told.fault
            failure.code = told.code
            failure.message = told.message
            throw failure
        }
    }
}

// MARK: - Reading

extension MapQuest {
    /// Reads a document. Places count only in a whole one, not in the excerpt of an error.
    private func read(_ data: Data, _ query: PlaceQuery, isWhole: Bool) throws(Failure) -> ProviderAnswer {
        let service = ServiceAnswer(service: Self.name, data: data)
        return try service.read { root in
            guard let status = root["info"]?["statuscode"]?.int64 else {
                return .failure(service.failure("no_statuscode", "answers JSON without a statuscode"))
            }
            let message = root["info"]?["messages"]?.elements.first { _ in true }?.string
            switch status {
            case 0 where isWhole: break
            case 400:
                return .success(.missing(reason: message.map { "refused: \(shown($0))" } ?? "refused"))
            case 403:
                if let message, ServiceAnswer.saysLimit(message) { return .failure(service.limitFailure()) }
                return .failure(keyRefused(message))
            default:
                let words = message.map { ": \(shown($0))" } ?? ""
                return .failure(service.failure("mapquest_\(status)", "answers with statuscode \(status)\(words)"))
            }
            guard let locations = root["results"]?.elements.first(where: { _ in true })?["locations"],
                locations.kind == .array
            else { return .failure(service.failure("no_locations", "answers JSON without locations")) }
            let offers = locations.elements.prefix(Self.maximumCandidates).map { Self.offer($0, to: query) }
            return .success(CandidateChoice.answer(offers, to: query, by: .mapquest))
        }
    }

    private static func offer(_ location: JSONValue, to query: PlaceQuery) -> Offer {
        guard let latitude = location["latLng"]?["lat"]?.double, let longitude = location["latLng"]?["lng"]?.double,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude), !coordinate.isNowhere
        else { return .unfit(reason: "no position") }
        guard let quality = (location["geocodeQualityCode"]?.string).flatMap({ MapQuestQuality($0) }) else {
            return .unfit(reason: "unknown quality")
        }
        // No place has a longer name, and the comparison of words takes quadratic time.
        func text(_ key: StaticString) -> String { HTMLText.bounded(location[key]?.string ?? "", 300) }
        let levels = [text("adminArea6"), text("adminArea5"), text("adminArea4"), text("adminArea3")]
        let street = text("street")
        let name: String
        switch quality.granularity {
        case .neighbourhood: name = levels[0]
        case .city: name = levels[1]
        case .county: name = levels[2]
        case .state: name = levels[3]
        case .country: name = text("adminArea1")
        default: name = quality.granularity.precision == .point ? street : text("postalCode")
        }
        switch quality.granularity.precision {
        case .point:
            // A shop that is inside the place or has its name is not the place.
            let isNamed = NamedWords.share(street, query.text, besides: levels)
            guard !quality.isDoubtful, isNamed || quality.street != .absent else {
                return .unfit(reason: "doubtful match")
            }
        case .city, .region:
            guard !quality.isDoubtful || NamedWords.share(name, query.text) else {
                return .unfit(reason: "doubtful match")
            }
        case .country: break
        }
        let country = text("adminArea1").uppercased()
        return .place(
            Candidate(
                coordinate: coordinate, precision: quality.granularity.precision, confidence: quality.confidence,
                name: name, areas: levels.filter { !$0.isEmpty }, country: country.isEmpty ? nil : country,
                // In other countries the state is a name, not a code.
                regions: country == "US" && !levels[3].isEmpty ? [levels[3].uppercased()] : [],
                names: [name, levels[3], country]))
    }

    private func keyRefused(_ message: String?) -> Failure {
        let words = message.map { ": \(shown($0))" } ?? ""
        return Failure(.operator, "key_refused", "MapQuest refuses the key\(words); check geocoding.mapquest.key_file")
    }

    /// The service's words on one line, at most 200 characters, without the key.
    private func shown(_ words: String) -> String {
        var words = words
        if let key = key?.value, !key.isEmpty {
            for form in [key, key.percentEncoded] {
                words = words.replacingOccurrences(of: form, with: "<secret>")
            }
        }
        return String(words.split { $0.isWhitespace }.joined(separator: " ").prefix(200))
    }
}
