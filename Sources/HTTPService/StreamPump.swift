import Foundation
import NIOCore
import Serving
import Store
import Synchronization

/// Feeds the clients of the stream in two lanes. Clients at the end of the log share one look into the database, and those
/// with nothing to send rest until a commit. Clients that catch up go one after the other, in turns by who they are, and
/// keep no other waiting.
final class StreamPump: Sendable {
    /// What a client's step gave, with the client after it.
    struct Stepped: Sendable {
        var client: StreamClient
        var step: StreamStep
    }

    /// One connection's place among the clients; its share is given back with the last reference.
    final class Place: Sendable {
        fileprivate let number: Int
        fileprivate let client: String
        private let streams: Shares
        private let budget = Mutex<ReadBudget?>(nil)
        private let isLeft = Atomic(false)

        fileprivate init(number: Int, client: String, streams: Shares) {
            self.number = number
            self.client = client
            self.streams = streams
        }

        deinit { streams.give(1, of: client) }

        /// Whether the client has closed its side.
        fileprivate var hasLeft: Bool { isLeft.load(ordering: .acquiring) }

        /// Sets the budget of the present round, which ends with the client.
        fileprivate func begin(_ round: ReadBudget) {
            budget.withLock { $0 = round }
            if hasLeft { round.cancel() }
        }

        fileprivate func leave() {
            isLeft.store(true, ordering: .releasing)
            budget.withLock { $0 }?.cancel()
        }
    }

    private struct Asking: Sendable {
        var client: StreamClient
        var place: Place
        var continuation: CheckedContinuation<Stepped, any Error>
    }

    private struct Resting {
        var continuation: CheckedContinuation<Void, Never>
        var alarm: Scheduled<Void>?
    }

    private struct State {
        /// Those at the end of the log, and those that catch up.
        var live: [Asking] = []
        var behind = FairQueue<Asking>()
        var (isWorkingLive, isWorkingBehind) = (false, false)
        var resting: [Int: Resting] = [:]
        var lastPlace = 0
        var commits = 0
        /// The newest change noticed; 0: none.
        var newest: Int64 = 0
        var isClosed = false
    }

    /// Clients of one look: a look holds a reader of the pool for no longer than their pages take.
    private static let mostAtOnce = 256

    private let state = Mutex(State())
    private let pool: ReaderPool
    private let hub: ChangeHub
    /// The pages of those that catch up: reading them keeps nobody waiting at the end of the log.
    private let oldPages = ChangeHub()
    private let now: @Sendable () -> Date

    init(pool: ReaderPool, hub: ChangeHub, now: @escaping @Sendable () -> Date) {
        self.pool = pool
        self.hub = hub
        self.now = now
    }

    /// Counts the commits noticed so far; `rest` returns at once when it has risen.
    var commits: Int { state.withLock { $0.commits } }

    /// Whether the streams are to end.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// A place for a new connection; nil: its client has as many as it may.
    func place(of client: String, on streams: Shares) -> Place? {
        guard streams.take(1, for: client) else { return nil }
        let number = state.withLock { state in
            state.lastPlace += 1
            return state.lastPlace
        }
        return Place(number: number, client: client, streams: streams)
    }

    /// Whether the client of this place has closed its side.
    func hasLeft(_ place: Place) -> Bool { place.hasLeft }

    /// The client of this place has closed its side.
    func leave(_ place: Place) {
        place.leave()
        wake(place.number)
    }

    /// A commit was noticed, with this as the newest change: all resting clients look.
    func noticeCommit(newest: Int64) {
        wakeAll { state in
            state.commits += 1
            state.newest = newest
        }
    }

    /// Ends all streams.
    func close() {
        wakeAll { $0.isClosed = true }
    }

    // MARK: - Steps

