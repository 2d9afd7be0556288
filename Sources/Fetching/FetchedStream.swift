import Dispatch
public import Foundation
public import Model
import Synchronization

/// The body of an answer that is held open, as it arrives: a bounded queue between one writer and one reader, which may
/// be on different threads.
///
/// When the queue is full (256 KiB by default), the writer pauses until there is room, so that a slow reader slows down
/// the server. The reader must call `close`: a paused transfer has no time limit and would never end.
public final class FetchedStream: Sendable {
    /// The result of `put`.
    public enum Taking: Sendable {
        /// The bytes are in the queue, or the waiting reader has them.
        case taken
        /// There is no room; the bytes must be put again after `whenRoom`.
        case full
        /// The reader has closed the stream, or `finish` has ended it; the bytes are dropped.
        case closed
    }

    private typealias Reader = @Sendable (Result<Data?, Failure>) -> Void

    private struct State: Sendable {
        var bytes = Data()
        var isWoken = false
        /// Whether the writer was told to pause.
        var isHeld = false
        var isClosed = false
        var end: Result<Data?, Failure>?
        var reader: Reader?
    }

    /// The URL of the request that is answered, after any redirects of a download.
    public let url: String
    /// Response headers, in the form of `FetchedBody.headers`.
    public let headers: [String: String]
    /// The server's clock at the head of the answer: Date plus Age; nil if there is no readable date.
    public let serverDate: Date?
    /// Size of the whole body in bytes as sent, by Content-Length; nil if the server announced none that is a number.
    public var totalBytes: Int64? { headers["content-length"].flatMap { Int64($0) } }

    private let capacity: Int
    private let whenRoom: @Sendable () -> Void
    private let whenClosed: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates an empty stream. The callbacks run on the thread that reads or closes, and may call the stream.
    /// - Parameters:
    ///   - capacity: Bytes in the queue from which on `put` returns `full`; default 256 KiB. The last may exceed it.
    ///   - whenRoom: Called each time there is room again after `full`; default: nothing.
    ///   - whenClosed: Called once, when `close` is called or the reading task is cancelled; default: nothing.
    public init(
        url: String, headers: [String: String] = [:], serverDate: Date? = nil, capacity: Int = 256 << 10,
        whenRoom: @escaping @Sendable () -> Void = {}, whenClosed: @escaping @Sendable () -> Void = {}
    ) {
        self.url = url
        self.headers = headers
        self.serverDate = serverDate
        self.capacity = capacity
        self.whenRoom = whenRoom
        self.whenClosed = whenClosed
    }

    // MARK: Writing

    /// Appends bytes to the queue, or passes them to the waiting reader. It never blocks.
    public func put(_ bytes: Data) -> Taking {
        let (taking, reader) = state.withLock { state -> (Taking, Reader?) in
            guard !state.isClosed, state.end == nil else { return (.closed, nil) }
            if let reader = state.reader.take() { return (.taken, reader) }
            guard state.bytes.count < capacity else {
                state.isHeld = true
                return (.full, nil)
            }
            state.bytes.append(bytes)
            return (.taken, nil)
        }
        reader?(.success(bytes))
        return taking
    }

    /// Ends the stream: with a failure, or (nil, the default) because the server has ended its answer. The reader first
    /// gets the bytes in the queue. Only the first call counts.
    public func finish(_ failure: Failure? = nil) {
        let end: Result<Data?, Failure> = if let failure { .failure(failure) } else { .success(nil) }
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            state.end = end
            return state.reader.take()
        }
        reader?(end)
    }

    // MARK: Reading

    /// Waits for bytes and returns all that have come since the last call. It returns no bytes after `wake`, and nil at
    /// the end, after `close` and when the task is cancelled; bytes that have come are returned first.
    ///
    /// Only one reader may wait at a time.
    /// - Throws: `Failure` if the answer breaks off (such as `cut_short`, `reset`), nothing arrives for too long
    ///   (`stalled`) or the fetcher is shut down (`shut_down`); again at every later call until `close`.
    public func next() async throws(Failure) -> Data? {
        let result: Result<Data?, Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Data?, Failure>, Never>) in
                give { continuation.resume(returning: $0) }
            }
        } onCancel: {
            close()
        }
        return try result.get()
    }

    /// As `next`, with the same errors, but it blocks the calling thread and needs no thread of the cooperative pool.
    /// Only `wake` and `close` of another thread end it early, not a cancelled task.
    public func blockingNext() throws(Failure) -> Data? {
        // Written before the signal and read after it.
        nonisolated(unsafe) var result: Result<Data?, Failure> = .success(nil)
        let isThere = DispatchSemaphore(value: 0)
        give {
            result = $0
            isThere.signal()
        }
        isThere.wait()
        return try result.get()
    }

    /// Calls `reader` with the result of `next`, at once or later.
    private func give(_ reader: @escaping Reader) {
        let (ready, hasRoom) = state.withLock { state -> (Result<Data?, Failure>?, Bool) in
            if !state.bytes.isEmpty {
                let hadToHold = state.isHeld
                state.isHeld = false
                defer { state.bytes = Data() }
                return (.success(state.bytes), hadToHold)
            }
            if state.isClosed { return (.success(nil), false) }
            if let end = state.end { return (end, false) }
            if state.isWoken {
                state.isWoken = false
                return (.success(Data()), false)
            }
            state.reader = reader
            return (nil, false)
        }
        if hasRoom { whenRoom() }
        if let ready { reader(ready) }
    }

    /// Why the answer broke off, even before all bytes are read; nil while it has not, and after an end without error.
    public var failure: Failure? {
        guard case .failure(let failure)? = state.withLock({ $0.end }) else { return nil }
        return failure
    }

    /// Makes `next` return without bytes: now, or once at a later call that would wait. From any thread.
    public func wake() {
        let reader = state.withLock { state -> Reader? in
            state.isWoken = state.reader == nil
            return state.reader.take()
        }
        reader?(.success(Data()))
    }

    /// Ends the transfer and the wait of `next`; from any thread, also repeatedly. Bytes that have come can still be
    /// read.
    public func close() {
        let (reader, isFirst) = state.withLock { state -> (Reader?, Bool) in
            defer { state.isClosed = true }
            return (state.reader.take(), !state.isClosed)
        }
        reader?(.success(nil))
        if isFirst { whenClosed() }
    }
}
