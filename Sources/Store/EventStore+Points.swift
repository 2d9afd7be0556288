public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Stores a list of places as points of interest in one durable transaction. Places that are not in the list stay.
    ///
    /// An unchanged place is not written, so seeding is idempotent. A stored place is found by its key, else by a
    /// present or former name within 33 km (5.5 km for unnamed places) if at most one of the two has a number. The one
    /// with a number, else the new one, determines name, position, country and details; picture, webcam and text come
    /// from the new list if it has them. So lists with and without numbers may be seeded in any order.
    ///
    /// - Parameters:
    ///   - points: The list. Of two places with one key, the second is ignored and counts as unchanged.
    ///   - now: Stored as the seeding time of places that are written.
    /// - Throws: `StoreError`; nothing is stored then.
    public func seed(_ points: [PointOfInterest], at now: Date) throws(StoreError) -> PointSeedResult {
        try transaction(isDurable: true) { writer in
            let rows = try PointRow.all(on: writer.connection)
            let matching = PointMatching(points, rows: rows)
            var result = PointSeedResult()
            for (index, point) in points.enumerated() {
                if matching.repeats.contains(index) {
                    result.unchanged += 1
                    continue
                }
                guard let own = matching.own[index] else {
                    let names = [point.foldedName]
                    try writer.connection.store(point, key: point.key, names: names, in: nil, at: now)
                    result.new += 1
                    continue
                }
                let row = rows[own]
                var next = row.point.updated(by: point)
                let second = matching.second[index].map { rows[$0] }
                if let second {
                    next.take(missingFrom: second.point)
                    try writer.connection.run("DELETE FROM point_of_interest WHERE id = ?", second.id)
                }
                let key = next.number == nil ? row.key : next.key
                let names = PointRow.names(next, former: row.names + (second?.names ?? []))
                if next == row.point, key == row.key, names == row.names, second == nil {
                    result.unchanged += 1
                } else {
                    try writer.connection.store(next, key: key, names: names, in: row.id, at: now)
                    result.changed += 1
                }
            }
            return result
        }
    }

    /// The matching points of interest: nearest first if the query has a centre, else by folded name. All by default.
    /// Reads the whole table; throws `StoreError`.
    public func pointsOfInterest(_ query: PointQuery = PointQuery()) throws(StoreError) -> [StoredPoint] {
        let rows = try read { try PointRow.all(on: $0) }
        var points: [StoredPoint] = []
        for row in rows where query.words.isEmpty || row.names.contains(where: query.matches) {
            let distance = query.near.map { $0.centre.distance(to: row.point.coordinate) }
            if let distance, let near = query.near, distance > near.kilometres { continue }
            points.append(
                StoredPoint(
                    key: row.key, point: row.point, formerNames: Array(row.names.dropFirst()), seeded: row.seeded,
                    kilometres: distance))
        }
        points.sort {
            ($0.kilometres ?? 0, $0.point.foldedName, $0.key) < ($1.kilometres ?? 0, $1.point.foldedName, $1.key)
        }
        return query.limit.map { Array(points.prefix(max(0, $0))) } ?? points
    }

    /// A name of the seeded places, which changes when a seeding changes one of them; nil: there are none. Throws
    /// `StoreError`.
    public func pointsGeneration() throws(StoreError) -> String? {
        try read { connection in
            let find = try connection.prepare("SELECT count(*), max(seeded_ms), max(id) FROM point_of_interest")
            guard try find.step(), find.int64(0) > 0 else { return nil }
            return "\(find.int64(0)).\(find.int64(1)).\(find.int64(2))"
        }
    }
}

/// A row of `point_of_interest`.
struct PointRow {
    var id: Int64
    var key: String
    /// The folded name, then those in lists seeded before: other spellings, and names given up since.
    var names: [String]
    var point: PointOfInterest
    var seeded: Date

    /// The folded name of a place, then its former names: ten at most.
    static func names(_ point: PointOfInterest, former: [String]) -> [String] {
        var names = [point.foldedName]
        for name in former where !names.contains(name) && names.count < 10 { names.append(name) }
        return names
    }

    /// All rows of known kinds.
    static func all(on connection: Connection) throws -> [PointRow] {
        let find = try connection.prepare(
            """
            SELECT id, key, seeded_ms, kind, number, name, folded_name, latitude, longitude, country, picture, webcam,
              text, details
            FROM point_of_interest ORDER BY id
            """)
        var rows: [PointRow] = []
        while try find.step() {
            guard let kind = PointOfInterest.Kind(rawValue: find.string(3)), let latitude = find.double(7),
                let longitude = find.double(8),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { continue }
            let names = find.string(6).split(separator: "|").map(String.init)
            let point = PointOfInterest(
                kind: kind, number: find.optionalInt64(4).map { Int($0) }, name: find.string(5),
                foldedName: names.first ?? "", coordinate: coordinate, country: find.text(9), picture: find.text(10),
                webcam: find.text(11), text: find.text(12), details: find.text(13) ?? "{}")
            let seeded = Date(milliseconds: find.int64(2))
            rows.append(PointRow(id: find.int64(0), key: find.string(1), names: names, point: point, seeded: seeded))
        }
        return rows
    }
}

extension Connection {
    /// Stores a place with its folded names in a row; nil: in a new one.
    fileprivate func store(
        _ point: PointOfInterest, key: String, names: [String], in row: Int64?, at now: Date
    ) throws {
        let columns = """
            (key, seeded_ms, kind, number, name, folded_name, latitude, longitude, country, picture, webcam, text, details)
            """
        let values = "(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        try run(
            row == nil
                ? "INSERT INTO point_of_interest \(columns) VALUES \(values)"
                : "UPDATE point_of_interest SET \(columns) = \(values) WHERE id = ?1",
            row, key, now.milliseconds, point.kind.rawValue, point.number, point.name, names.joined(separator: "|"),
            point.coordinate.latitude, point.coordinate.longitude, point.country, point.picture, point.webcam,
            point.text, point.details)
    }
}
