public import Foundation
import Model
import SQLite

extension EventStore {
    /// The numbers of matching events by time and category, of the newest bins that have events. Ignores the query's
    /// order and limit.
    ///
    /// The events are found as by `events`. A query without a condition that an index finds reads all events, about a
    /// second a million.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - width: The length of a bin, 1 ms or more.
    ///   - origin: A time at which a bin begins; nil: 1970-01-01T00:00:00Z.
    ///   - limit: The most bins, 1 or more.
    /// - Returns: The bins, oldest first, and whether older ones are left out. With more than ten categories a bin,
    ///   fewer bins than the limit may come.
    /// - Throws: `StoreError` as `events`.
    public func histogram(
        _ query: EventQuery, width: Duration, origin: Date? = nil, limit: Int
    ) throws(StoreError) -> (bins: [TimeBin], isCut: Bool) {
        let (width, origin) = (max(1, width.milliseconds), origin?.milliseconds ?? 0)
        let mostRows = limit * 10
        return try read { connection -> (bins: [TimeBin], isCut: Bool) in
            try Self.check(query, connection)
            let find = try query.histogramSQL(width: width, origin: origin, rows: mostRows + 1).prepare(on: connection)
            var bins: [TimeBin] = []
            var rows = 0
            var isCut = false
            while !isCut, try find.step() {
                rows += 1
                let start = Date(milliseconds: find.int64(0) * width + origin)
                if bins.last?.start != start {
                    isCut = bins.count == limit || rows > mostRows
                    if !isCut { bins.append(TimeBin(start: start, events: [:])) }
                } else if rows > mostRows {
                    // The oldest bin is not whole.
                    bins.removeLast()
                    isCut = true
                }
                if !isCut {
                    bins[bins.count - 1].events[Model.Category(rawValue: find.string(1))] = Int(find.int64(2))
                }
            }
            return (bins.reversed(), isCut)
        }
    }

    /// The places of the matching events that have a coordinate, the one with most events first, equal ones by their
    /// newest event. Ignores the query's order and limit.
    ///
    /// Events whose place is known by its id count there, others in squares of their coordinates. The events are found
    /// as by `events`; a query without a condition that an index finds reads all, up to three seconds a million.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - cell: The side of a square in degrees, above 0.
    ///   - limit: The most places; below 1: none.
    /// - Throws: `StoreError` as `events`.
    public func hotspots(_ query: EventQuery, cell: Double, limit: Int) throws(StoreError) -> [Hotspot] {
        try read { connection in
            try Self.check(query, connection)
            let find = try query.hotspotsSQL(cell: cell, limit: max(0, limit)).prepare(on: connection)
            var hotspots: [Hotspot] = []
            while try find.step() {
                var (longitude, latitude) = (find.double(6) ?? 0, find.double(7) ?? 0)
                if let column = find.optionalInt64(1), let row = find.optionalInt64(2) {
                    longitude = Self.middle(column, of: cell, from: -180)
                    latitude = Self.middle(row, of: cell, from: -90)
                }
                guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { continue }
                let counts = StoredJSON.decoded([String: Int].self, from: find.text(8)) ?? [:]
                hotspots.append(
                    Hotspot(
                        placeID: find.text(0), name: find.text(5), coordinate: coordinate,
                        events: Dictionary(
                            counts.map { (Model.Category(rawValue: $0.key), $0.value) }, uniquingKeysWith: +),
                        latest: Date(milliseconds: find.int64(4))))
            }
            return hotspots
        }
    }

    /// The middle of a square's side, without the rounding errors of the division; the last one ends at the edge of the
    /// map.
    private static func middle(_ index: Int64, of cell: Double, from edge: Double) -> Double {
        let begin = edge + Double(index) * cell
        let middle = (begin + min(begin + cell, -edge)) / 2
        return (middle * 1_000_000).rounded() / 1_000_000
    }
}
