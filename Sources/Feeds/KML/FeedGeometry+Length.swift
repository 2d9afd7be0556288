extension FeedGeometry {
    /// How many points the shape has, in all its parts.
    var pointCount: Int {
        switch self {
        case .point: 1
        case .line(let points): points.count
        case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
        case .collection(let shapes): shapes.reduce(0) { $0 + $1.pointCount }
        }
    }

    /// Whether it has more than the 10,000 points up to which a shape is kept; beyond that only its location is.
    var isTooLong: Bool { pointCount > 10_000 }
}
