import Engine
import Fetching
import Geocoding
import Model

extension Locator.Service {
    /// Asks it; what comes of that is `answered` or `failed`.
    /// - Parameter whenSent: Told at which uptime the request was sent.
    func ask(
        _ query: PlaceQuery, through network: @escaping Network, time: TimeSource,
        whenSent: @escaping @Sendable (Duration) -> Void
    ) async -> GeocodeInput {
        do throws(Failure) {
            let outcome: FetchOutcome
            do throws(Failure) {
                var request = geocoder.request(for: query)
                request.whenSent = { whenSent(time.now().uptime) }
                outcome = try await fetch(request, through: network, time: time)
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

    private func fetch(
        _ request: FetchRequest, through network: @escaping Network, time: TimeSource
    ) async throws(Failure) -> FetchOutcome {
        let result: Result<FetchOutcome, Failure> = await withTaskGroup(
            of: Result<FetchOutcome, Failure>.self
        ) { group in
            group.addTask {
                do throws(Failure) { return .success(try await network(request)) } catch { return .failure(error) }
            }
            group.addTask {
                try? await time.sleep(until: time.now().uptime + timeout)
                return .failure(Failure(.network, .timeout, "no answer within \(timeout.compact)"))
            }
            let first = await group.next() ?? .failure(Failure(.ours, .cancelled, "the request was given up"))
            group.cancelAll()
            return first
        }
        return try result.get()
    }
}
