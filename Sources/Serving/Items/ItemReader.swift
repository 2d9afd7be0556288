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

    fileprivate mutating func removeLast() {
        events.removeLast()
        if !exactness.isEmpty { exactness.removeLast() }
    }

    fileprivate static func + (rows: ItemRows, others: ItemRows) -> ItemRows {
        ItemRows(events: rows.events + others.events, exactness: rows.exactness + others.exactness)
    }
}

/// Reads a page's events in batches, each in a transaction of its own, from one key to the next.
struct ItemReader: Sendable {
    private let query: EventQuery
    private let order: ItemRequest.Order
    private let change: Int64?
    /// Whether the events say why they have no place.
    private var explains = false
    /// The place after which the next batch begins; nil before the first event.
    private(set) var cursor: ItemCursor?
    private var left: Int
    /// The most events that the first batch counts; nil: none is counted.
    private var counted: Int?
    /// The number of all matching events, after the first batch; nil where it is above `counted`, or not known.
    private(set) var matched: Int?
    /// Whether more events follow, once the last batch is read.
    private(set) var hasMore = true

    /// - Parameter most: The most events that are counted; nil: none.
    init(_ request: ItemRequest, knownAt change: Int64?, countingTo most: Int? = nil) {
        self.init(
            request.query, in: request.order, after: request.cursor, atMost: request.limit, knownAt: change)
        counted = most
        explains = change == nil && request.tellsMissingPlaces
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

    /// Whether all events of the page have been read.
    var isDone: Bool { left <= 0 || !hasMore }

    /// The next events, at most `count`; those that their providers have erased are left out.
    mutating func next(atMost count: Int, from store: EventStore) throws -> ItemRows {
        let wanted = min(count, left)
        guard wanted > 0, hasMore else { return ItemRows() }
        // One more tells whether there is another page.
        var rows = try read(wanted + 1, from: store)
        hasMore = rows.events.count > wanted
        if hasMore { rows.removeLast() }
        if hasMore, let last = rows.events.last {
            cursor = try ItemCursor(last, byMagnitude: order.isByMagnitude, from: store)
        }
        left -= rows.events.count
        if explains { rows.events = try store.explainingMissingPlaces(of: rows.events) }
        return rows
    }

    private mutating func read(_ count: Int, from store: EventStore) throws -> ItemRows {
        var query = query
        query.limit = count
        guard let cursor else { return try readFirst(query, from: store) }
        switch order {
        case .newestFirst:
            query.olderThan = cursor.key
            return try read(query, from: store)
        case .oldestFirst:
            query.newerThan = cursor.key
            return try read(query, from: store)
        case .largestFirst, .smallestFirst:
            guard let magnitude = cursor.magnitude else { return ItemRows() }
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
            let rows = try read(same, from: store)
            guard rows.events.count < count else { return rows }
            query.limit = count - rows.events.count
            return rows + (try read(query, from: store))
        }
    }

    private mutating func readFirst(_ query: EventQuery, from store: EventStore) throws -> ItemRows {
        guard let counted, change == nil else { return try read(query, from: store) }
        do throws(StoreError) {
            let page = try store.page(query, withErased: false, countingTo: counted)
            matched = page.matched
            return ItemRows(events: page.events)
        } catch {
            guard error.code == .tooCostly else { throw error }
            return try read(query, from: store)
        }
    }

    private func read(_ query: EventQuery, from store: EventStore) throws -> ItemRows {
        guard let change else { return ItemRows(events: try store.events(query, withErased: false)) }
        let known = try store.events(query, knownAt: change)
        return ItemRows(events: known.map { $0.stored }, exactness: known.map { $0.isExact })
    }
}
