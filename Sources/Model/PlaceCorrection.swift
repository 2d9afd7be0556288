/// What the operator says of the place of an event.
public enum PlaceCorrection: Codable, Sendable, Hashable {
    /// The event is here, in WGS 84 degrees. `radius` is how far it may be off in kilometres, nil: nothing is said of it;
    /// `name` are the words that are shown for the place, nil: none.
    case at(latitude: Double, longitude: Double, radius: Double?, name: String?)
    /// The event has no place, and none is sought.
    case nowhere
    /// The event is located as if it had never been corrected.
    case automatic

    /// The largest radius in kilometres, a quarter of the way around the Earth.
    public static let largestRadius = 10_000.0
    /// The most Unicode scalars of a name.
    public static let longestName = 200
    /// The radius in kilometres from which a place is no point any more, but a region.
    private static let regionalRadius = 25.0

    /// Why it cannot be taken, for people; nil: it can.
    public var fault: String? {
        guard case .at(let latitude, let longitude, let radius, let name) = self else { return nil }
        guard let point = Coordinate(latitude: latitude, longitude: longitude), (-180...360).contains(longitude) else {
            return "a place has a latitude from -90 to 90 and a longitude from -180 to 360"
        }
        if point.isNowhere { return "0,0 stands for an unknown place; --none takes the place of an event away" }
        if let radius, !(radius > 0 && radius <= Self.largestRadius) {
            return "a radius is above 0 and at most 10000 km"
        }
        guard let name else { return nil }
        let scalars = name.unicodeScalars
        let isShown = !scalars.contains { $0.properties.generalCategory == .control }
        guard isShown, scalars.count <= Self.longestName, scalars.contains(where: { !$0.properties.isWhitespace })
        else {
            return "a name has 1 to \(Self.longestName) characters, and no control characters"
        }
        return nil
    }

    /// The place that it gives; nil if it gives none or has a fault. A radius of more than 25 km makes it a region.
    public var location: Location? {
        guard fault == nil, case .at(let latitude, let longitude, let radius, let name) = self,
            let point = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return Location(
            point, method: .operator, precision: radius ?? 0 > Self.regionalRadius ? .region : .point,
            name: name, radius: radius)
    }
}
