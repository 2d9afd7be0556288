public import Foundation

/// The daemon's planned polls, made at its start and after a reload or a reset.
public struct PollPlan: Codable, Sendable, Hashable {
    /// When the plan was made. A source polled since has a newer due time in `SourceRecord.nextDue`.
    public var at: Date
    /// Due times by source name; a source that was being polled has none.
    public var dues: [String: Date]

    /// Creates a plan with these values.
    public init(at: Date, dues: [String: Date]) {
        self.at = at
        self.dues = dues
    }
}

extension EventStore {
    /// Stores the daemon's plan for `status` in place of the last one; the engine does not read it. Throws
    /// `StoreError`.
    public func setPollPlan(_ plan: PollPlan) throws(StoreError) { try set(Meta.pollPlan, to: plan) }

    /// The last plan of a daemon; nil before the first start, or if another version of this program wrote it. Throws
    /// `StoreError`.
    public func pollPlan() throws(StoreError) -> PollPlan? { try value(of: Meta.pollPlan) }
}