    /// The client's next step. Throws what the pool throws; each step has a budget of its own.
    func step(_ client: StreamClient, at place: Place) async throws -> Stepped {
        try await withCheckedThrowingContinuation { continuation in
            let asking = Asking(client: client, place: place, continuation: continuation)
            let (isBehind, isFirst) = state.withLock { state in
                if client.lags(behind: state.newest) {
                    state.behind.append(asking, of: place.client)
                    defer { state.isWorkingBehind = true }
                    return (true, !state.isWorkingBehind)
                }
                state.live.append(asking)
                defer { state.isWorkingLive = true }
                return (false, !state.isWorkingLive)
            }
            guard isFirst else { return }
            Task { if isBehind { await workBehind() } else { await workLive() } }
        }
    }

    /// Carries out the steps of those at the end of the log, many at a time, until none is asked for.
    private func workLive() async {
        while true {
            let batch = state.withLock { state -> [Asking] in
                let batch = Array(state.live.prefix(Self.mostAtOnce))
                state.live.removeFirst(batch.count)
                if batch.isEmpty { state.isWorkingLive = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            await carryOut(batch, with: hub, as: "streams") { _ in }
        }
    }

    /// Carries out the steps of those that catch up, one at a time, until none is asked for.
    private func workBehind() async {
        while true {
            let next = state.withLock { state -> Asking? in
                let next = state.behind.next()
                if next == nil { state.isWorkingBehind = false }
                return next?.element
            }
            guard let next else { return }
            // No commit is told to these pages.
            await carryOut([next], with: oldPages, as: "old pages") { try $0.begin() }
        }
    }

    private func carryOut(
        _ batch: [Asking], with hub: ChangeHub, as lane: String,
        begin: @escaping @Sendable (inout ChangeReading) throws -> Void
    ) async {
        let rounds = batch.map { asking in
            let round = pool.budget()
            asking.place.begin(round)
            return (client: asking.client, budget: round)
        }
        do {
            let results = try await StoreError.patiently { [pool, now] in
                try await pool.run(for: lane) { store in
                    var reading = ChangeReading(hub, from: store)
                    try begin(&reading)
                    return rounds.map { round in
                        Result<Stepped, any Error> {
                            try reading.withBudget(round.budget) { reading in
                                var client = round.client
                                let step = try client.next(&reading, now: now())
                                return Stepped(client: client, step: step)
                            }
                        }
                    }
                }
            }
            for (asking, result) in zip(batch, results) { asking.continuation.resume(with: result) }
        } catch {
            for asking in batch { asking.continuation.resume(throwing: error) }
        }
    }

    // MARK: - Rest

    /// Returns when a commit has been noticed since `commits` had this value, when the client has left, after `most`,
    /// or when the streams end.
    func rest(_ place: Place, since commits: Int, on loop: any EventLoop, atMost most: Duration) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustRest = state.withLock { state in
                guard !state.isClosed, state.commits == commits, !place.hasLeft else { return false }
                state.resting[place.number] = Resting(continuation: continuation)
                return true
            }
            guard mustRest else { return continuation.resume() }
            let number = place.number
            let alarm = loop.scheduleTask(in: TimeAmount(most)) { self.wake(number) }
            let isAwake = state.withLock { state in
                state.resting[number]?.alarm = alarm
                return state.resting[number] == nil
            }
            if isAwake { alarm.cancel() }
        }
    }

    private func wake(_ number: Int) {
        let resting = state.withLock { $0.resting.removeValue(forKey: number) }
        resting?.alarm?.cancel()
        resting?.continuation.resume()
    }

    private func wakeAll(_ change: (inout State) -> Void) {
        let all = state.withLock { state in
            change(&state)
            defer { state.resting = [:] }
            return Array(state.resting.values)
        }
        for resting in all {
            resting.alarm?.cancel()
            resting.continuation.resume()
        }
    }
}

extension StoreError {
    /// Reads for an answer that has begun: while too many requests or bytes wait, it tries again, for about two seconds.
    static func patiently<T: Sendable>(_ read: () async throws -> T) async throws -> T {
        for pause in [50, 100, 200, 400, 600, 800] {
            do {
                return try await read()
            } catch let error as StoreError where error.code == .busy {
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
        return try await read()
    }
}
