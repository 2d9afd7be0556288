import Foundation
import NIOCore
import Serving
import Store
import Synchronization

/// Feeds the clients of the stream: steps of many clients share one look into the database, and clients with nothing to
/// send rest until a commit.
final class StreamPump: Sendable {
    /// What a client's step gave, with the client after it.
    struct Stepped: Sendable {
        var client: StreamClient
        var step: StreamStep
    }

    /// One connection's place among the resting clients.
    final class Place: Sendable {
        fileprivate let number: Int
        fileprivate let isLeft = Atomic(false)

        fileprivate init(number: Int) { self.number = number }
    }

    private struct Asking: Sendable {
        var client: StreamClient
        var continuation: CheckedContinuation<Stepped, any Error>
    }

    private struct Resting {
        var continuation: CheckedContinuation<Void, Never>
        var alarm: Scheduled<Void>?
    }

    private struct State {
        var asking: [Asking] = []
        var isWorking = false
        var resting: [Int: Resting] = [:]
        var lastPlace = 0
        var commits = 0
        var isClosed = false
    }

    /// Clients of one look: a look holds a reader of the pool for no longer than their pages take.
    private static let mostAtOnce = 256

    private let state = Mutex(State())
    private let pool: ReaderPool
    private let hub: ChangeHub
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

    /// A place for a new connection.
    func place() -> Place {
        Place(
            number: state.withLock { state in
                state.lastPlace += 1
                return state.lastPlace
            })
    }

    /// Whether the client of this place has closed its side.
    func hasLeft(_ place: Place) -> Bool { place.isLeft.load(ordering: .acquiring) }

    /// The client of this place has closed its side.
    func leave(_ place: Place) {
        place.isLeft.store(true, ordering: .releasing)
        wake(place.number)
    }

    /// A commit was noticed: all resting clients look.
    func noticeCommit() {
        wakeAll { $0.commits += 1 }
    }

    /// Ends all streams.
    func close() {
        wakeAll { $0.isClosed = true }
    }

    // MARK: - Steps

    /// The client's next step, together with those of others that ask meanwhile. Throws what the pool throws.
    func step(_ client: StreamClient) async throws -> Stepped {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.asking.append(Asking(client: client, continuation: continuation))
                defer { state.isWorking = true }
                return !state.isWorking
            }
            if isFirst { Task { await work() } }
        }
    }

    /// Carries out steps until none is asked for.
    private func work() async {
        while true {
            let batch = state.withLock { state -> [Asking] in
                let batch = Array(state.asking.prefix(Self.mostAtOnce))
                state.asking.removeFirst(batch.count)
                if batch.isEmpty { state.isWorking = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            let clients = batch.map { $0.client }
            do {
                let results = try await pool.runPatiently { [hub, now] store in
                    var reading = ChangeReading(hub, from: store)
                    return clients.map { client in
                        Result<Stepped, any Error> {
                            var client = client
                            let step = try client.next(&reading, now: now())
                            return Stepped(client: client, step: step)
                        }
                    }
                }
                for (asking, result) in zip(batch, results) { asking.continuation.resume(with: result) }
            } catch {
                for asking in batch { asking.continuation.resume(throwing: error) }
            }
        }
    }

    // MARK: - Rest

    /// Returns when a commit has been noticed since `commits` had this value, when the client has left, after `most`,
    /// or when the streams end.
    func rest(_ place: Place, since commits: Int, on loop: any EventLoop, atMost most: Duration) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustRest = state.withLock { state in
                guard !state.isClosed, state.commits == commits, !hasLeft(place) else { return false }
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

extension ReaderPool {
    /// Like `run`, but where too many requests wait, it tries again for about two seconds: for an answer that has begun.
    func runPatiently<T: Sendable>(_ body: @escaping @Sendable (EventStore) throws -> T) async throws -> T {
        for pause in [50, 100, 200, 400, 600, 800] {
            do {
                return try await run(body)
            } catch let error as StoreError where error.code == .busy {
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
        return try await run(body)
    }
}
