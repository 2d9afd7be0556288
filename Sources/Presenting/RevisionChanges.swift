public import Foundation
public import Model
import Reading

/// What one revision of an event changed.
public struct RevisionChanges: Sendable, Hashable {
    /// A value before or after a change.
    public enum Value: Sendable, Hashable {
        /// There is none.
        case missing
        /// A text, or a time in RFC 3339.
        case text(String)
        /// Anything else, as JSON text.
        case json(String)
    }

    /// A field that has another value since.
    public struct Change: Sendable, Hashable {
        /// Its name in `StoredEvent.json`.
        public var name: String
        /// What it was before.
        public var before: Value
        /// What it became; nil where that is not kept.
        public var after: Value?

        /// Creates a change.
        public init(_ name: String, _ before: Value, _ after: Value?) {
            self.name = name
            self.before = before
            self.after = after
        }
    }

    /// The revision's number, from 2.
    public var revision: Int
    /// When it came.
    public var at: Date
    /// The source that gave the new values; nil when it is no longer known.
    public var source: String?
    /// The public id of the event that this revision merged into this one, if it did so.
    public var mergedID: String?
    /// What changed, in the order of the view's columns.
    public var changes: [Change]
}

extension EventDetails {
    /// What each revision changed that is kept, oldest first.
    ///
    /// History holds old values only; a new one is the old one of the next revision that changed the field, else the
    /// present one. It is not known before revisions that are no longer kept, and before a merge, since revisions that
    /// stand there may be those of the other event.
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
                revision.changes.append(RevisionChanges.Change(name, before, isKnown ? later[name] ?? .missing : nil))
                later[name] = before
            }
            if revision.mergedID != nil { isKnown = false }
            found.append(revision)
        }
        return found.reversed()
    }
}

extension RevisionChanges {
    /// The members of an object under the names that `StoredEvent.json` has for them; none for what is no object.
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

    /// What `StoredEvent.json` calls a column of the view `events_v1`.
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
    /// The value of a column of the view `events_v1`, or of a member of `StoredEvent.json`.
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
        case .number where column == "weight": self = .json((value.double ?? 0).asWeight.jsonText)
        default: self = .json(value.text)
        }
    }
}
