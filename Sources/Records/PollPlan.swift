public import Foundation

/// The daemon's planned polls, made at its start and after a reload or a reset.
public struct PollPlan: Codable, Sendable, Hashable {
    /// When the plan was made. A source polled since has a newer due time in `SourceRecord.nextDue`.
    public var at: Date
    /// Due times by source name; a source that was being polled has none.
    public var dues: [String: Date]

    /// Creates a plan with these values.
    public init(at: Date, dues: [String: Date]) { (self.at, self.dues) = (at, dues) }
}
