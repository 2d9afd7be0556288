import Dispatch
public import Foundation
public import Model
import Synchronization

/// The body of an answer that is held open, as it arrives: one side hands bytes in, the other takes them.
///
/// What waits to be taken is bounded: whoever hands in is told to hold on, and again when there is room, so a reader
/// that is slow slows the server down through the connection.
public final class FetchedStream: Sendable {
    /// What came of handing bytes in.
    public enum Taking: Sendable {
        /// They will be read.
        case taken
        /// There is no room; they are to be handed in again when there is.
        case full
        /// Nobody reads any more.
        case closed
    }

    private typealias Reader = @Sendable (Result<Data?, Failure>) -> Void

    private struct State: Sendable {
        var bytes = Data()
        var isWoken = false
        /// Whether somebody was told to hold on.
        var isHeld = false
        var isClosed = false
        var end: Result<Data?, Failure>?
        var reader: Reader?
    }

    /// The URL it comes from.
    public let url: String
    /// Response headers, names in lower case.
    public let headers: [String: String]
    /// The server's clock (Date header).
    public let serverDate: Date?
    /// Bytes of the whole body, where the server has announced them.
    public var totalBytes: Int64? { headers["content-length"].flatMap { Int64($0) } }

    private let capacity: Int
    private let whenRoom: @Sendable () -> Void
    private let whenClosed: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a stream with nothing in it.
    /// - Parameters:
    ///   - capacity: Bytes that may wait; what is handed in above that is the last. 256 KiB by default.
    ///   - whenRoom: Called when there is room again after `full`.
    ///   - whenClosed: Called once, when nobody reads any more.
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

    // MARK: For whoever hands in

    /// Hands bytes in.
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

    /// Says that nothing more comes: the server has ended its answer, or it has failed.
    public func finish(_ failure: Failure? = nil) {
        let end: Result<Data?, Failure> = if let failure { .failure(failure) } else { .success(nil) }
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            state.end = end
            return state.reader.take()
        }
        reader?(end)
    }

    // MARK: For whoever reads

    /// Waits for bytes: all that have come since the last call; none at all after `wake`; nil at the end, after `close`
    /// and when the task is cancelled, but not before what has come is read.
    ///
    /// One reader at a time.
    /// - Throws: `Failure` when the answer breaks off, or nothing comes for too long.
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

    /// The same, but it blocks the calling thread, and needs no other of the cooperative pool to go on.
    public func blockingNext() throws(Failure) -> Data? {
        // Written before the signal, read after it.
        nonisolated(unsafe) var result: Result<Data?, Failure> = .success(nil)
        let isThere = DispatchSemaphore(value: 0)
        give {
            result = $0
            isThere.signal()
        }
        isThere.wait()
        return try result.get()
    }

    /// Calls `reader` with what `next` returns, at once or when it comes.
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

    /// Why the answer has broken off, also where what has come is not read yet; nil as long as it has not.
    public var failure: Failure? {
        guard case .failure(let failure)? = state.withLock({ $0.end }) else { return nil }
        return failure
    }

    /// Has `next` return without bytes, now or when it is called next.
    public func wake() {
        let reader = state.withLock { state -> Reader? in
            state.isWoken = state.reader == nil
            return state.reader.take()
        }
        reader?(.success(Data()))
    }

    /// Wants nothing more; what has come can still be read.
    public func close() {
        let (reader, isFirst) = state.withLock { state -> (Reader?, Bool) in
            defer { state.isClosed = true }
            return (state.reader.take(), !state.isClosed)
        }
        reader?(.success(nil))
        if isFirst { whenClosed() }
    }
}
