import Engine
import Fetching
import Foundation
import Model

/// A request on its way.
struct Flight {
    /// Uptime at which its answer is there.
    let lands: Duration
    let order: FetchOrder
    /// Lets it go on, or fail.
    let landing: UnsafeContinuation<Failure?, Never>
}

// The network, as the shell asks it.
extension InProcessDaemon {
    /// Makes a request; one that no order names is for a place or a picture.
    func exchange(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        let index = life.orders.firstIndex {
            $0.url == request.url && ($0.request.stream == nil) == (request.stream == nil)
        }
        guard let index else {
            if let geocoding, geocoding.serves(request) { return try await geocoding.exchange(request, at: now) }
            picturesSent.append((request.url, now))
            return try pictureNetwork(request).get()
        }
        let order = life.orders.remove(at: index)
        guard !Task.isCancelled else { throw Self.cancelled }
        sent.append(order)
        observe { try observer?.sending(order, at: now) }
        let answer = network(order)
        let delay = latency?(order) ?? .zero
        carriedOut += 1
        if delay > .zero, let failure = await flight(of: order, landing: now.uptime + delay) { throw failure }
        return try outcome(of: answer, to: order)
    }

    private static let cancelled = Failure(.ours, .cancelled, "the fetch was cancelled")

    private func flight(of order: FetchOrder, landing lands: Duration) async -> Failure? {
        await withTaskCancellationHandler {
            // Unsafe because a death leaves it behind.
            await withUnsafeContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: Self.cancelled) }
                life.flights.append(Flight(lands: lands, order: order, landing: continuation))
            }
        } onCancel: {
            guard let index = life.flights.firstIndex(where: { $0.order.id == order.id }) else { return }
            life.flights.remove(at: index).landing.resume(returning: Self.cancelled)
        }
    }

    private func outcome(of answer: ScriptedAnswer, to order: FetchOrder) throws(Failure) -> FetchOutcome {
        let ours = serverClockOffset.map { now.wall.addingTimeInterval($0) }
        var facts = FetchFacts(serverDate: serverDate.map { $0(order, now) } ?? ours)
        switch answer {
        case .body(let data, let etag, let lastModified, let headers):
            facts.validators = Validators(etag: etag, lastModified: lastModified)
            facts.bytes = data.count
            return .body(FetchedBody(data: data, headers: headers, url: order.url, facts: facts))
        case .notModified:
            facts.validators = order.fetch.validators
            return .notModified(facts)
        case .redirect(let url, let isPermanent):
            return .redirect(to: url, status: isPermanent ? 301 : 302, isPermanent: isPermanent, facts)
        case .live(let stream): return .stream(open(stream, for: order, facts))
        case .fetched(let outcome): return outcome
        case .failure(let failure): throw failure
        }
    }
}
