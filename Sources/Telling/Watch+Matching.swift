public import Model

extension WatchFilter {
    /// How far an event meets the conditions. Withdrawals and ages do not count.
    public enum Fit: Sendable, Comparable {
        /// It does not, and no place that is found for it changes that.
        case none
        /// It does but for its place, which is not known well enough yet.
        case unplaced
        /// It does not, but was so near to it that an announced event is no other one: 0.3 of magnitude, a tenth of the
        /// radius or 10 km.
        case almost
        /// It does.
        case full
    }

    /// How far an event meets the conditions.
    ///
    /// A place counts as point or city of enough confidence, unless it is the author's home, or by the polygon that the
    /// feed itself gives. Regions and countries found by name never count: a wrong pin must wake nobody.
    public func fit(_ stored: StoredEvent) -> Fit {
        let event = stored.event
        guard sources.isEmpty || sources.contains(where: stored.sources.contains),
            providers.isEmpty || providers.contains(event.provider),
            categories.isEmpty || categories.contains(event.category),
            keywords.map({ words in words.matches(event.title) || event.summary.map(words.matches) ?? false }) ?? true,
            hasLevel(event)
        else { return .none }
        let excess = minimumMagnitude.map { (event.magnitude ?? -.infinity) - $0 } ?? 0
        guard excess >= -Self.magnitudeSlack else { return .none }
        return min(excess >= 0 ? .full : .almost, placeFit(event))
    }

    private static let magnitudeSlack = 0.3 + 1e-9

    private func hasLevel(_ event: Event) -> Bool {
        guard minimumSeverity != nil || minimumColour != nil || needsTsunami else { return true }
        let level = EventLevel(event)
        if let least = minimumSeverity, (level.severity?.rawValue ?? 0) < least.rawValue { return false }
        if let least = minimumColour, (level.colour?.rawValue ?? 0) < least.rawValue { return false }
        return level.hasTsunami || !needsTsunami
    }

    private func placeFit(_ event: Event) -> Fit {
        guard near != nil || box != nil else { return .full }
        let shape = event.location?.method == .polygon ? event.geometry.flatMap(Shape.init(geoJSON:)) : nil
        let sure = event.location?.coordinate(sureAtLeast: minimumConfidence)
        guard shape != nil || sure != nil else { return .unplaced }
        if let box, !(shape?.touches(box) ?? sure.map(box.contains) ?? false) { return .none }
        guard let near else { return .full }
        func isWithin(_ kilometres: Double) -> Bool {
            if let shape { return shape.touches(circleAround: near.centre, kilometres: kilometres) }
            return sure.map { near.centre.distance(to: $0) <= kilometres } ?? false
        }
        if isWithin(near.kilometres) { return .full }
        return isWithin(near.kilometres + max(10, near.kilometres / 10)) ? .almost : .none
    }
}

extension Location {
    /// The point, if it is exact and sure enough for an alarm.
    func coordinate(sureAtLeast confidence: Double) -> Coordinate? {
        let isExact = precision == .point || precision == .city
        return isExact && self.confidence >= confidence && evidence != .author ? coordinate : nil
    }
}
