public import Foundation

/// Decides when the lines of a stream are passed on: when a batch is full, or when its first line has waited long
/// enough.
///
/// The first batch is passed on with the first line, or empty with the first keep-alive (CRLF), to show that the stream
/// works. A batch is also full at 1 MiB. It has no clock of its own: all times are uptimes that the caller gives.
public struct TimedBatches: Sendable {
    /// The uptime by which `feed` must be called, if only with an empty chunk, to pass on the current batch; nil
    /// without one.
    public private(set) var due: Duration?

    private var batches: LineBatches
    private let wait: Duration
    private var isProven = false

    /// Begins empty.
    /// - Parameters:
    ///   - longestLine: The most bytes of a line, above 0; a longer one is skipped and reported in `tooLong` of its
    ///     batch.
    ///   - maximumLines: The number of lines that completes a batch, above 0.
    ///   - wait: The longest time that a line waits for others; 0 or more.
    public init(longestLine: Int, maximumLines: Int, wait: Duration) {
        batches = LineBatches(longestLine: longestLine, maximumLines: maximumLines)
        self.wait = wait
    }

    /// Reads the next chunk, which may be empty, and returns the batches to pass on now, in order; often none.
    /// - Parameter now: The present uptime, not before that of an earlier call.
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

    /// Returns the remaining lines, possibly none. If the stream ends in order and no batch has been passed on, an
    /// unterminated line is included.
    /// - Parameter isBroken: Whether the stream broke off, so that an unterminated line is incomplete.
    public mutating func end(isBroken: Bool) -> LineBatches.Batch {
        due = nil
        return isBroken || isProven ? batches.release() : batches.end()
    }
}
