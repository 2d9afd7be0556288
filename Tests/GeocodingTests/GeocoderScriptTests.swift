import Fetching
import Foundation
import Geocoding
import Model
import ScriptedUpstream
import Testing

/// The scripted services are interpreted like the real ones.
@Suite(.timeLimit(.minutes(60))) struct GeocoderScriptTests {
    private static let places: [GeocoderScript.Place] = [
        .init("Hanover", latitude: 52.374, longitude: 9.739, country: "DE", region: "NI", importance: 0.7),
        .init("Hanover", latitude: 43.704, longitude: -72.289, country: "US", region: "NH", importance: 0.4),
        .init("France", latitude: 46.6, longitude: 1.89, country: "FR", kind: .country),
    ]

    private static func query(_ text: String, _ country: String? = nil, region: String? = nil) -> PlaceQuery {
        PlaceQuery(
            text: text, folded: text.lowercased(), context: PlaceContext(country: country, region: region),
            evidence: .place)
    }

    /// The answer of a service, or the code of its failure.
    private static func end(_ geocoder: Geocoder, _ query: PlaceQuery, _ fetcher: Fetcher) async -> String {
        do throws(Failure) {
            let answer: ProviderAnswer
            do throws(Failure) {
                guard case .body(let body) = try await fetcher.fetch(geocoder.request(for: query)) else { return "?" }
                answer = try geocoder.answer(body, to: query)
            } catch {
                answer = try geocoder.answer(failing: error, to: query)
            }
            switch answer {
            case .found(let location): return "\(location.precision) \(location.coordinate.latitude)"
            case .missing(let reason): return reason
            }
        } catch {
            return "failed: \(error.code)"
        }
    }

    @Test("places, namesakes, gibberish and troubles of both services come out as they should")
    func answersAndTroubles() async throws {
        let script = GeocoderScript(Self.places)
        let upstream = ScriptedUpstream()
        upstream.answerOthers { script.reply(to: $0) }
        try await upstream.start()
        let mapquest = Geocoder.mapquest(MapQuest(url: upstream.baseURL + "/geocoding/v1/address", key: Secret("k")))
        let nominatim = Geocoder.nominatim(Nominatim(url: upstream.baseURL + "/search"))
        // No test reaches these limits, however busy the machine is.
        let patient = FetchLimits(totalTimeout: .seconds(3600), stallTimeout: .seconds(3600))
        let fetcher = try Fetcher(limits: patient, now: { Date(timeIntervalSince1970: 1_700_000_000) })
        func ends(_ geocoder: Geocoder, _ queries: [PlaceQuery]) async -> [String] {
            var ends: [String] = []
            for query in queries { ends.append(await Self.end(geocoder, query, fetcher)) }
            return ends
        }
        let queries = [
            Self.query("Hanover"), Self.query("Hanover", "DE"), Self.query("Hanover", "US", region: "NH"),
            Self.query("hanover, de"), Self.query("France"), Self.query("qwzrtplk"), Self.query("Hanover", "FR"),
        ]
        let fromMapQuest = await ends(mapquest, queries)
        let fromNominatim = await ends(nominatim, queries)
        var troubles: [String] = []
        let allTroubles: [GeocoderScript.Trouble] = [
            .tooManyRequests(retryAfter: 7), .keyRefused, .quotaUsedUp, .serverError, .errorInside(500), .page,
            .emptyBody, .cutShort, .slow(pause: .milliseconds(1)),
        ]
        for trouble in allTroubles {
            script.set(trouble, at: .mapquest)
            script.set(trouble, at: .nominatim)
            for geocoder in [mapquest, nominatim] {
                troubles.append(await Self.end(geocoder, Self.query("Hanover", "DE"), fetcher))
            }
        }
        fetcher.shutdown()
        await upstream.stop()
        #expect(
            fromMapQuest == [
                "ambiguous", "city 52.374", "city 43.704", "city 52.374", "only a country", "only a country",
                "only a country",
            ])
        #expect(
            fromNominatim == [
                "city 52.374", "city 52.374", "city 43.704", "city 52.374", "only a country", "no match", "no match",
            ])
        #expect(
            troubles == [
                "failed: http_429", "failed: quota_exceeded", "failed: key_refused", "failed: quota_exceeded",
                "failed: quota_exceeded", "failed: quota_exceeded", "failed: http_500", "failed: http_500",
                "failed: mapquest_500", "failed: nominatim_error", "failed: html_page", "failed: html_page",
                "failed: empty_body", "failed: empty_body", "failed: cut_short", "failed: cut_short", "city 52.374",
                "city 52.374",
            ])
        #expect(script.asked(.mapquest)["Hanover, DE"] == 10)
        #expect(script.asked(.nominatim)["qwzrtplk"] == 1)
    }

    @Test("a table of places is read, and a broken one is refused")
    func tables() throws {
        let table = "# name\nHanover\t43.704\t-72.289\tUS\tNH\tcity\t0.4\nRome\t41.9\t12.5\tIT\n"
        let script = try #require(GeocoderScript(table: table))
        let reply = script.reply(to: RecordedRequest(path: "/search", query: "q=rome&limit=10"))
        let body = FetchedBody(data: reply.content, url: "http://127.0.0.1/")
        let answer = try Nominatim(url: "http://127.0.0.1/").answer(body, to: Self.query("Rome"))
        guard case .found(let location) = answer else {
            Issue.record("not found")
            return
        }
        #expect(location.coordinate.longitude == 12.5)
        #expect(GeocoderScript(table: "Hanover\tnorth\t-72.289\tUS\n") == nil)
        #expect(GeocoderScript(table: "Hanover\t43.704\t-72.289\tUS\tNH\thamlet\n") == nil)
        #expect(script.reply(to: RecordedRequest(path: "/elsewhere")).statusCode == 404)
    }
}
