import Model

/// Which revisions of an event are dropped, and where their old values go.
///
/// 1. The first and the latest nineteen of the event's own revisions stay, and those that tell of a merge.
/// 2. The old values of a dropped revision go into the next one, unless that has older ones. So the state before the gap
///    stays exact.
/// 3. The gap is known by the first change in it, the least of all that went in; 0 if that is not known, since the
///    revision itself lacks its number or others are missing before it.
package enum Trimming {
    /// A revision of an event, without its old values.
    package struct Revision: Sendable {
        /// Its number.
        package var number: Int64
        /// The number of the revision before it; other than one less after a merge.
        package var before: Int64
        /// The number of its change.
        package var sequence: Int64?
        /// The first change of the gap before it; nil: there is none.
        package var gap: Int64?
        /// Whether it tells of a merge.
        package var isMerge: Bool

        /// Creates a revision.
        package init(number: Int64, before: Int64, sequence: Int64?, gap: Int64?, isMerge: Bool) {
            self.number = number
            self.before = before
            self.sequence = sequence
            self.gap = gap
            self.isMerge = isMerge
        }
    }

    /// Neighbours that are dropped, and the gap that they leave before the next revision.
    package struct Fold: Sendable, Hashable {
        /// The indexes of the dropped revisions; their values go into the one behind them, oldest first.
        package var dropped: Range<Int>
        /// The first change of the gap.
        package var gap: Int64
        /// The index of the revision that takes their values.
        package var kept: Int { dropped.upperBound }
    }

    /// What is dropped of an event's own revisions, which are given oldest first.
    package static func folds(of revisions: [Revision]) -> [Fold] {
        var folds: [Fold] = []
        for index in revisions.indices.dropFirst().dropLast(19) where !revisions[index].isMerge {
            let revision = revisions[index]
            let last = folds.last.flatMap { $0.kept == index ? $0 : nil }
            let known = last?.gap ?? revision.gap
            let isWhole = known == nil && revision.before == revisions[index - 1].number
            let gap = isWhole ? revision.sequence ?? 0 : known ?? 0
            if last != nil { folds.removeLast() }
            folds.append(
                Fold(
                    dropped: (last?.dropped.lowerBound ?? index)..<index + 1,
                    gap: min(gap, revisions[index + 1].gap ?? gap)))
        }
        return folds
    }

    /// The members of both objects, those of `newer` first; where both have one, the older value stays.
    package static func folded(_ older: OldValues, into newer: OldValues) -> OldValues {
        let values = Dictionary(older.members.map { ($0.name, $0.json) }, uniquingKeysWith: { first, _ in first })
        var new = newer.members
        // An older place without a name had none (`StoredEvent.rolledBack`).
        if values["latitude"] != nil, values["location_name"] == nil { new.removeAll { $0.name == "location_name" } }
        let names = Set(new.map(\.name))
        let kept = new.map { (name: $0.name, json: values[$0.name] ?? $0.json) }
        return OldValues(kept + older.members.filter { !names.contains($0.name) })
    }
}

/// The old values of a revision: columns of the public view, each with the JSON of its value.
package struct OldValues: Sendable {
    /// The columns in their order.
    package let members: [(name: String, json: String)]

    /// Creates values.
    package init(_ members: [(name: String, json: String)]) { self.members = members }

    /// The text of the JSON object.
    package var json: String {
        "{" + members.map { "\($0.name.jsonQuoted):\($0.json)" }.joined(separator: ",") + "}"
    }
}
