import CCurl
import Foundation
import Model
import Synchronization

/// The one thread that owns libcurl's multi handle; all transfers run on it, side by side.
///
/// Other threads leave word in a mailbox and wake it; nothing waits on the cooperative pool.
final class CurlThread: @unchecked Sendable {
    private struct Mailbox: Sendable {
        var starts: [Exchange] = []
        /// Exchanges that were answered elsewhere, whose transfers may go.
        var drops: [Exchange] = []
        /// Exchanges whose stream has room again.
        var resumptions: [Exchange] = []
        var isClosed = false
        /// Whether the thread has been woken and has not looked yet; what is added meanwhile need not wake it again.
        var isWoken = false
    }

    private let mailbox = Mutex(Mailbox())
    private let now: @Sendable () -> Date
    /// Used by the thread alone, but for wake-ups, which are allowed from anywhere; under the mailbox's lock they come
    /// before the handle goes.
    private let multi: UnsafeMutableRawPointer

    private static let isCurlReady = ccurl_start()

    /// Prepares the multi handle; `begin` starts the thread.
    init(now: @escaping @Sendable () -> Date) throws(Failure) {
        guard Self.isCurlReady, let multi = curl_multi_init() else { throw Failure.outOfMemory }
        self.now = now
        self.multi = multi
        // Connections kept open for the next poll of their host.
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    /// Starts the thread, which keeps this object until `close`.
    func begin() {
        let thread = Thread { self.run() }
        thread.name = "fetching"
        thread.start()
    }

    /// Starts a transfer for the exchange, which is answered in every case.
    func start(_ exchange: Exchange) {
        let isAccepted = post { $0.starts.append(exchange) }
        if !isAccepted { exchange.finish(.failure(.shutDown)) }
    }

    /// Ends the transfer of an exchange that has been answered.
    func drop(_ exchange: Exchange) {
        _ = post { $0.drops.append(exchange) }
    }

    /// Has the transfer of a stream go on after its sink was full.
    func resume(_ exchange: Exchange) {
        _ = post { $0.resumptions.append(exchange) }
    }

    /// Ends the thread; what is in flight fails.
    func close() {
        _ = post { $0.isClosed = true }
    }

    /// Changes the mailbox and wakes the thread; false when the mailbox is closed already.
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
                // Memory is short, and there is nothing to wait for; the pause keeps the thread from spinning.
                usleep(10_000)
            }
        }
        for easy in Array(transfers.keys) { remove(easy, from: &transfers)?.conclude(.failure(.shutDown)) }
        curl_multi_cleanup(multi)
    }

    /// Does what the mailbox says; false when it is closed.
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

    /// Milliseconds to the next stall, at most a minute; libcurl minds its own time-outs. Without transfers only the
    /// mailbox ends the pause.
    private func longestPause(_ transfers: [UnsafeMutableRawPointer: Transfer]) -> Int32 {
        guard !transfers.isEmpty else { return .max }
        guard let deadline = transfers.values.compactMap(\.stallDeadline).min() else { return 60_000 }
        let left = SuspendingClock.now.duration(to: deadline).milliseconds + 1
        return Int32(max(0, min(left, 60_000)))
    }
}
