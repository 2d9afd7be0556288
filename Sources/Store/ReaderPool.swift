import Dispatch
import Foundation
import Synchronization

/// Threads that read a database for a service: as many reads at a time as there are threads, and a bounded number that
/// wait.
///
/// The file is opened by the first read that finds it, and again when another file has taken its place.
public final class ReaderPool: Sendable {
    private let database: ReadDatabase
    private let queue: JobQueue

    /// Starts the threads. The file is not touched yet, and need not exist.
    /// - Parameters:
    ///   - path: The database.
    ///   - readers: The number of threads, 4 by default; at least 1, which is not checked.
    ///   - waiting: How many reads may wait for a thread, 64 by default.
    ///   - budget: How long one read transaction may take, 2 s by default.
    public init(path: String, readers: Int = 4, waiting: Int = 64, budget: Duration = .seconds(2)) {
        database = ReadDatabase(path: path, bounds: ReadBounds(readers: readers, budget: budget))
        queue = JobQueue(threads: readers, waiting: waiting)
    }

    deinit { close() }

    /// Whether a newer program has migrated the file since the pool was created. All further reads throw `newerSchema`,
    /// so the process should end and be started anew.
    public var hasSchemaMoved: Bool { database.bounds.hasSchemaMoved }

    /// The reads that are running or wait.
    package var load: Int { queue.load }

    /// Runs `body` on one of the threads, with a store that only reads.
    ///
    /// The budget holds for each read transaction of the store. SQLite notices its end within a step of the statement,
    /// so a single call of the full-text index may take longer.
    /// - Throws: The errors of `body`, and `StoreError`: `busy` if as many reads wait as may, `tooCostly` if the budget
    ///   is spent, `cannotOpen` while there is no file, `olderSchema` or `newerSchema` while it has another schema,
    ///   `closed` after `close`, and further errors of opening the file.
    public func run<T: Sendable>(_ body: @escaping @Sendable (EventStore) throws -> T) async throws -> T {
        let database = database
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            queue.add { refusal in
                continuation.resume(
                    with: Result<T, any Error> {
                        if let refusal { throw refusal }
                        return try body(database.store())
                    })
            }
        }
    }

    /// Refuses what waits and all further reads, and ends each thread after the read that it is at. A second call does
    /// nothing.
    public func close() { queue.close() }
}

// MARK: - Threads

/// Runs jobs on a fixed number of threads, first come, first served.
private final class JobQueue: Sendable {
    /// Does its work, or reports the error that keeps it from being done.
    typealias Job = @Sendable (_ refusal: StoreError?) -> Void

    private struct State: Sendable {
        var waiting: [Job] = []
        var running = 0
        var isClosed = false
    }

    private let threads: Int
    private let capacity: Int
    private let state = Mutex(State())
    /// Counts the jobs that wait; after closing, the threads.
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

    func add(_ job: @escaping Job) {
        let refusal = state.withLock { state -> StoreError? in
            guard !state.isClosed else { return Self.closed }
            guard state.waiting.count + state.running < capacity else {
                return StoreError(.busy, "Too many queries wait already; try again in a moment")
            }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job(refusal) } else { signal.signal() }
    }

    func close() {
        let left = state.withLock { state -> [Job]? in
            guard !state.isClosed else { return nil }
            defer { state.waiting = [] }
            state.isClosed = true
            return state.waiting
        }
        guard let left else { return }
        for job in left { job(Self.closed) }
        for _ in 0..<threads { signal.signal() }
    }

    private static let closed = StoreError(.closed, "The database has been closed")

    private func work() {
        while let job = next() {
            job(nil)
            state.withLock { $0.running -= 1 }
        }
    }

    /// Waits for a job; nil after closing.
    private func next() -> Job? {
        signal.wait()
        return state.withLock { state -> Job? in
            guard !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
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
