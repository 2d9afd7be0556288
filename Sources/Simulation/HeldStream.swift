import Daemon
import Engine
package import Foundation
package import Model
import Reading

/// What a scripted server sends over a connection that it holds open.
package struct LiveStream {
    /// What comes when, as uptime, in order. Between the pieces come keep-alives, of which only the shell would hear.
    package var pieces: [(at: Duration, bytes: Data)]
    /// When it ends, as uptime, and how; nil: it stays open until it is closed.
    package var end: (at: Duration, failure: Failure)?

    /// Creates a stream.
    package init(_ pieces: [(at: Duration, bytes: Data)], end: (at: Duration, failure: Failure)? = nil) {
        self.pieces = pieces
        self.end = end
    }
}

/// A stream that is open: what `StreamReader` makes of its pieces.
struct HeldStream {
    let order: FetchOrder
    private let end: (at: Duration, failure: Failure)?
    private var pieces: ArraySlice<(at: Duration, bytes: Data)>
    private var batches: TimedBatches

    init(_ script: LiveStream, _ order: FetchOrder, _ terms: StreamTerms) {
        self.order = order
        end = script.end
        pieces = script.pieces[...]
        batches = TimedBatches(
            longestLine: terms.longestLine, maximumLines: terms.batchLines, wait: terms.batchTime)
    }

    /// When the next piece comes, as uptime.
    var nextPiece: Duration? { pieces.first?.at }

    /// When time brings something, as uptime.
    var next: Duration? { [pieces.first?.at, batches.due, end?.at].compactMap { $0 }.min() }

    /// Whether there are lines that have not been handed on.
    var holdsLines: Bool { batches.due != nil }

    /// The batches that are ready, and why the stream has ended; to be called at each `next`.
    mutating func read(at now: Duration) -> (batches: [LineBatches.Batch], end: Failure?) {
        if let piece = pieces.first, piece.at <= now {
            pieces.removeFirst()
            return (batches.feed(piece.bytes, at: now), nil)
        }
        if let due = batches.due, due <= now { return (batches.feed(Data(), at: now), nil) }
        if let end, end.at <= now { return (close(with: end.failure), end.failure) }
        return ([], nil)
    }

    /// What has come and is not handed on yet, however little. Like `StreamReader`, it takes a line without its end for
    /// one where nothing else has come and the stream ends in order.
    mutating func close(with failure: Failure) -> [LineBatches.Batch] {
        let last = batches.end(isBroken: !failure.hasCode(.streamEnded))
        return last.isEmpty ? [] : [last]
    }
}
