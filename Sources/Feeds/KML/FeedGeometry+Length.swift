extension FeedGeometry {
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
