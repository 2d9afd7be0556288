public import Foundation
public import Model
import Reading

/// The changes of one revision of an event; `EventDetails.changes` makes them.
public struct RevisionChanges: Sendable, Hashable {
    /// A value before or after a change, in the form of `StoredEvent.json`.
    public enum Value: Sendable, Hashable {
        /// No value: the event has no such member.
        case missing
        /// A text without quotes, or a time in RFC 3339 (`Date.timestamp`).
        case text(String)
        /// Any other value, such as a number or a geometry, as JSON text.
        case json(String)
    }

    /// A field with another value than before.
    public struct Change: Sendable, Hashable {
        /// The field's name in `StoredEvent.json`.
        public var name: String
        /// The value before the revision.
        public var before: Value
        /// The value after the revision; nil if it is not known (`EventDetails.changes`).
        public var after: Value?

        /// Creates a change with these values, which are not checked.
        public init(_ name: String, _ before: Value, _ after: Value?) {
            self.name = name
            self.before = before
            self.after = after
        }
    }

    /// The revision's number, from 2 on.
    public var revision: Int
    /// When the revision was stored (wall time).
    public var at: Date
    /// The source that brought the new values; nil when the source is no longer stored.
    public var source: String?
    /// Public id of the event that this revision merged into this one; nil if it merged none.
    public var mergedID: String?
    /// The changed fields, in the order of the view's columns; without those whose values are written alike.
    public var changes: [Change]
}

extension EventDetails {
    /// The changes of each stored revision, oldest first.
    ///
    /// The history stores old values only. The new value of a field is its old value in the next revision that changed
    /// it, else the present one. It is unknown before a gap in the stored revisions and before a merge, where the
    /// revisions may be those of the other event.
    public var changes: [RevisionChanges] {
        let present = RevisionChanges.members(of: stored.json)
        var later = Dictionary(present.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        var isKnown = !present.isEmpty
        var expected = stored.revision
        var found: [RevisionChanges] = []
        for entry in history.reversed() {
            isKnown = isKnown && entry.revision == expected
            expected = entry.revision - 1
            var revision = RevisionChanges(revision: entry.revision, at: entry.at, source: entry.source, changes: [])
            for (name, before) in RevisionChanges.members(of: entry.previous) {
                if name == "merged_public_id", case .text(let id) = before {
                    revision.mergedID = id
                    continue
                }
                let after = isKnown ? later[name] ?? .missing : nil
                later[name] = before
                // A weight is stored with more digits than are written.
                guard before != after else { continue }
                if name == "details" { revision.changes += RevisionChanges.ofDetails(before, after) }
                revision.changes.append(RevisionChanges.Change(name, before, after))
            }
            if revision.mergedID != nil { isKnown = false }
            found.append(revision)
        }
        return found.reversed()
    }
}

extension RevisionChanges {
    /// The members of an object, under their names in `StoredEvent.json`; empty for other text.
    fileprivate static func members(of json: String) -> [(name: String, value: Value)] {
        let members = try? JSONParser().withValue(of: Data(json.utf8)) {
            root throws(ReadingError) -> [(name: String, value: Value)] in
            root.members.map { member in
                let column = member.key.string
                return (name: name(of: column), value: Value(member.value, of: column))
            }
        }
        return members ?? []
    }

    /// The changes of the members of `StoredEvent.json` that stand in the details.
    fileprivate static func ofDetails(_ before: Value, _ after: Value?) -> [Change] {
        let members: [(String, StaticString, Bool)] = [
            ("magnitude_type", "magType", false), ("magnitude_error", "magError", true),
        ]
        return members.compactMap { name, member, isNumber in
            func value(in details: Value) -> Value {
                guard case .json(let text) = details,
                    let found = Event.detail(member, of: text, isNumber: isNumber), !found.isEmpty
                else { return .missing }
                return isNumber ? .json(found) : .text(found)
            }
            let (old, new) = (value(in: before), after.map { value(in: $0) })
            // Of an unknown state only a value tells that it may have changed.
            return old == new || new == nil && old == .missing ? nil : Change(name, old, new)
        }
    }

    /// The name in `StoredEvent.json` of a column of the view `events_v1`.
    private static func name(of column: String) -> String {
        switch column {
        case "withdrawn_reason": "withdrawn"
        case "geometry_geojson": "geometry"
        case "details_json": "details"
        default: column.hasSuffix("_ms") ? String(column.dropLast(3)) : column
        }
    }
}

extension RevisionChanges.Value {
    /// The value of a column of the view `events_v1` or of a member of `StoredEvent.json`.
    fileprivate init(_ value: JSONValue, of column: String) {
        switch value.kind {
        case .null: self = .missing
        case .string:
            let text = value.string ?? ""
            if column.hasSuffix("json") {
                let json = column == "geometry_geojson" ? GeoJSONShape.normalisedText(text) : text
                // An event without details has no such member.
                self = text == "{}" ? .missing : .json(json)
            } else {
                self = .text(text)
            }
        case .number where column.hasSuffix("_ms"): self = .text(Date(milliseconds: value.int64 ?? 0).timestamp)
        case .number where column == "weight" || column == "location_confidence":
            self = .json((value.double ?? 0).asShare.jsonText)
        default: self = .json(value.text)
        }
    }
}
