import Foundation
public import Model

/// How severe an alert is, in the words of CAP 1.2 (§3.2.2, `severity`).
public enum Severity: Int, Sendable, CaseIterable {
    /// Minimal or no known threat.
    case minor = 1
    /// A possible threat.
    case moderate
    /// A significant threat.
    case severe
    /// An extraordinary threat.
    case extreme

    /// The word of CAP: `Severe`.
    public var word: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }
}

/// The colour of an estimate of losses (PAGER, <https://earthquake.usgs.gov/data/pager/>).
public enum AlertColour: Int, Sendable, CaseIterable {
    /// Little or no impact.
    case green = 1
    /// Regional impact.
    case yellow
    /// National impact.
    case orange
    /// International impact.
    case red

    /// The word: `orange`.
    public var word: String { "\(self)" }
}

extension CaseIterable {
    /// The case of this name, in any case of letters; nil for another word, such as `Unknown`.
    fileprivate static func named(_ word: String) -> Self? { allCases.first { "\($0)" == word.lowercased() } }
}

/// How grave an event is, by the fields that its provider gives for that.
public struct EventLevel: Sendable, Hashable {
    /// The severity of an alert; nil: none.
    public var severity: Severity?
    /// The colour that USGS estimates; nil: none.
    public var colour: AlertColour?
    /// Whether USGS flags a possible tsunami; default false.
    public var hasTsunami = false

    /// Reads `severity`, `alert` and `tsunami` of the event's details; what has another form is left out.
    public init(_ event: Event) {
        guard event.details.utf8.count > 2,
            let fields = try? JSONSerialization.jsonObject(with: Data(event.details.utf8)) as? [String: Any]
        else { return }
        severity = (fields["severity"] as? String).flatMap(Severity.named)
        colour = (fields["alert"] as? String).flatMap(AlertColour.named)
        hasTsunami = ((fields["tsunami"] as? NSNumber)?.doubleValue ?? 0) != 0
    }
}
