import Foundation
import Presenting
import Reading

extension RevisionChanges.Change {
    /// The field's name and its values for people: `magnitude` and `5 → 5.4`, or `was 5` where the new value is not known.
    /// Nil for numbers that are equal in four digits behind the point.
    var words: (name: String, values: String)? {
        let name = self.name.split(separator: "_").joined(separator: " ")
        // Its members are defined by the feed.
        if self.name == "details" { return (name, "changed") }
        let old = words(of: before)
        guard let after else { return (name, "was \(old)") }
        let new = words(of: after)
        if old != new { return (name, "\(old) → \(new)") }
        if case .json(let json) = after, Double(json) != nil { return nil }
        return (name, self.name == "geometry" ? "changed" : "changed beyond the first \(Self.longestValue) characters")
    }

    private func words(of value: RevisionChanges.Value) -> String {
        switch value {
        case .missing: "none"
        case .text(let text): text.contains(" ") ? "\"\(HTMLText.bounded(text, Self.longestValue))\"" : text
        case .json(let json) where name == "geometry":
            GeoJSONShape(json, droppingHeights: true).flatMap { ShapeSummary($0) }?.words ?? "a shape"
        case .json(let json):
            Double(json).map { $0.shown(digits: 0...4) } ?? HTMLText.bounded(json, Self.longestValue)
        }
    }

    /// Most characters of a former text.
    private static let longestValue = 80
}
