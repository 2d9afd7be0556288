import Foundation
package import Model

extension EventQuery {
    /// Whether the event meets every condition but keys, order and limit. The answer is that of the SQL, where the
    /// full-text index is on.
    ///
    /// Costs a few microseconds, and more for a shape or for words.
    package func matches(_ stored: StoredEvent) -> Bool {
        matchesRecord(stored) && matchesEvent(stored.event) && matchesPlace(stored.event) && matchesText(stored.event)
    }

    /// What the store adds to an event.
    private func matchesRecord(_ stored: StoredEvent) -> Bool {
        guard publicIDs.allow(stored.publicID) else { return false }
        guard sources.isEmpty || stored.sources.contains(where: { sources.allow($0) }) else { return false }
        let time = (stored.event.time ?? stored.firstSeen).milliseconds
        if let since, time < since.milliseconds { return false }
        if let until, time > until.milliseconds { return false }
        if let changedSince, stored.lastChanged.milliseconds < changedSince.milliseconds { return false }
        if let changedAfter, stored.changeSequence <= changedAfter { return false }
        switch withdrawn {
        case .exclude: return stored.withdrawal == nil
        case .include: return true
        case .only: return stored.withdrawal != nil
        }
    }

    private func matchesEvent(_ event: Event) -> Bool {
        guard categories.map(\.rawValue).allow(event.category.rawValue), providers.allow(event.provider),
            author.map({ [$0].allow(event.author?.name) }) ?? true
        else { return false }
        if let minimumWeight, !(event.weight >= minimumWeight) { return false }
        return Self.isIn(minimumMagnitude, maximumMagnitude, event.magnitude)
            && Self.isIn(minimumDepth, maximumDepth, event.depth)
    }

    private func matchesPlace(_ event: Event) -> Bool {
        let location = event.location
        if let isLocated, (location != nil) != isLocated { return false }
        guard precisions.map(\.rawValue).allow(location?.precision.rawValue),
            evidence.map(\.rawValue).allow(location?.evidence?.rawValue), countries.allow(location?.country)
        else { return false }
        if homes != .include, (location?.evidence == .author) != (homes == .only) { return false }
        if let outside {
            guard let location, outside.centre.distance(to: location.coordinate) >= outside.kilometres else {
                return false
            }
        }
        guard box != nil || near != nil else { return true }
        let shape = event.geometry.flatMap { Shape(geoJSON: $0) }
        if let box {
            guard shape?.touches(box) ?? location.map({ box.holds($0.coordinate) }) ?? false else { return false }
        }
        if let near {
            let isAtPoint = location.map { near.centre.distance(to: $0.coordinate) <= near.kilometres } ?? false
            return shape?.touches(circleAround: near.centre, kilometres: near.kilometres) ?? isAtPoint
        }
        return true
    }

    /// Whether a value lies between bounds, if any are set; NULL does not.
    private static func isIn(_ least: Double?, _ most: Double?, _ value: Double?) -> Bool {
        guard least != nil || most != nil else { return true }
        guard let value else { return false }
        if let least, !(value >= least) { return false }
        if let most, !(value <= most) { return false }
        return true
    }

    // MARK: - Words

    private func matchesText(_ event: Event) -> Bool {
        guard let text, !text.allSatisfy(\.isWhitespace) else { return true }
        let tokenizer = Tokenizer.shared
        // A word without a token is no condition beside others that have one.
        let phrases = Self.terms(of: text).map { (tokens: tokenizer.tokens(of: $0.word), isPrefix: $0.isPrefix) }
            .filter { !$0.tokens.isEmpty }
        guard !phrases.isEmpty else { return false }
        let columns = [event.title, event.summary, event.place, event.author?.name]
            .compactMap { $0.map { tokenizer.tokens(of: $0) } }
        return phrases.allSatisfy { phrase in
            columns.contains { Self.isPhrase(phrase.tokens, withAnyEnding: phrase.isPrefix, in: $0) }
        }
    }

    /// Whether the tokens follow each other somewhere in a column.
    private static func isPhrase(_ phrase: [[UInt8]], withAnyEnding isPrefix: Bool, in column: [[UInt8]]) -> Bool {
        guard let last = phrase.last, column.count >= phrase.count else { return false }
        return (0...(column.count - phrase.count)).contains { start in
            let end = start + phrase.count - 1
            guard column[start..<end].elementsEqual(phrase.dropLast()) else { return false }
            return isPrefix ? column[end].starts(with: last) : column[end] == last
        }
    }
}

extension [String] {
    /// Whether one of the texts is the given one, or there are none.
    ///
    /// Texts are compared by their bytes, as SQLite does it; `==` also equates composed and decomposed letters.
    fileprivate func allow(_ text: String?) -> Bool {
        isEmpty || text.map { text in contains { $0.utf8.elementsEqual(text.utf8) } } ?? false
    }
}

extension BoundingBox {
    /// Whether the point lies in the box, or on the other longitude of its edge on the antimeridian.
    fileprivate func holds(_ point: Coordinate) -> Bool {
        contains(point) || point.longitude == otherEdge && (south...north).contains(point.latitude)
    }
}
