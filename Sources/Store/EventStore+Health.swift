public import Foundation
import Model

/// What waits for a place, and since when.
public struct QueueAges: Sendable, Hashable {
    /// Events that the city table has not looked at.
    public var newEvents: Int
    /// When the first of them was queued; nil when there is none.
    public var oldestNew: Date?
    /// Questions that wait for a service.
    public var waitingQuestions: Int
    /// When an event last asked the question that has waited longest; nil when there is none.
    public var oldestQuestion: Date?

    /// Creates ages; by default nothing waits.
    public init(
        newEvents: Int = 0, oldestNew: Date? = nil, waitingQuestions: Int = 0, oldestQuestion: Date? = nil
    ) {
        self.newEvents = newEvents
        self.oldestNew = oldestNew
        self.waitingQuestions = waitingQuestions
        self.oldestQuestion = oldestQuestion
    }
}

extension EventStore {
    /// What waits for a place, and since when, for `health`.
    public func queueAges() throws(StoreError) -> QueueAges {
        try read { connection in
            var ages = QueueAges()
            let new = try connection.prepare(QueueSQL.newEventAges)
            while try new.step() { (ages.newEvents, ages.oldestNew) = (Int(new.int64(0)), new.date(1)) }
            let jobs = try connection.prepare(QueueSQL.waitingJobAges)
            while try jobs.step() { (ages.waitingQuestions, ages.oldestQuestion) = (Int(jobs.int64(0)), jobs.date(1)) }
            return ages
        }
    }

    /// When the stored sources were last brought into line with a configuration: at a start, or when it was read again;
    /// nil before the first start.
    public func lastReconciliation() throws(StoreError) -> Date? {
        try value(MetaKey.reconciled).flatMap { Int64($0) }.map { Date(milliseconds: $0) }
    }
}
