public import Foundation

/// Says when the lines of a stream are handed on: a batch when it is full or when its first line has waited for a time.
///
/// The first batch comes with the first line, or empty with the first keep-alive (CRLF): it shows whether the stream
/// lives.
public struct TimedBatches: Sendable {
    /// When `feed` is to be called at the latest, if without bytes, as uptime, so that the begun batch is handed on; nil:
    /// none is begun.
    public private(set) var due: Duration?

    private var batches: LineBatches
    private let wait: Duration
    private var isProven = false

    /// Begins with nothing.
    /// - Parameters:
    ///   - longestLine: The most bytes of a line; a longer one is passed over.
    ///   - maximumLines: How many lines make a batch full; above zero.
    ///   - wait: How long a line waits for others.
    public init(longestLine: Int, maximumLines: Int, wait: Duration) {
        batches = LineBatches(longestLine: longestLine, maximumLines: maximumLines)
        self.wait = wait
    }

    /// Takes the next chunk, which may be empty, and returns the batches to be handed on now.
    public mutating func feed(_ chunk: Data, at now: Duration) -> [LineBatches.Batch] {
        var ready = batches.feed(chunk)
        let isDue = due.map { $0 <= now } ?? false
        if batches.isEmpty ? !isProven && ready.isEmpty && batches.isKeptAlive : !isProven || isDue {
            ready.append(batches.release())
        }
        isProven = isProven || !ready.isEmpty
        if batches.isEmpty || !ready.isEmpty { due = nil }
        if !batches.isEmpty, due == nil { due = now + wait }
        return ready
    }

    /// Gives away what is left, however little it is; of a stream that ends in order without a first batch, what has
    /// come of a line, too.
    public mutating func end(isBroken: Bool) -> LineBatches.Batch {
        due = nil
        return isBroken || isProven ? batches.release() : batches.end()
    }
}
