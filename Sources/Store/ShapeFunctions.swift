import GRDB
import Model

/// SQL functions for shapes, registered on each connection. The first argument is the text of a GeoJSON geometry; the
/// result is NULL if the text is none.
enum ShapeFunctions {
    static let all = [touchesBox, touchesCircle]

    /// The shape, then west, south, east and north of the box.
    private static let touchesBox = DatabaseFunction("touches_box", argumentCount: 5, pure: true) { values in
        guard let shape = Shape(values[0]), let west = values[1].number, let south = values[2].number,
            let east = values[3].number, let north = values[4].number,
            let box = BoundingBox(west: west, south: south, east: east, north: north)
        else { return nil }
        return shape.touches(box)
    }

    /// The shape, then latitude and longitude of the centre, and the radius in kilometres.
    private static let touchesCircle = DatabaseFunction("touches_circle", argumentCount: 4, pure: true) { values in
        guard let shape = Shape(values[0]), let latitude = values[1].number, let longitude = values[2].number,
            let kilometres = values[3].number, let centre = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return shape.touches(circleAround: centre, kilometres: kilometres)
    }
}

extension Shape {
    fileprivate init?(_ value: DatabaseValue) {
        guard let text = String.fromDatabaseValue(value) else { return nil }
        self.init(geoJSON: text)
    }
}

extension DatabaseValue {
    fileprivate var number: Double? { Double.fromDatabaseValue(self) }
}
