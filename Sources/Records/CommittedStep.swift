package import Foundation

/// The changes of one step, in their order, with what was observed: one answer of a poll, or a transaction without any,
/// such as one of truncation, of look-ups or of a reset.
package struct CommittedStep: Sendable, Hashable {
    /// What an answer shows of the world.
    package struct Window: Sendable, Hashable {
        /// The name of the source.
        package var source: String
        /// The provider of the events whose absence counts; nil: absence proves nothing.
        package var provider: String?
        /// The times of events, both ends included, between which absence counts; nil: nowhere.
        package var times: ClosedRange<Date>?
        /// When the provider made the answer; nil: it does not say.
        package var generated: Date?
        /// Whether the document came whole, and none of its events waits for the source's budget.
        package var isComplete: Bool

        /// Creates a window of these values, which are not checked; by default absence proves nothing.
        package init(
            source: String, provider: String? = nil, times: ClosedRange<Date>? = nil, generated: Date? = nil,
            isComplete: Bool
        ) {
            (self.source, self.provider, self.times) = (source, provider, times)
            (self.generated, self.isComplete) = (generated, isComplete)
        }
    }

    /// The number of its last change.
    package var number: Int64
    /// Wall time of the changes.
    package var at: Date
    /// What was observed; nil: the step is not of a poll.
    package var window: Window?
    /// The changes, consecutive up to `number`.
    package var changes: [ChangeStep]

    /// Creates a step of these values, which are not checked; by default without changes.
    package init(number: Int64, at: Date, window: Window?, changes: [ChangeStep] = []) {
        (self.number, self.at, self.window, self.changes) = (number, at, window, changes)
    }
}
