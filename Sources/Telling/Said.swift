public import Model

/// What a message says of an event that may matter later: numbers alone, so that no word of an erased event stays.
public struct Said: Sendable, Hashable {
    public var magnitude: Double?
    public var coordinate: Coordinate?
    public var severity: Severity?
    public var colour: AlertColour?

    /// The least confidence in a place that is worth a correction.
    private static let confidence = 0.85

    /// Takes the numbers of an event.
    public init(_ event: Event) {
        let level = EventLevel(event)
        magnitude = event.magnitude
        // A guess that becomes a better one is no correction.
        coordinate = event.location?.coordinate(sureAtLeast: Self.confidence)
        (severity, colour) = (level.severity, level.colour)
    }

    /// Creates values that say nothing.
    public init() {}

    /// Reads the form of `text`; nil for another one.
    public init?(text: String) {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: ",").map { Double($0) }
        guard parts.count == 5 else { return nil }
        magnitude = parts[0]
        if let latitude = parts[1], let longitude = parts[2] {
            coordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        severity = parts[3].flatMap { Severity(rawValue: Int(clamping: $0)) }
        colour = parts[4].flatMap { AlertColour(rawValue: Int(clamping: $0)) }
    }

    /// The values as a JSON array, in the order of the members.
    public var text: String {
        let numbers = [magnitude, coordinate?.latitude, coordinate?.longitude].map { $0.map { "\($0)" } ?? "null" }
        let ranks = [severity?.rawValue, colour?.rawValue].map { $0.map { "\($0)" } ?? "null" }
        return "[" + (numbers + ranks).joined(separator: ",") + "]"
    }

    /// What is different in later values, in the order of the members.
    public func changes(to later: Said) -> [SaidChange] {
        var changes: [SaidChange] = []
        func compare(_ field: SaidChange.Field, _ from: String?, _ to: String?, kilometres: Double? = nil) {
            guard from != to else { return }
            changes.append(SaidChange(field: field, from: from, to: to, kilometres: kilometres))
        }
        compare(.magnitude, magnitude.map { "\($0)" }, later.magnitude.map { "\($0)" })
        let moved = coordinate.flatMap { here in later.coordinate.map(here.distance(to:)) }
        compare(.place, coordinate.map(\.text), later.coordinate.map(\.text), kilometres: moved)
        compare(.severity, severity?.word, later.severity?.word)
        compare(.alert, colour?.word, later.colour?.word)
        return changes
    }
}

extension Coordinate {
    /// Latitude and longitude: `38.72,-9.14`.
    fileprivate var text: String { "\(latitude),\(longitude)" }
}

/// A value that is another one than was said.
public struct SaidChange: Sendable, Hashable {
    /// The raw value is the word in messages.
    public enum Field: String, Sendable {
        case magnitude, place, severity, alert
    }

    public var field: Field
    /// What was said, a number or `LATITUDE,LONGITUDE` or a word; nil: nothing.
    public var from: String?
    /// What is so now.
    public var to: String?
    /// How far the place has moved; nil for other fields, and where there was none.
    public var kilometres: Double?
}

/// Which changes of an announced event are told.
public struct Significance: Sendable, Hashable {
    /// The least difference of magnitude; default 0.3.
    public var magnitude: Double
    /// The least distance between the places in kilometres; default 20.
    public var kilometres: Double

    /// Creates bounds, which are told when they are reached.
    public init(magnitude: Double = 0.3, kilometres: Double = 20) {
        (self.magnitude, self.kilometres) = (magnitude, kilometres)
    }

    /// Whether someone who was told one state should be told another: the magnitude or the place differs by the bounds,
    /// there is a magnitude where there was none, or severity or colour has risen. Texts never count.
    public func isSignificant(from old: Said, to new: Said) -> Bool {
        if let now = new.magnitude, old.magnitude.map({ abs(now - $0) >= magnitude - 1e-9 }) ?? true { return true }
        if let before = old.coordinate, let now = new.coordinate, before.distance(to: now) >= kilometres { return true }
        return (new.severity?.rawValue ?? 0) > (old.severity?.rawValue ?? 0)
            || (new.colour?.rawValue ?? 0) > (old.colour?.rawValue ?? 0)
    }
}
