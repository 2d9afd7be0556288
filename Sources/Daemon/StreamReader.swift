import Fetching
import Foundation
package import Model
import Reading

/// Reads a stream: cuts it into lines and hands them on in batches, by number or by time, one at a time; while one is
/// being taken, nothing more is read.
struct StreamReader: Sendable {
    /// Takes a batch, and how many bytes have come since the one before.
    typealias Taker = @Sendable (LineBatches.Batch, Int) async throws(Failure) -> Void

    let body: FetchedStream
    let terms: StreamTerms
    let time: TimeSource

    /// Hands batches on until the stream ends or the task is cancelled; then the last one, however small.
    /// - Throws: Always in the end: why the stream ended, or what `take` throws.
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
    /// A stream has ended in order: by its server, or because this side has closed it.
    package static let streamEnded = Failure(.network, .streamEnded, "the server has ended the stream")
}
