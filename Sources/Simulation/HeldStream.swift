import Daemon
import Engine
package import Foundation
package import Model
import Reading

/// The script of a connection that a server holds open: what arrives when, and how it ends.
package struct LiveStream {
    /// Pieces of the body in order, with the uptime of their arrival, which must not fall. Keep-alives between them,
    /// which only the shell would notice, are left out.
    package var pieces: [(at: Duration, bytes: Data)]
    /// Response headers, with names in lower case.
    package var headers: [String: String]
    /// Uptime and reason of its end; nil: it stays open until the client closes it.
    package var end: (at: Duration, failure: Failure)?

    /// Creates a script with these values, which are not checked; by default the server never ends the stream.
    package init(
        _ pieces: [(at: Duration, bytes: Data)], headers: [String: String] = [:],
        end: (at: Duration, failure: Failure)? = nil
    ) {
        self.pieces = pieces
        self.headers = headers
        self.end = end
    }
}

/// An open stream, cut into batches as by `StreamReader`.
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

    /// Uptime of the next piece; nil: no more come.
    var nextPiece: Duration? { pieces.first?.at }

    /// Uptime at which `read` has something to do; nil: never.
    var next: Duration? { [pieces.first?.at, batches.due, end?.at].compactMap { $0 }.min() }

    /// Whether it has lines that were not passed on.
    var holdsLines: Bool { batches.due != nil }

    /// Reads the next piece or the end: batches to pass on now, and why the stream ended. Call it at each `next`.
    mutating func read(at now: Duration) -> (batches: [LineBatches.Batch], end: Failure?) {
        if let piece = pieces.first, piece.at <= now {
            pieces.removeFirst()
            return (batches.feed(piece.bytes, at: now), nil)
        }
        if let due = batches.due, due <= now { return (batches.feed(Data(), at: now), nil) }
        if let end, end.at <= now { return (close(with: end.failure), end.failure) }
        return ([], nil)
    }

    /// Returns the remaining lines. Like `StreamReader`, it includes an unterminated one if no batch was passed on
    /// before and the stream ends in order.
    mutating func close(with failure: Failure) -> [LineBatches.Batch] {
        let last = batches.end(isBroken: !failure.hasCode(.streamEnded))
        return last.isEmpty ? [] : [last]
    }
}
