import Foundation
import Geocoding
import Model
import Testing

/// Answers of services that the fetcher treats as failures.
@Suite struct GeocoderFailureTests {
    private static let mapquest = Geocoder.mapquest(
        MapQuest(url: "https://example.org/address", key: Secret("hunter2")))
    private static let nominatim = Geocoder.nominatim(Nominatim(url: "https://example.org/search"))

    private static func end(
        _ geocoder: Geocoder, _ status: Int, _ body: String, retryAfter: Date? = nil
    ) -> Result<ProviderAnswer, Failure> {
        end(
            geocoder,
            Failure(
                status == 401 ? .operator : .server, "http_\(status)", "example.org answered \(status)", status: status,
                retryAfter: retryAfter, excerpt: Data(body.utf8)))
    }

    private static func end(_ geocoder: Geocoder, _ failure: Failure) -> Result<ProviderAnswer, Failure> {
        do throws(Failure) {
            return .success(
                try geocoder.answer(failing: failure, to: PlaceQuery(text: "x", folded: "x", evidence: .place)))
        } catch {
            return .failure(error)
        }
    }

    private static func failure(_ end: Result<ProviderAnswer, Failure>) -> Failure? {
        if case .failure(let failure) = end { failure } else { nil }
    }

    @Test(
        "MapQuest's words tell a refused key from a used-up limit; both come with 403",
        arguments: [
            (401, "", "key_refused", Failure.Fault.operator),
            (403, "", "key_refused", .operator),
            (403, "The AppKey submitted with this request is invalid: hunter2", "key_refused", .operator),
            (403, #"{"info":{"statuscode":403,"messages":["wrong key hunter2"]}}"#, "key_refused", .operator),
            (403, "You have exceeded the number of monthly transactions", "quota_exceeded", .server),
            (429, "Too many requests", "quota_exceeded", .server),
            (500, "<html>hunter2</html>", "http_500", .server),
            (500, #"{"info":{"statuscode":0},"results":[{"locations":[]}]}"#, "http_500", .server),
            (404, #"{"message":"no route"}"#, "http_404", .server),
        ] as [(Int, String, String, Failure.Fault)])
    func mapquest(status: Int, body: String, code: String, fault: Failure.Fault) throws {
        let later = Date(timeIntervalSince1970: 1_700_000_600)
        let failure = try #require(Self.failure(Self.end(Self.mapquest, status, body, retryAfter: later)))
        #expect(failure.code == code)
        #expect(failure.fault == fault)
        #expect(failure.status == status)
        #expect(failure.retryAfter == later)
        #expect(failure.excerpt == nil)
        #expect(!failure.message.contains("hunter2"))
    }

    @Test("a text that a service says it cannot use is a miss, whatever the status")
    func refusedTexts() {
        let illegal = #"{"info":{"statuscode":400,"messages":["Illegal argument from request: no location"]}}"#
        let refused = ProviderAnswer.missing(reason: "refused: Illegal argument from request: no location")
        #expect(Self.end(Self.mapquest, 400, illegal) == .success(refused))
        let nothing = #"{"error":{"code":400,"message":"Nothing to search for."}}"#
        #expect(Self.end(Self.nominatim, 400, nothing) == .success(.missing(reason: "refused: Nothing to search for.")))
        #expect(Self.failure(Self.end(Self.mapquest, 400, "Bad Request"))?.code == "http_400")
        #expect(Self.failure(Self.end(Self.nominatim, 400, "<html>Bad Request</html>"))?.code == "http_400")
    }

    @Test(
        "Nominatim blocks with several statuses",
        arguments: [(403, "quota_exceeded"), (429, "quota_exceeded"), (509, "quota_exceeded"), (502, "http_502")])
    func nominatim(status: Int, code: String) throws {
        let failure = try #require(Self.failure(Self.end(Self.nominatim, status, "<html>blocked</html>")))
        #expect(failure.code == code)
        #expect(failure.status == status)
    }

    @Test("a failure of the network stays as it is")
    func network() {
        let timeout = Failure(.network, .timeout, "example.org took longer than 20s to answer")
        #expect(Self.end(Self.mapquest, timeout) == .failure(timeout))
        #expect(Self.end(Self.nominatim, timeout) == .failure(timeout))
    }
}
