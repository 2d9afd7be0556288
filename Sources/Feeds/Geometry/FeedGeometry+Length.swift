extension FeedGeometry {
    /// The most points of an item that are read. Of an item with more, no further point is read, and it has neither
    /// the shape nor a position from it.
    static let mostPoints = 250_000

    /// The number of points in all parts of the shape.
    var pointCount: Int {
        switch self {
        case .point: 1
        case .line(let points): points.count
        case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
        case .collection(let shapes): shapes.reduce(0) { $0 + $1.pointCount }
        }
    }

    /// Whether the shape exceeds 10,000 points. Longer shapes are dropped and only their location is kept.
    var isTooLong: Bool { pointCount > 10_000 }
}
