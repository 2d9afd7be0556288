import CCurl
import Foundation
import Model
import Synchronization

/// The one thread that owns libcurl's multi handle and runs all transfers side by side.
///
/// Other threads put messages into a mailbox and wake it. Nothing blocks the cooperative pool.
final class CurlThread: @unchecked Sendable {
    private struct Mailbox: Sendable {
        var starts: [Exchange] = []
        /// Exchanges with an answer, whose transfers may end.
        var drops: [Exchange] = []
        /// Exchanges whose stream or body may have room again.
        var resumptions: [Exchange] = []
        var isClosed = false
        /// Whether a wake-up is pending, so that further messages need none.
        var isWoken = false
    }

    /// The budget of all bodies.
    let budget: BodyBudget
    private let mailbox = Mutex(Mailbox())
    private let now: @Sendable () -> Date
    /// Used by this thread only, except for wake-ups, which any thread may send. They hold the mailbox's lock, so they
    /// come before the handle is freed.
    private let multi: UnsafeMutableRawPointer

    private static let isCurlReady = ccurl_start()

    /// Creates the multi handle; `begin` starts the thread.
    init(budget: BodyBudget, now: @escaping @Sendable () -> Date) throws(Failure) {
        guard Self.isCurlReady, let multi = curl_multi_init() else { throw Failure.outOfMemory }
        self.budget = budget
        self.now = now
        self.multi = multi
        // Kept open for the next poll of their host.
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    /// Starts the thread, which retains this object until `close`.
    func begin() {
        let thread = Thread { self.run() }
        thread.name = "fetching"
        thread.start()
    }

    /// Starts a transfer for the exchange, which gets an answer in every case.
    func start(_ exchange: Exchange) {
        let isAccepted = post { $0.starts.append(exchange) }
        if !isAccepted { exchange.finish(.failure(.shutDown)) }
    }

    /// Ends the transfer of an exchange that has its answer.
    func drop(_ exchange: Exchange) {
        _ = post { $0.drops.append(exchange) }
    }

    /// Resumes the transfer of a stream or body that had no room.
    func resume(_ exchange: Exchange) {
        _ = post { $0.resumptions.append(exchange) }
    }

    /// Ends the thread; transfers in flight fail with `shut_down`.
    func close() {
        _ = post { $0.isClosed = true }
    }

    /// Changes the mailbox and wakes the thread; returns false if the mailbox is closed.
    private func post(_ change: (inout Mailbox) -> Void) -> Bool {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return false }
            change(&mailbox)
            if !mailbox.isWoken { mailbox.isWoken = curl_multi_wakeup(multi) == CURLM_OK }
            return true
        }
    }

    // MARK: On the thread

    private func run() {
        var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
        while takeMail(&transfers) {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishDone(&transfers)
            endStalled(&transfers)
            if curl_multi_poll(multi, nil, 0, longestPause(transfers), nil) != CURLM_OK {
                // Memory is short, and there is nothing to wait for. The pause prevents a busy loop.
                usleep(10_000)
            }
        }
        for easy in Array(transfers.keys) { remove(easy, from: &transfers)?.conclude(.failure(.shutDown)) }
        curl_multi_cleanup(multi)
    }

    /// Processes the mailbox; returns false if it is closed.
    private func takeMail(_ transfers: inout [UnsafeMutableRawPointer: Transfer]) -> Bool {
        let (starts, drops, resumptions, isClosed) = mailbox.withLock { mailbox in
            let mail = (mailbox.starts, mailbox.drops, mailbox.resumptions, mailbox.isClosed)
            mailbox.starts = []
            mailbox.drops = []
            mailbox.resumptions = []
            mailbox.isWoken = false
            return mail
        }
        if isClosed {
            for exchange in starts { exchange.finish(.failure(.shutDown)) }
            return false
        }
        for exchange in starts where !exchange.isFinished {
            do throws(Failure) {
                let transfer = try Transfer(exchange, on: self)
                guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { throw Failure.outOfMemory }
                transfers[transfer.easy] = transfer
            } catch {
                exchange.finish(.failure(error))
            }
        }
        for exchange in drops {
            if let transfer = transfers.values.first(where: { $0.exchange === exchange }) {
                remove(transfer.easy, from: &transfers)
            }
        }
        for exchange in resumptions { transfers.values.first { $0.exchange === exchange }?.resume() }
        return true
    }

    private func finishDone(_ transfers: inout [UnsafeMutableRawPointer: Transfer]) {
        var code = CURLE_OK
        while let easy = ccurl_multi_next_done(multi, &code) {
            guard let transfer = transfers[easy] else { continue }
            let answer = transfer.answer(code, now: now())
            remove(easy, from: &transfers)
            transfer.conclude(answer)
        }
    }

    private func endStalled(_ transfers: inout [UnsafeMutableRawPointer: Transfer]) {
        let time = SuspendingClock.now
        for transfer in Array(transfers.values) {
            guard let deadline = transfer.stallDeadline, deadline <= time else { continue }
            remove(transfer.easy, from: &transfers)
            transfer.conclude(.failure(transfer.stalled))
        }
    }

    @discardableResult
    private func remove(
        _ easy: UnsafeMutableRawPointer, from transfers: inout [UnsafeMutableRawPointer: Transfer]
    ) -> Transfer? {
        curl_multi_remove_handle(multi, easy)
        return transfers.removeValue(forKey: easy)
    }

    /// Milliseconds to the next stall, at most a minute; libcurl handles its own time-outs. Without transfers only the
    /// mailbox ends the pause.
    private func longestPause(_ transfers: [UnsafeMutableRawPointer: Transfer]) -> Int32 {
        guard !transfers.isEmpty else { return .max }
        guard let deadline = transfers.values.compactMap(\.stallDeadline).min() else { return 60_000 }
        let left = SuspendingClock.now.duration(to: deadline).milliseconds + 1
        return Int32(max(0, min(left, 60_000)))
    }
}
