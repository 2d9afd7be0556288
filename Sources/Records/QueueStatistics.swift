public import Foundation
public import Model

/// Counts of the geocode queue and of the services' kept answers, for `status`.
public struct QueueStatistics: Sendable, Hashable {
    /// The kept answers of one service that have not expired.
    public struct Kept: Sendable, Hashable {
        /// Questions for which the service found a place.
        public var places = 0
        /// Questions for which it answered that there is no such place.
        public var misses = 0

        /// Creates counts with these values; by default of no answers.
        public init(places: Int = 0, misses: Int = 0) {
            (self.places, self.misses) = (places, misses)
        }
    }

    /// Events not looked up in the city table yet.
    public var new = 0
    /// Events whose question waits for a service.
    public var asked = 0
    /// Questions of these events; several events may ask one.
    public var jobs = 0
    /// Events that stay without a place until their texts, the table or the services change.
    public var unresolved = 0
    /// Answers by service; a service without kept answers is left out.
    public var kept: [GeocodeProvider: Kept] = [:]

    /// Creates statistics of an empty queue.
    package init() {}
}

/// Events and questions without a place, with the age of the oldest. Times are wall times.
public struct QueueAges: Sendable, Hashable {
    /// Events that the city table has not looked at.
    public var newEvents: Int
    /// When the first of them was queued; nil if there is none.
    public var oldestNew: Date?
    /// Questions that wait for a service.
    public var waitingQuestions: Int
    /// When the newest event joined the oldest of these questions; nil if there is none.
    public var oldestQuestion: Date?

    /// Creates ages with these values; by default of an empty queue.
    public init(
        newEvents: Int = 0, oldestNew: Date? = nil, waitingQuestions: Int = 0, oldestQuestion: Date? = nil
    ) {
        (self.newEvents, self.oldestNew) = (newEvents, oldestNew)
        (self.waitingQuestions, self.oldestQuestion) = (waitingQuestions, oldestQuestion)
    }
}
