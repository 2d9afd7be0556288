package import Engine
import Foundation
import Model
import Reading

// Open streams.
extension InProcessDaemon {
    /// Open streams with their sources' names, the longest open first.
    package var openStreams: [(id: FetchID, source: String)] {
        held.map { (id: $0.order.id, source: $0.order.source) }
    }

    /// Uptime of the next piece of any stream, its end aside; nil: none comes.
    package var nextPiece: Duration? { held.compactMap(\.nextPiece).min() }

    /// Whether lines of a stream have arrived that the engine does not know yet.
    package var holdsLines: Bool { held.contains { $0.holdsLines } }

    /// Keeps a stream open whose head has arrived.
    func hold(_ stream: LiveStream, for order: FetchOrder) {
        guard let terms = order.request.stream else { return }
        held.append(HeldStream(stream, order, terms))
    }

    /// The inputs that the first stream with something due brings; nil: nothing is due.
    func readStreams() -> [Input]? {
        let due = held.firstIndex { stream in stream.next.map { $0 <= now.uptime } ?? false }
        guard let index = due else { return nil }
        let order = held[index].order
        let (batches, end) = held[index].read(at: now.uptime)
        if end != nil { held.remove(at: index) }
        return batches.map { streamed($0, order) } + (end.map { [.failed(order.id, $0, FetchFacts())] } ?? [])
    }

    /// Closes a stream: its remaining lines and its end. Empty if the request has no open stream.
    func close(_ id: FetchID, _ failure: Failure) -> [Input] {
        guard let index = held.firstIndex(where: { $0.order.id == id }) else { return [] }
        var stream = held.remove(at: index)
        return stream.close(with: failure).map { streamed($0, stream.order) } + [.failed(id, failure, FetchFacts())]
    }

    private func streamed(_ batch: LineBatches.Batch, _ order: FetchOrder) -> Input {
        lines[order.id, default: []].append(batch.data)
        var (content, facts) = (FeedAnswer(), FetchFacts())
        if batch.lines > 0 {
            let decoded = input(.body(batch.data), to: order)
            guard case .answered(_, let answer, let known) = decoded else { return decoded }
            (content, facts) = (answer, known)
        }
        content.report(tooLong: batch.tooLong, besides: batch.lines)
        return .streamed(order.id, content, facts)
    }
}
