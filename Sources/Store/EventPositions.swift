import Model
import SQLite

/// The R*Tree `event_position`, which finds the events that may lie in a box and a span of time.
///
/// An event with a shape is stored with the shape's box, any other with its point, both at the event's time in hours
/// since 1970. The entry's id is the event's row. A shape that crosses 180° has a second box under the negative id. The
/// tree keeps 32-bit floats and rounds boxes outwards, so the rows must be checked afterwards.
struct EventPositions {
    private let insertion: Statement
    private let deletion: Statement

    init(_ connection: Connection) throws {
        insertion = try connection.prepare("INSERT INTO event_position VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)")
        deletion = try connection.prepare("DELETE FROM event_position WHERE id = ?")
    }

    /// Adds the entries of an event that has a coordinate or a shape.
    /// - Parameter time: Milliseconds since 1970.
    func add(_ event: Int64, at coordinate: Coordinate?, geometry: String?, time: Int64) throws {
        var boxes = geometry.flatMap { Shape(geoJSON: $0) }?.boxes ?? []
        if boxes.isEmpty, let point = coordinate {
            let (west, south) = (point.longitude, point.latitude)
            boxes = [BoundingBox(west: west, south: south, east: west, north: south)].compactMap { $0 }
        }
        for (box, id) in zip(boxes, [event, -event]) {
            insertion.bind(id)
            insertion.bind(box.west)
            insertion.bind(box.east)
            insertion.bind(box.south)
            insertion.bind(box.north)
            insertion.bind(Self.hours(time))
            try insertion.run()
        }
    }

    /// Removes the entries of an event.
    /// - Parameter hasShape: Whether it may have two.
    func remove(_ event: Int64, hasShape: Bool) throws {
        for id in hasShape ? [event, -event] : [event] {
            deletion.bind(id)
            try deletion.run()
        }
    }

    /// Converts milliseconds since 1970 to hours.
    static func hours(_ time: Int64) -> Double { Double(time) / 3_600_000 }

    /// Recreates the table and fills it from `event`.
    static func build(on connection: Connection) throws {
        try connection.run("DROP TABLE IF EXISTS event_position")
        try connection.run(
            """
            CREATE VIRTUAL TABLE event_position USING rtree (
              id, min_longitude, max_longitude, min_latitude, max_latitude, min_hour, max_hour
            )
            """)
        let positions = try EventPositions(connection)
        let find = try connection.prepare(
            """
            SELECT id, latitude, longitude, geometry, time_ms FROM event
            WHERE latitude IS NOT NULL OR geometry IS NOT NULL ORDER BY id
            """)
        while try find.step() {
            let coordinate = find.double(1).flatMap { latitude in
                find.double(2).flatMap { Coordinate(latitude: latitude, longitude: $0) }
            }
            try positions.add(find.int64(0), at: coordinate, geometry: find.text(3), time: find.int64(4))
        }
    }
}
