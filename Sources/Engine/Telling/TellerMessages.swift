public import Foundation
public import Model
public import Telling

/// An input of the teller. One that answers nothing changes nothing.
public enum TellerInput: Sendable {
    /// What is to be watched from now on; at a start, after a reload, and when a person has asked for a message.
    case configure(TellingPlan)
    /// There are new changes.
    case committed
    /// The trouble of the program, all of it.
    case health([HealthFault])
    /// The store's answer to `ask`.
    case stored(TellingAnswer)
    /// The outcome of a message that was sent.
    case answered(target: String, id: String, DeliveryOutcome)
    /// A target has taken a message with which a person tried it.
    case tried(target: String)
    /// A host has asked the polls for a pause.
    case paused(host: String, until: Date)
    /// Whether wall time is trusted; at first it is not.
    case trusts(Bool)
    /// Time has passed.
    case tick
    /// The daemon stops.
    case stop
}

/// An action that the teller asks of its shell, in this order.
public enum TellerEffect: Sendable {
    /// Have the store carry out a task; answered by `stored`.
    case ask(TellingTask, TellingTime)
    /// Send a message; answered by `answered`.
    case send(Order)
    /// Cancel the message under way to a target; answered all the same.
    case cancel(target: String)
    /// A host has asked for a pause, which holds for polls, too.
    case hostPaused(host: String, until: Date)
    /// Something to log.
    case notice(TellerNotice)
    /// Nothing is under way any more.
    case stopped
}

/// What the teller has to tell the log; targets by name.
public enum TellerNotice: Sendable, Hashable {
    /// A target fails, and is tried again at a wall time, nil: not before it is configured otherwise; `leftOut` failures
    /// before were not told.
    case failing(target: String, Failure, until: Date?, leftOut: Int)
    /// A target works again.
    case recovered(target: String, after: Duration)
    /// The store has failed, so nothing is sent until a wall time.
    case storePaused(reason: String, until: Date)
    /// The store works again.
    case storeResumed
}
