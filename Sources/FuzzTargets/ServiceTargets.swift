import Fetching
import Foundation
import Geocoding
import Model

extension FuzzTarget {
    /// Targets for answers of geocoding services and for HTTP headers.
    static let services: [FuzzTarget] = [
        FuzzTarget("geocoders", seeds: ["mapquest/*", "nominatim/*"]) { data in
            for service in geocoders {
                for query in questions { try checkAnswer(of: service, data, query) }
            }
        },
        FuzzTarget("headers", seeds: []) { data in try checkHead(data) },
    ]

    // MARK: Geocoding services

    private static let key = "never-shown-key"

    private static let geocoders: [Geocoder] = [
        .mapquest(MapQuest(url: "https://www.mapquestapi.com/geocoding/v1/address", key: Secret(key))),
        .nominatim(Nominatim(url: "https://nominatim.openstreetmap.org/search")),
    ]

    /// A place without context, one within a state, and one that names a country.
    private static let questions = [
        PlaceQuery(text: "Springfield", folded: "springfield", evidence: .place),
        PlaceQuery(
            text: "Santa Fe", folded: "santa fe", context: PlaceContext(country: "US", region: "NM"),
            countryName: "United States", evidence: .dateline),
        PlaceQuery(text: "France", folded: "france", namedCountry: "FR", evidence: .author),
    ]

    private static func checkAnswer(of service: Geocoder, _ data: Data, _ query: PlaceQuery) throws(BrokenInvariant) {
        let answer = outcome { () throws(Failure) in
            try service.answer(FetchedBody(data: data, url: "https://example.org/"), to: query)
        }
        try checkOutcome(answer, to: query, by: service)
        for status in [400, 403, 429, 500] {
            let refusal = Failure(
                .server, "http_\(status)", "The server answers \(status).", status: status,
                excerpt: Data(data.prefix(64 << 10)))
            let told = outcome { () throws(Failure) in try service.answer(failing: refusal, to: query) }
            try checkOutcome(told, to: query, by: service)
            if case .success(.found) = told { throw BrokenInvariant("a refusal (\(status)) has given a place") }
        }
    }

    private static func outcome(_ ask: () throws(Failure) -> ProviderAnswer) -> Result<ProviderAnswer, Failure> {
        do throws(Failure) { return .success(try ask()) } catch { return .failure(error) }
    }

    private static func checkOutcome(
        _ answer: Result<ProviderAnswer, Failure>, to query: PlaceQuery, by service: Geocoder
    ) throws(BrokenInvariant) {
        // Nominatim has no key; text that looks like the key is from the input.
        let hasKey = service.provider == .mapquest
        switch answer {
        case .success(.found(let location)):
            try AnswerCheck.check(location)
            let isCountry = location.precision == .country
            try hold(!isCountry || query.namedCountry != nil, "a country is the answer to \(query.text)")
            try TextCheck.check(location.placeID, "the place's name at the service", atMost: 60)
            try TextCheck.check(location.name, "the place's name for people", atMost: 200)
        case .success(.missing(let reason)):
            try hold(!reason.isEmpty && reason.utf8.count < 4_096, "a miss with a reason of \(reason.utf8.count) bytes")
            try hold(!hasKey || !reason.contains(key), "a miss tells the key: \(quoted(reason))")
        case .failure(let failure):
            try FailureCheck.check(failure)
            let tells = hasKey && failure.message.contains(key)
            try hold(!tells, "a failure tells the key: \(quoted(failure.message))")
        }
    }

    // MARK: Headers

    /// 2026-09-21T12:53:20Z.
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    private static func checkHead(_ data: Data) throws(BrokenInvariant) {
        var head = ResponseHead()
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            var bytes = [UInt8](line)
            bytes.append(UInt8(ascii: "\n"))
            bytes.withUnsafeBytes { head.take($0) }
        }
        for status in [200, 429, 503] {
            guard let retry = head.retryAfter(status: status, resetHeader: "x-rate-limit-reset", now: now) else {
                continue
            }
            let seconds = retry.timeIntervalSince(now)
            try hold((0...86_400.001).contains(seconds), "asked to come back in \(seconds) s")
        }
        if let age = head.maxAge {
            try hold(age >= .zero && age <= .seconds(31_536_000), "fresh for \(age)")
        }
        let validators: [String?] = [head.validators.etag, head.validators.lastModified]
        for case let validator? in validators {
            let size: Int = validator.utf8.count
            try hold(size > 0 && size <= 4_096, "a validator of \(size) bytes")
            let ends: [UInt8] = [0x0A, 0x0D, 0]
            let isOneLine = validator.utf8.allSatisfy { !ends.contains($0) }
            try hold(isOneLine, "a validator that ends its line: \(quoted(validator))")
        }
    }
}
