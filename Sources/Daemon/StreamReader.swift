import Fetching
import Foundation
package import Model
import Reading

/// Reads a stream in batches of lines, limited by number and time. Nothing more is read while a batch is being taken.
struct StreamReader: Sendable {
    /// Takes a batch, and the number of bytes since the last one.
    typealias Taker = @Sendable (LineBatches.Batch, Int) async throws(Failure) -> Void

    let body: FetchedStream
    let terms: StreamTerms
    let time: TimeSource

    /// Passes on batches until the stream ends or the task is cancelled; the last one may be small.
    /// - Throws: The reason why the stream ended, or an error of `take`; it never returns normally.
    func run(_ take: Taker) async throws(Failure) {
        defer { body.close() }
        var batches = TimedBatches(
            longestLine: terms.longestLine, maximumLines: terms.batchLines, wait: terms.batchTime)
        var bytes = 0
        var alarm = Alarm(time) { [body] in body.wake() }
        defer { alarm.stop() }
        while true {
            let next: Result<Data?, Failure>
            do throws(Failure) { next = .success(try await body.next()) } catch { next = .failure(error) }
            guard case .success(let chunk?) = next else {
                let failure: Failure? = if case .failure(let found) = next { found } else { nil }
                let last = batches.end(isBroken: failure != nil)
                if !last.isEmpty { try await take(last, bytes) }
                throw failure ?? .streamEnded
            }
            bytes += chunk.count
            for batch in batches.feed(chunk, at: time.now().uptime) {
                try await take(batch, bytes)
                bytes = 0
            }
            alarm.set(batches.due)
        }
    }
}

extension Failure {
    /// A stream that ended without an error: fault `network`, code `stream_ended`.
    ///
    /// `StreamReader` throws it also after this side has closed the stream; the engine then records its own reason.
    package static let streamEnded = Failure(.network, .streamEnded, "the server has ended the stream")
}
