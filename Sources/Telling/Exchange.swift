public import Foundation

// What machine, store and shell say to each other.

/// What the machine asks of the store, one thing at a time.
public enum TellingTask: Sendable, Hashable {
    /// Put a plan into force; answered by `begun`.
    case begin(TellingPlan)
    /// Take the next changes; answered by `followed`.
    case follow
    /// Compare the trouble of the program, all of it, with what was told; answered by `followed`.
    case health([HealthFault])
    /// Settle attempts, and take the next message of each of these targets (ids); answered by `wrote`.
    case write(settling: [Settlement], taking: [String])
}

/// The store's answer to a task.
public enum TellingAnswer: Sendable, Hashable {
    /// The trouble that targets had last, by name.
    case begun([String: TargetTrouble])
    /// Whether nothing is left to follow, and the ids of targets for which something waits that did not.
    case followed(isDone: Bool, news: Set<String>)
    /// What was taken, by id of the target.
    case wrote([String: Taken])
    /// The task was not carried out.
    case failed(reason: String)
}

/// Trouble of the program that a watch may tell.
public struct HealthFault: Sendable, Hashable {
    /// Names it: `source quakes`, `configuration`, `disk`, `target desk`.
    public var key: String
    /// What is wrong, on one line.
    public var text: String
    /// The name of the target that it is about; nil: of none. It is not told through that one.
    public var target: String?

    public init(key: String, text: String, target: String? = nil) {
        (self.key, self.text, self.target) = (key, text, target)
    }
}

/// A message in the form of its target, which is stored as attempted.
public struct Order: Sendable, Hashable {
    public var id: String
    /// The id of the target.
    public var target: String
    public var kind: MessageKind
    /// Its bytes: the body of a request, or a mail.
    public var letter: Data
    /// The number of the attempt, from 1 on.
    public var attempt: Int

    public init(id: String, target: String, kind: MessageKind, letter: Data, attempt: Int = 1) {
        (self.id, self.target, self.kind, self.letter, self.attempt) = (id, target, kind, letter, attempt)
    }
}

/// What has become of an attempt.
public struct Settlement: Sendable, Hashable {
    public var order: Order
    public var outcome: DeliveryOutcome
    /// When the message may be sent again (wall time).
    public var due: Date
    /// What is wrong with the target since.
    public var trouble: TargetTrouble

    public init(_ order: Order, _ outcome: DeliveryOutcome, due: Date, trouble: TargetTrouble = TargetTrouble()) {
        (self.order, self.outcome, self.due, self.trouble) = (order, outcome, due, trouble)
    }
}

/// What is wrong with a configured target: all recipients of a mail target share its server.
public struct TargetTrouble: Sendable, Hashable {
    /// Since when it fails (wall time); nil: it does not.
    public var failingSince: Date?
    /// Until when it wants no message (wall time).
    public var retryAfter: Date?
    /// Whether it has answered that it is gone.
    public var isGone = false
    /// The last failure in words for people; nil: none.
    public var failure: String?

    public init() {}

    /// Whether it lasts: the target is gone, or has been failing for so long.
    public func lasts(_ patience: Duration, at now: Date) -> Bool {
        isGone || failingSince.map { $0.addingTimeInterval(patience.seconds) <= now } ?? false
    }
}

/// What a target is sent next.
public struct Taken: Sendable, Hashable {
    /// The message; nil: none is due.
    public var order: Order?
    /// When the next one may be due, without an order (wall time); nil: none waits.
    public var next: Date?

    public init(order: Order? = nil, next: Date? = nil) { (self.order, self.next) = (order, next) }
}
