import Dispatch
import Foundation
import SQLite
import Synchronization

/// Threads that read a database for a service: as many reads at a time as there are threads, and a bounded number that
/// wait, in turns by client.
///
/// The file is opened by the first read that finds it, and again when another file has taken its place.
public final class ReaderPool: Sendable {
    private let database: ReadDatabase
    private let queue: JobQueue
    private let most: Duration
    private let cpuTime: (@Sendable () -> Duration)?

    /// Starts the threads. The file is not touched yet, and need not exist.
    /// - Parameters:
    ///   - path: The database.
    ///   - readers: The number of threads, 4 by default; at least 1, which is not checked.
    ///   - waiting: How many reads may wait for a thread, 64 by default.
    ///   - budget: The CPU time of a request, 2 s by default.
    ///   - cpuTime: Returns the CPU time of the calling thread; nil, the default: that of the system.
    public init(
        path: String, readers: Int = 4, waiting: Int = 64, budget: Duration = .seconds(2),
        cpuTime: (@Sendable () -> Duration)? = nil
    ) {
        database = ReadDatabase(path: path, bounds: ReadBounds(readers: readers))
        queue = JobQueue(threads: readers, waiting: waiting)
        most = budget
        self.cpuTime = cpuTime
    }

    deinit { close() }

    /// Whether a newer program has migrated the file since the pool was created. All further reads throw `newerSchema`,
    /// so the process should end and be started anew.
    public var hasSchemaMoved: Bool { database.bounds.hasSchemaMoved }

    /// The reads that are running or wait.
    package var load: Int { queue.load }

    /// A new budget, for one request.
    public func budget() -> ReadBudget { ReadBudget(most, clock: cpuTime) }

    /// Runs `body` on one of the threads, with a store that only reads.
    ///
    /// Waiting clients have their turns one after the other. One client alone never takes the last thread while it has
    /// another. Where as many wait as may, the last of the client with most of them makes room for one with fewer.
    /// SQLite notices the end of the budget within a step of the statement, so a single call of the full-text index may
    /// take longer.
    /// - Parameters:
    ///   - client: Who asks.
    ///   - budget: That of the request; nil, the default: a new one. After its cancellation the call returns at once, and
    ///     `body` ends at the next look.
    /// - Throws: The errors of `body`, and `StoreError`: `busy` if as many reads wait as may, `tooCostly` if the budget
    ///   is spent, `interrupted` if it is cancelled, `cannotOpen` while there is no file, `olderSchema` or `newerSchema`
    ///   while it has another schema, `closed` after `close`, and further errors of opening the file.
    public func run<T: Sendable>(
        for client: String = "", within budget: ReadBudget? = nil,
        _ body: @escaping @Sendable (EventStore) throws -> T
    ) async throws -> T {
        let (database, queue, budget) = (database, queue, budget ?? self.budget())
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let asking = Asking(continuation)
            let number = queue.add(of: client) { refusal in
                asking.answer(
                    Result<T, any Error> {
                        if let refusal { throw refusal }
                        return try budget.spending { try body(database.store().within(budget)) }
                    })
            }
            budget.whenCancelled {
                queue.remove(number, of: client)
                asking.answer(.failure(budget.overrun))
            }
        }
    }

    /// Refuses what waits and all further reads, and ends each thread after the read that it is at. A second call does
    /// nothing.
    public func close() { queue.close() }
}

/// A caller that waits for one answer; later ones are dropped.
private final class Asking<T: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<T, any Error>?>

    init(_ continuation: CheckedContinuation<T, any Error>) { self.continuation = Mutex(continuation) }

    func answer(_ result: Result<T, any Error>) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: result)
    }
}

// MARK: - Threads

/// Runs jobs on a fixed number of threads, in turns by client.
private final class JobQueue: Sendable {
    /// Does its work, or reports the error that keeps it from being done.
    typealias Work = @Sendable (_ refusal: StoreError?) -> Void

    private struct Job: Sendable {
        var number: Int
        var work: Work
    }

    private struct State: Sendable {
        var waiting = FairQueue<Job>()
        var running = 0
        /// The running jobs by client.
        var runningOf: [String: Int] = [:]
        /// Threads that wait for the signal.
        var idle = 0
        var last = 0
        var isClosed = false
    }

