import Engine
import Fetching
import Geocoding
import Model

extension Locator.Service {
    /// Asks the service a question; returns `answered` or `failed`.
    /// - Parameter whenSent: Called with the uptime at which the request was sent.
    func ask(
        _ query: PlaceQuery, through network: Network, time: TimeSource,
        whenSent: @escaping @Sendable (Duration) -> Void
    ) async -> GeocodeInput {
        do throws(Failure) {
            let outcome: FetchOutcome
            do throws(Failure) {
                var request = geocoder.request(for: query)
                request.whenSent = { whenSent(time.now().uptime) }
                outcome = try await network(request)
            } catch {
                return .answered(try geocoder.answer(failing: error, to: query))
            }
            switch outcome {
            case .body(let body): return .answered(try geocoder.answer(body, to: query))
            case .redirect(let url, let status, _, _):
                throw Failure(
                    .server, .redirected, "the service sends the request elsewhere: \(url.withoutQuery)",
                    status: status)
            case .notModified: throw Failure(.server, .notModified, "the service answers 304 to a first request")
            case .stream(let stream):
                stream.close()
                throw Failure(.ours, .stream, "a stream was not asked for")
            }
        } catch {
            return .failed(error)
        }
    }
}
