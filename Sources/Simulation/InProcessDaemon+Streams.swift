package import Engine
import Foundation
import Model
import Reading

// Streams that are open, as `Poller` holds them.
extension InProcessDaemon {
    /// Requests whose streams are open, with their sources.
    package var openStreams: [(id: FetchID, source: String)] {
        held.map { (id: $0.order.id, source: $0.order.source) }
    }

    /// When the next piece of a stream comes, as uptime.
    package var nextPiece: Duration? { held.compactMap(\.nextPiece).min() }

    /// Whether lines of a stream are in hand that the engine has not been told of.
    package var holdsLines: Bool { held.contains { $0.holdsLines } }

    /// The head of a stream is here.
    func hold(_ stream: LiveStream, for order: FetchOrder) {
        guard let terms = order.request.stream else { return }
        held.append(HeldStream(stream, order, terms))
    }

    /// What one of the streams brings by now; nil: none brings anything.
    func readStreams() -> [Input]? {
        let due = held.firstIndex { stream in stream.next.map { $0 <= now.uptime } ?? false }
        guard let index = due else { return nil }
        let order = held[index].order
        let (batches, end) = held[index].read(at: now.uptime)
        if end != nil { held.remove(at: index) }
        return batches.map { streamed($0, order) } + (end.map { [.failed(order.id, $0, FetchFacts())] } ?? [])
    }

    /// Closes a stream, if it is one: what has come of it, and its end.
    func close(_ id: FetchID, _ failure: Failure) -> [Input] {
        guard let index = held.firstIndex(where: { $0.order.id == id }) else { return [] }
        var stream = held.remove(at: index)
        return stream.close(with: failure).map { streamed($0, stream.order) } + [.failed(id, failure, FetchFacts())]
    }

    private func streamed(_ batch: LineBatches.Batch, _ order: FetchOrder) -> Input {
        lines[order.id, default: []].append(batch.data)
        guard batch.lines > 0 else { return .streamed(order.id, FeedAnswer(), FetchFacts()) }
        switch input(.body(batch.data), to: order) {
        case .answered(let id, let content, let facts): return .streamed(id, content, facts)
        case let failure: return failure
        }
    }
}
