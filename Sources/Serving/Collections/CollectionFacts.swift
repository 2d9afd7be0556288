import Foundation
import Model
import Store
import Synchronization

/// Counts and extents of whole collections, kept for all requests.
final class CollectionFacts: Sendable {
    /// Extents of the collections as of a change.
    struct Extents: Sendable {
        /// Of events, by category.
        var categories: [CategoryExtent]
        /// Round all points of interest; nil if there are none.
        var points: BoundingBox?
        /// The last change when they were read.
        var change: ChangeMark
        /// When they were read.
        var at: Date

        /// What tells them from others, for an ETag.
        var generation: String { "\(change.text).\(at.milliseconds)" }
    }

    /// How long extents are kept: reading them costs a second for a million events.
    private static let extentAge: TimeInterval = 600

    private struct State {
        var extents: Extents?
        var counts: [String: (change: ChangeMark, count: Int)] = [:]
    }

    private let state = Mutex(State())
    /// Held by the one request that reads the extents.
    private let reading = Mutex(())

    /// The extents, at most ten minutes old, but older ones while another request reads them anew. They may be missing
    /// where reading them takes too long.
    func extents(from store: EventStore, now: Date) throws -> Extents {
        let kept = state.withLock { $0.extents }
        guard let kept else { return try reading.withLock { _ in try currentExtents(from: store, now: now) } }
        return try reading.withLockIfAvailable { _ in try currentExtents(from: store, now: now) } ?? kept
    }

    /// The kept extents or, if they are too old, new ones.
    private func currentExtents(from store: EventStore, now: Date) throws -> Extents {
        let kept = state.withLock { $0.extents }
        if let kept, (0..<Self.extentAge).contains(now.timeIntervalSince(kept.at)) { return kept }
        var extents = Extents(categories: kept?.categories ?? [], change: try store.lastMark(), at: now)
        if kept?.change != extents.change {
            do throws(StoreError) {
                extents.categories = try store.withHalfBudget { store throws(StoreError) in try store.extents() }
            } catch {
                guard error.code == .tooCostly || error.code == .interrupted else { throw error }
            }
        }
        extents.points = BoundingBox(
            round: try store.pointsOfInterest().compactMap { stored in
                let (x, y) = (stored.point.coordinate.longitude, stored.point.coordinate.latitude)
                return BoundingBox(west: x, south: y, east: x, north: y)
            })
        let made = extents
        state.withLock { $0.extents = made }
        return made
    }

    /// The number of events of a collection that are not withdrawn, counted once a change.
    func count(of collection: EventCollection, at change: ChangeMark, from store: EventStore) throws -> Int {
        if let kept = state.withLock({ $0.counts[collection.id] }), kept.change == change { return kept.count }
        let count = try store.count(ofCategories: collection.categories)
        state.withLock { $0.counts[collection.id] = (change, count) }
        return count
    }
}

extension CollectionFacts.Extents {
    /// The box of a collection; the whole Earth if nothing is known.
    func box(of collection: EventCollection) -> [Double] {
        let box = collection.holdsPoints ? points : BoundingBox(round: chosen(collection).compactMap(\.box))
        guard let box else { return [-180, -90, 180, 90] }
        return [box.west, box.south, box.east, box.north]
    }

    /// The first and last time of a collection; nil for both if nothing is known.
    func interval(of collection: EventCollection) -> (first: Date?, last: Date?) {
        let extents = chosen(collection)
        return (extents.map(\.first).min(), extents.map(\.last).max())
    }

    private func chosen(_ collection: EventCollection) -> [CategoryExtent] {
        guard !collection.holdsPoints else { return [] }
        return categories.filter { collection.categories.isEmpty || collection.categories.contains($0.category) }
    }
}
