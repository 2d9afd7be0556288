package import Model

/// A row that replaces another one of the same event, as it is written.
///
/// 1. A row without any difference is not written. One whose differences users do not see (`EventRow.previous`) is
///    written if the time of its update or its source has changed.
/// 2. Differences that users see make a revision: the row gets the next number and the time of the change, and the old
///    values go into the history.
package struct Replacement: Sendable {
    /// The row, still without the number of the change.
    package var row: EventRow
    /// The row that it replaces.
    package let old: EventRow
    /// What users see.
    package let kind: EventChange.Kind
    /// The old values of the revision, as the text of a JSON object; nil: users see no difference.
    package let previous: String?

    /// Compares two rows; nil: nothing is written.
    package init?(of old: EventRow, by row: EventRow, as kind: EventChange.Kind, at now: Int64) {
        previous = old.previous(comparedTo: row)
        guard previous != nil || row.updated != old.updated || row.source != old.source else { return nil }
        (self.row, self.old, self.kind) = (row, old, kind)
        guard previous != nil else { return }
        self.row.revision += 1
        self.row.lastChanged = now
    }
}