    private let threads: Int
    private let capacity: Int
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    init(threads: Int, waiting: Int) {
        self.threads = threads
        capacity = threads + waiting
        for _ in 0..<threads {
            let thread = Thread { [self] in work() }
            thread.name = "reading"
            thread.start()
        }
    }

    var load: Int { state.withLock { $0.waiting.count + $0.running } }

    /// Adds a job, or refuses it or another one.
    /// - Returns: Its number.
    func add(of client: String, _ work: @escaping Work) -> Int {
        let busy = StoreError(.busy, "Too many queries wait already; try again in a moment")
        let (number, refused, mustWake) = state.withLock { state -> (Int, (Work, StoreError)?, Bool) in
            state.last += 1
            let number = state.last
            guard !state.isClosed else { return (number, (work, Self.closed), false) }
            var refused: (Work, StoreError)?
            if state.waiting.count + state.running >= capacity {
                guard let other = state.waiting.makeRoom(for: client) else { return (number, (work, busy), false) }
                refused = (other.work, busy)
            }
            state.waiting.append(Job(number: number, work: work), of: client)
            let mustWake = state.idle > 0
            if mustWake { state.idle -= 1 }
            return (number, refused, mustWake)
        }
        if let (work, refusal) = refused { work(refusal) }
        if mustWake { signal.signal() }
        return number
    }

    /// Takes a job away if it waits.
    func remove(_ number: Int, of client: String) {
        state.withLock { $0.waiting.removeAll(of: client) { $0.number == number } }
    }

    func close() {
        let left = state.withLock { state -> [Job]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.waiting.removeAll()
        }
        guard let left else { return }
        for job in left { job.work(Self.closed) }
        for _ in 0..<threads { signal.signal() }
    }

    private static let closed = StoreError(.closed, "The database has been closed")

    private func work() {
        while let (client, job) = next() {
            job.work(nil)
            state.withLock { state in
                state.running -= 1
                let left = (state.runningOf[client] ?? 1) - 1
                state.runningOf[client] = left > 0 ? left : nil
            }
        }
    }

    /// Waits for a job; nil after closing.
    private func next() -> (client: String, job: Job)? {
        while true {
            let (found, isClosed) = state.withLock { state -> ((String, Job)?, Bool) in
                guard !state.isClosed else { return (nil, true) }
                let isLastThread = state.running + 1 >= threads
                let running = state.runningOf
                guard let (client, job) = state.waiting.next(where: { !isLastThread || running[$0] == nil }) else {
                    state.idle += 1
                    return (nil, false)
                }
                state.running += 1
                state.runningOf[client, default: 0] += 1
                return ((client, job), false)
            }
            if let found { return found }
            if isClosed { return nil }
            signal.wait()
        }
    }
}

// MARK: - The file

/// The open database, for all threads.
private final class ReadDatabase: Sendable {
    private struct State: Sendable {
        var store: EventStore?
        /// The files just before the store was opened.
        var files: DatabaseFiles?
        /// Whether an earlier look found a file that is not too new, or none.
        var hasSeenOther = false
    }

    let bounds: ReadBounds
    private let path: String
    private let state = Mutex(State())

    init(path: String, bounds: ReadBounds) {
        self.path = path
        self.bounds = bounds
    }

    /// The store of the file that is at the path now; blocks while another thread opens it.
    func store() throws -> EventStore {
        try state.withLock { state -> EventStore in
            if let store = state.store, state.files?.areStill(at: path) == true { return store }
            let files = DatabaseFiles(path)
            // It closes when the last thread is done with it.
            state.store = nil
            do throws(StoreError) {
                let store = try EventStore(
                    path: path, mode: .readOnly, version: Migrations.newest, bounds: bounds)
                (state.store, state.files, state.hasSeenOther) = (store, files, true)
                return store
            } catch {
                // A program that has found a newer file from the start is too old; starting it again does not help.
                if case .newerSchema = error.code {
                    if state.hasSeenOther { bounds.noteMove() }
                } else {
                    state.hasSeenOther = true
                }
                throw error
            }
        }
    }
}
