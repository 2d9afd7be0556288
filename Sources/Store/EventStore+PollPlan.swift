public import Foundation

/// When the daemon means to poll, as it planned at its start, or after a reload or a reset.
public struct PollPlan: Codable, Sendable, Hashable {
    /// When it was made; what has been polled since has a due time of its own (`SourceRecord.nextDue`).
    public var at: Date
    /// When sources are due, by name; one that was being polled has none.
    public var dues: [String: Date]

    /// Creates a plan.
    public init(at: Date, dues: [String: Date]) {
        self.at = at
        self.dues = dues
    }
}

extension EventStore {
    /// Notes the daemon's plan for `status`; it steers nothing.
    public func setPollPlan(_ plan: PollPlan) throws(StoreError) {
        try setValue(try? StoredJSON.encoded(plan), for: MetaKey.pollPlan)
    }

    /// The last plan of a daemon; nil before the first start.
    public func pollPlan() throws(StoreError) -> PollPlan? {
        StoredJSON.decoded(PollPlan.self, from: try value(MetaKey.pollPlan))
    }
}
