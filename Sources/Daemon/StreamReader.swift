import Fetching
import Foundation
import Model
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
    ///
    /// The first batch comes with the first line, or empty with the first keep-alive (CRLF): it shows whether the stream
    /// lives. Of a stream that ends without either, what has come of a line is handed on.
    /// - Throws: Always in the end: why the stream ended, or what `take` throws.
    func run(_ take: Taker) async throws(Failure) {
        defer { body.close() }
        var batches = LineBatches(longestLine: terms.longestLine, mostLines: terms.batchLines)
        var bytes = 0
        var isProven = false
        var alarm: (at: Duration, task: Task<Void, Never>)?
        defer { alarm?.task.cancel() }
        while true {
            let next: Result<Data?, Failure>
            do throws(Failure) { next = .success(try await body.next()) } catch { next = .failure(error) }
            guard case .success(let chunk?) = next else {
                var hasEnded = false
                if case .success = next { hasEnded = true }
                let last = hasEnded && !isProven ? batches.end() : batches.release()
                if !last.isEmpty { try await take(last, bytes) }
                if case .failure(let failure) = next { throw failure }
                throw Failure(.network, "stream_ended", "the server has ended the stream")
            }
            bytes += chunk.count
            var ready = batches.feed(chunk)
            let isDue = alarm.map { $0.at <= time.now().uptime } ?? false
            if batches.isEmpty ? !isProven && ready.isEmpty && batches.isKeptAlive : !isProven || isDue {
                ready.append(batches.release())
            }
            for batch in ready {
                isProven = true
                try await take(batch, bytes)
                bytes = 0
            }
            if batches.isEmpty || !ready.isEmpty {
                alarm?.task.cancel()
                alarm = nil
            }
            if !batches.isEmpty, alarm == nil {
                let at = time.now().uptime + terms.batchTime
                alarm = (at, Task { [time, body] in if (try? await time.sleep(at)) != nil { body.wake() } })
            }
        }
    }
}
