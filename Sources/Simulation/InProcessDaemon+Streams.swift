package import Engine
import Fetching
import Foundation
import Model

// Open streams.
extension InProcessDaemon {
    /// Open streams with their sources' names, the longest open first.
    package var openStreams: [(id: FetchID, source: String)] {
        life.held.map { (id: $0.order.id, source: $0.order.source) }
    }

    /// Uptime of the next piece of any stream, its end aside; nil: none comes.
    package var nextPiece: Duration? { life.held.compactMap { $0.pieces.first?.at }.min() }

    /// Whether lines of a stream have arrived that the engine does not know yet.
    package var holdsLines: Bool { life.held.contains { $0.holdsLines } }

    /// Opens a stream, whose head has arrived.
    func open(_ script: LiveStream, for order: FetchOrder, _ facts: FetchFacts) -> FetchedStream {
        let body = FetchedStream(
            url: order.url, headers: script.headers, serverDate: facts.serverDate, capacity: .max,
            whenClosed: { [weak self] in self?.life.held.removeAll { $0.order.id == order.id } })
        life.held.append(HeldStream(order: order, body: body, pieces: script.pieces[...], end: script.end))
        return body
    }

    /// Delivers the first piece that is due, or an end; returns false if nothing is due.
    func readStreams() throws -> Bool {
        let due = life.held.firstIndex { stream in stream.next.map { $0 <= now.uptime } ?? false }
        guard let due else { return false }
        if let piece = life.held[due].pieces.first, piece.at <= now.uptime {
            life.held[due].pieces.removeFirst()
            life.held[due].holdsLines = true
            _ = life.held[due].body.put(piece.bytes)
        } else {
            let stream = life.held.remove(at: due)
            let failure = stream.end?.failure
            stream.body.finish(failure?.hasCode(.streamEnded) == true ? nil : failure)
        }
        try drain()
        return true
    }
}
