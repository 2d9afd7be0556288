import Model

/// A client that follows the changes and knows only what they report: which events exist, which of them are withdrawn,
/// and which were merged into which.
struct Follower {
    /// The known state of an event.
    struct Known: Hashable {
        /// Number of its last change.
        var change: Int64
        var isWithdrawn: Bool
    }

    /// The known state of all events.
    struct Record: Hashable {
        /// By public id.
        var events: [String: Known] = [:]
        /// Public ids of merged events, each with the id that it leads to.
        var merged: [String: String] = [:]
    }

    /// Number of the last change read.
    private(set) var cursor: Int64 = 0
    private(set) var record = Record()
    /// Whether it reads nothing for a while.
    var isAsleep = false
    /// The event that the first change of a merge has removed; the second names the event that remains.
    private var leaving: String?

    /// Begins anew with the state of the views.
    mutating func begin(with record: Record, at cursor: Int64) {
        self.record = record
        self.cursor = cursor
        leaving = nil
    }

    /// Reads the next change.
    /// - Returns: Why it cannot follow the earlier ones; nil: it can.
    mutating func take(_ change: EventChange) -> String? {
        guard change.sequence == cursor + 1 else { return "change \(change.sequence) is told after \(cursor)" }
        cursor = change.sequence
        let id = change.publicID
        if let gone = leaving {
            leaving = nil
            guard change.kind == .merged, record.events[id] != nil else { return "\(gone) is merged into nothing" }
            record.events[id]?.change = cursor
            for (other, event) in record.merged where event == gone { record.merged[other] = id }
            record.merged[gone] = id
            return nil
        }
        guard let known = record.events[id] else {
            guard change.kind == .new else { return "\(id) is told as \(change.kind.rawValue), and is not there" }
            record.events[id] = Known(change: cursor, isWithdrawn: false)
            // Merged events may be separated again.
            record.merged[id] = nil
            return nil
        }
        record.events[id]?.change = cursor
        switch change.kind {
        case .new: return "\(id) is told as new a second time"
        case .revised: break
        case .located: if known.isWithdrawn { return "\(id) is told as located, and is withdrawn" }
        case .withdrawn: record.events[id]?.isWithdrawn = true
        case .restored:
            guard known.isWithdrawn else { return "\(id) is told as restored, and was not withdrawn" }
            record.events[id]?.isWithdrawn = false
        case .merged:
            record.events[id] = nil
            leaving = id
        case .truncated:
            record.events[id] = nil
            record.merged = record.merged.filter { $0.value != id }
        }
        return nil
    }
}
