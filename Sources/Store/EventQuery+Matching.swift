import Foundation
public import Model
import Synchronization

extension EventQuery {
    /// Whether the event meets every condition but keys, order and limit. For one event; `EventMatcher` compares many.
    package func matches(_ stored: StoredEvent) -> Bool { EventMatcher(self).matches(stored) }
}

/// An event that many queries are compared with: its words and its shape are read once, when the first query asks for
/// them.
public final class ComparedEvent: Sendable {
    /// The event.
    public let stored: StoredEvent
    private let columns = Mutex<[TokenList]?>(nil)
    private let shape = Mutex<Shape??>(nil)

    /// Creates an event that has not been compared yet.
    public init(_ stored: StoredEvent) { self.stored = stored }

    /// The tokens of its texts that a query's words are looked for in.
    fileprivate var words: [TokenList] {
        columns.withLock { columns in
            if let columns { return columns }
            let event = stored.event
            let read = [event.title, event.summary, event.place, event.author?.name]
                .compactMap { $0.map { TokenList(Tokenizer.shared.tokens(of: SearchText.indexed($0))) } }
            columns = read
            return read
        }
    }

    fileprivate var area: Shape? {
        shape.withLock { shape in
            if let shape { return shape }
            let read = stored.event.geometry.flatMap { Shape(geoJSON: $0) }
            shape = .some(read)
            return read
        }
    }
}

/// Compares events with the conditions of a query but keys, order and limit. The answer is that of the SQL, where the
/// full-text index is on.
///
/// Costs a few microseconds an event, and more for the first look at a shape or at words.
public struct EventMatcher: Sendable {
    /// The query.
    public let query: EventQuery
    /// The words of the query that have tokens; nil: it has no words.
    private let phrases: [Phrase]?

    private struct Phrase: Sendable {
        var tokens: [[UInt8]]
        var isPrefix: Bool
    }

    /// Prepares the conditions.
    public init(_ query: EventQuery) {
        self.query = query
        guard let text = query.text, !text.allSatisfy(\.isWhitespace) else {
            phrases = nil
            return
        }
        // A word without a token is no condition beside others that have one.
        phrases = EventQuery.terms(of: text)
            .map { Phrase(tokens: Tokenizer.shared.tokens(of: $0.word), isPrefix: $0.isPrefix) }
            .filter { !$0.tokens.isEmpty }
    }

    /// Whether the event meets the conditions.
    public func matches(_ stored: StoredEvent) -> Bool { matches(ComparedEvent(stored)) }

    /// Whether the event meets the conditions.
    public func matches(_ compared: ComparedEvent) -> Bool {
        let stored = compared.stored
        return query.matchesRecord(stored) && query.matchesEvent(stored.event) && query.matchesPlace(compared)
            && matchesText(compared)
    }

    private func matchesText(_ compared: ComparedEvent) -> Bool {
        guard let phrases else { return true }
        return !phrases.isEmpty
            && phrases.allSatisfy { phrase in
                compared.words.contains { $0.contains(phrase.tokens, withAnyEnding: phrase.isPrefix) }
            }
    }
}

extension EventQuery {
    /// What the store adds to an event.
    fileprivate func matchesRecord(_ stored: StoredEvent) -> Bool {
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

    fileprivate func matchesEvent(_ event: Event) -> Bool {
        guard categories.map(\.rawValue).allow(event.category.rawValue), providers.allow(event.provider),
            author.map({ [$0].allow(event.author?.name) }) ?? true
        else { return false }
        if let minimumWeight, !(event.weight >= minimumWeight) { return false }
        return Self.isIn(minimumMagnitude, maximumMagnitude, event.magnitude)
            && Self.isIn(minimumDepth, maximumDepth, event.depth)
    }

    fileprivate func matchesPlace(_ compared: ComparedEvent) -> Bool {
        let event = compared.stored.event
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
        let shape = compared.area
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
