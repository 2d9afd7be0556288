public import Foundation
import Model
public import Store

/// What to do next for a client of `/stream`.
public enum StreamStep: Sendable, Hashable {
    /// Write these bytes, never none, and call `next` again when the socket has taken them.
    case bytes([UInt8])
    /// Nothing to send; call `next` again after a commit, and after 15 s at the latest.
    case wait
    /// Write these bytes, perhaps none, and close the socket.
    case close([UInt8])
}

/// The state of one client of `/stream`: a cursor, not a queue.
///
/// It reads the log as its socket takes the bytes, at most 16 KiB at a time or one longer change. So a slow client costs
/// no memory and holds no transaction. It reads on from where it was, unless what it missed is no longer kept. Then it is
/// told `gap` and closed. Whoever owns the socket closes one that takes no bytes; its client resumes by the last id.
public struct StreamClient: Sendable {
    /// The time without a message after which a heartbeat is sent: 15 s.
    public static let heartbeat: TimeInterval = 15
    /// The bytes of one step, unless one change is longer.
    static let stepBytes = 16_384
    /// The pages looked through in one step.
    static let pagesPerStep = 4

    /// The number of the last change told or passed over; before the first step that of the client's request, or 0.
    public private(set) var cursor: Int64
    /// Whether the last step has told all changes that the log then had, so that the next one would be `wait`.
    public private(set) var isAtEnd = false
    private let program: String
    private let filter: StreamFilter
    private let start: Int64?
    private var hasBegun = false
    private var hasEnded = false
    /// The last id sent.
    private var marked: Int64 = 0
    private var lastSent: Date

    /// Creates a client at its request.
    /// - Parameters:
    ///   - program: The version for the stream's first line.
    ///   - query: The filter; keys, order and limit are ignored.
    ///   - cursor: The last change that the client knows; nil: it wants only what comes from now on.
    public init(program: String, query: EventQuery, after cursor: Int64?, now: Date) {
        self.program = program
        filter = StreamFilter(query)
        start = cursor
        self.cursor = cursor ?? 0
        lastSent = now
    }

    /// Whether it catches up: more changes than a page follow the last one told.
    /// - Parameter newest: The number of the newest change.
    public func lags(behind newest: Int64) -> Bool {
        hasBegun && !hasEnded && newest - cursor > Int64(ChangeHub.pageLength)
    }

    /// The next step. Blocks on the store, unless the hub knows that nothing has come.
    /// - Parameter now: The time of the call, which says that the socket has taken all bytes of the last step.
    /// - Throws: `StoreError`; the client is as before, and `next` may be called again.
    public mutating func next(from store: EventStore, hub: ChangeHub, now: Date) throws -> StreamStep {
        var reading = ChangeReading(hub, from: store)
        return try next(&reading, now: now)
    }

    /// The next step, as `next(from:hub:now:)`, with the look that many clients share.
    public mutating func next(_ reading: inout ChangeReading, now: Date) throws -> StreamStep {
        guard !hasEnded else { return .close([]) }
        guard hasBegun else { return try begin(from: reading.store, now) }
        var pages = 0
        isAtEnd = false
        while pages < Self.pagesPerStep, !reading.hub.isAtEnd(cursor) {
            let page = try reading.page(after: cursor)
            if page.isTooOld { return end((page.oldest, page.newest)) }
            if page.changes.isEmpty { break }
            pages += 1
            let (bytes, isCostly) = try take(page.changes, reading.store)
            isAtEnd = cursor == page.newest
            if !bytes.isEmpty { return send(bytes, now) }
            if isCostly { return send(mark(), now) }
        }
        // The client resumes behind changes that do not concern it.
        if pages == Self.pagesPerStep { return send(mark(), now) }
        // The clock may have been set back.
        guard abs(now.timeIntervalSince(lastSent)) >= Self.heartbeat else { return .wait }
        return send((marked == cursor ? [] : mark()) + Array(": beat\n\n".utf8), now)
    }

    /// Moves the cursor over changes and returns the messages for the client.
    /// - Returns: Also whether it has stopped because half of the budget is spent; one change is passed in any case.
    private mutating func take(
        _ changes: ArraySlice<SharedChange>, _ store: EventStore
    ) throws(StoreError) -> (bytes: [UInt8], isCostly: Bool) {
        var bytes: [UInt8] = []
        for change in changes {
            try store.checkBudget()
            if let message = change.message(to: filter.matcher) {
                // A single message is not copied.
                if bytes.isEmpty {
                    bytes = message
                } else if bytes.count + message.count <= Self.stepBytes {
                    bytes += message
                } else {
                    break
                }
                marked = change.sequence
            }
            cursor = change.sequence
            if store.isHalfSpent { return (bytes, true) }
        }
        return (bytes, false)
    }

    private mutating func begin(from store: EventStore, _ now: Date) throws -> StreamStep {
        let kept = try ChangeFeed(of: store).kept()
        let from = start ?? kept.newest
        let head = "retry: 3000\n: visiventd \(program), oldest \(kept.oldest), newest \(kept.newest)\n"
        hasBegun = true
        guard from >= kept.oldest - 1, from <= kept.newest else { return end(kept, after: Array("\(head)\n".utf8)) }
        cursor = from
        return send(Array(head.utf8) + mark(), now)
    }

    private mutating func mark() -> [UInt8] {
        marked = cursor
        return StreamMessage.mark(id: cursor)
    }

    private mutating func send(_ bytes: [UInt8], _ now: Date) -> StreamStep {
        lastSent = now
        return .bytes(bytes)
    }

    private mutating func end(_ kept: (oldest: Int64, newest: Int64), after head: [UInt8] = []) -> StreamStep {
        hasEnded = true
        return .close(head + StreamMessage.gap(oldest: kept.oldest, newest: kept.newest))
    }
}

/// The filter of a client, which is long: one for all copies of the client on its way through tasks.
private final class StreamFilter: Sendable {
    let matcher: EventMatcher

    init(_ query: EventQuery) { matcher = EventMatcher(query) }
}
