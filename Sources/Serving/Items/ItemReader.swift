import Foundation
import Model
import Store

/// Events of a page, as they are or as they were known.
struct ItemRows: Sendable {
    var events: [StoredEvent] = []
    /// Whether each earlier state is known exactly; empty for present states.
    fileprivate var exactness: [Bool] = []

    /// Whether the state of an event is known exactly; nil for a present one.
    func isExact(at index: Int) -> Bool? { exactness.isEmpty ? nil : exactness[index] }
}

/// Reads a page's events: it finds them in batches, from one key to the next, and reads the found ones a few at a time,
/// bounded by their bytes. Each find and each read is a transaction of its own.
struct ItemReader: Sendable {
    /// The most events of a batch: as many as one read transaction may find, and as a page of a form has whose head must
    /// tell the next page.
    static let batch = 1_000
    /// The most bytes of the texts of a batch of earlier states, which are read when they are found.
    private static let knownBytes = 1 << 20

    private let query: EventQuery
    private let order: ItemRequest.Order
    private let change: Int64?
    /// Whether the events say why they have no place.
    private var explains = false
    /// Whether a page is one batch, so that one cut short for its bytes ends the page.
    private var isOneBatch = false
    /// The place after which the next batch begins; nil before the first event.
    private(set) var cursor: ItemCursor?
    private var left: Int
    /// The most events that the first batch counts; nil: none is counted.
    private var counted: Int?
    /// The number of all matching events, after the first batch; nil where it is above `counted`, or not known.
    private(set) var matched: Int?
    /// Whether more events follow those that have been found.
    private(set) var hasMore = true
    /// The number of events that have been found.
    private(set) var found = 0
    /// The events that have been found and not read.
    private var waiting: ArraySlice<EventHandle> = []
    /// Earlier states that have been found and not given out.
    private var known: [EventVersion] = []

    /// - Parameter most: The most events that are counted; nil: none.
    init(_ request: ItemRequest, knownAt change: Int64?, countingTo most: Int? = nil) {
        self.init(
            request.query, in: request.order, after: request.cursor, atMost: request.limit, knownAt: change)
        counted = most
        explains = change == nil && request.tellsMissingPlaces
        isOneBatch = !request.form.tellsNextBehind
    }

    /// - Parameters:
    ///   - query: The conditions, with the order applied.
    ///   - cursor: The place after which the events begin; nil: the first.
    ///   - limit: The most events.
    ///   - change: The number of the last change that counts; nil: the present state.
    init(
        _ query: EventQuery, in order: ItemRequest.Order, after cursor: ItemCursor?, atMost limit: Int,
        knownAt change: Int64? = nil
    ) {
        self.query = query
        self.order = order
        self.cursor = cursor
        left = limit
        self.change = change
    }

    /// Reads the matching events, newest first, at most `limit`.
    init(_ query: EventQuery, limit: Int) {
        self.init(query, in: .newestFirst, after: nil, atMost: limit)
    }

    /// Whether all events of the page have been found.
    var hasFoundAll: Bool { left <= 0 || !hasMore }

    /// Whether all events of the page have been read.
    var isDone: Bool { hasFoundAll && waiting.isEmpty && known.isEmpty }

    /// The next events; those that have gone since they were found, and those that their providers have erased, are left
    /// out.
    mutating func next(from store: EventStore) throws -> ItemRows {
        try find(from: store)
        guard change == nil else {
            defer { known = [] }
            return ItemRows(events: known.map { $0.stored }, exactness: known.map { $0.isExact })
        }
        var (events, read) = try store.events(of: waiting, atMost: PieceSize.textBytes)
        waiting = waiting.dropFirst(read)
        events.removeAll { $0.isErased || query.withdrawn == .exclude && $0.withdrawal != nil }
        return ItemRows(events: explains ? try store.explainingMissingPlaces(of: events) : events)
    }

    /// Ends the page behind an event that has been read, where others follow.
    mutating func endPage(after event: StoredEvent, from store: EventStore) throws {
        cursor = try ItemCursor(event, byMagnitude: order.isByMagnitude, from: store)
        (waiting, known, left, hasMore) = ([], [], 0, true)
    }

    // MARK: - Finding

    /// Finds the next batch, unless events that were found are still to be read.
    mutating func find(from store: EventStore) throws {
        guard waiting.isEmpty, known.isEmpty, !hasFoundAll else { return }
        let wanted = min(Self.batch, left)
        // One more tells whether there is another page.
        if change == nil {
            waiting = try findPresent(wanted + 1, from: store)[...]
            hasMore = waiting.count > wanted
            waiting = waiting.prefix(wanted)
            if hasMore, let last = waiting.last, let place = try store.place(of: last) {
                cursor = ItemCursor(key: place.key, magnitude: order.isByMagnitude ? place.magnitude : nil)
            }
            found += waiting.count
            left -= waiting.count
        } else {
            let isCut: Bool
            (known, isCut) = try findKnown(wanted + 1, from: store)
            hasMore = isCut || known.count > wanted
            known.removeLast(max(0, known.count - wanted))
            if hasMore, let last = known.last?.stored {
                cursor = try ItemCursor(last, byMagnitude: order.isByMagnitude, from: store)
            }
            found += known.count
            left = isCut && isOneBatch ? 0 : left - known.count
        }
    }

    private mutating func findPresent(_ count: Int, from store: EventStore) throws -> [EventHandle] {
        guard let counted, cursor == nil else {
            return try inOrder(count) { try store.handles(of: $0, withErased: false).handles }
        }
        var query = query
        query.limit = count
        do throws(StoreError) {
            let batch = try store.withHalfBudget { store throws(StoreError) in
                try store.handles(of: query, withErased: false, countingTo: counted)
            }
            matched = batch.matched
            return batch.handles
        } catch {
            guard error.code == .tooCostly else { throw error }
            return try store.handles(of: query, withErased: false).handles
        }
    }

    private func findKnown(_ count: Int, from store: EventStore) throws -> ([EventVersion], isCut: Bool) {
        var isCut = false
        let known = try inOrder(count) { query -> [EventVersion] in
            guard let change, !isCut else { return [] }
            let batch = try store.events(query, knownAt: change, atMost: Self.knownBytes)
            isCut = batch.isCut
            return batch.events
        }
        return (known, isCut)
    }

    /// What comes behind the cursor, at most `count`.
    /// - Parameter find: Finds what a query selects, in its order.
    private func inOrder<Found>(_ count: Int, _ find: (EventQuery) throws -> [Found]) rethrows -> [Found] {
        var query = query
        query.limit = count
        guard let cursor else { return try find(query) }
        switch order {
        case .newestFirst:
            query.olderThan = cursor.key
            return try find(query)
        case .oldestFirst:
            query.newerThan = cursor.key
            return try find(query)
        case .largestFirst, .smallestFirst:
            guard let magnitude = cursor.magnitude else { return [] }
            // Those of the same magnitude are ordered by time; then come the others.
            var same = query
            (same.minimumMagnitude, same.maximumMagnitude) = (magnitude, magnitude)
            if order == .largestFirst {
                same.order = .newestFirst
                same.olderThan = cursor.key
                query.maximumMagnitude = min(query.maximumMagnitude ?? magnitude.nextDown, magnitude.nextDown)
            } else {
                same.order = .oldestFirst
                same.newerThan = cursor.key
                query.minimumMagnitude = max(query.minimumMagnitude ?? magnitude.nextUp, magnitude.nextUp)
            }
            let first = try find(same)
            guard first.count < count else { return first }
            query.limit = count - first.count
            return first + (try find(query))
        }
    }
}
