public import Foundation
public import Model

/// An input of the scheduler, sent by the shell. One that answers nothing changes nothing.
public enum GeocodeInput: Sendable {
    /// The time of `GeocodeScheduler.nextWake` has come. A tick at any other time is harmless.
    case tick
    /// New events may wait for a place, or the city table has changed. No look-up begins before the first such input.
    case eventsWaiting
    /// The look-up has ended. It may have added or reopened questions for the services; `hasFailed` if the city table or
    /// the store failed.
    case lookedUp(mayHaveAsked: Bool, hasFailed: Bool)
    /// The job for `GeocodeEffect.take`; nil if the store has none for these services. After nil nothing is taken
    /// until a look-up may have added questions, a service or a skipped job becomes available, or a store failure ends.
    case taken(GeocodeJob?)
    /// Whether the request of `GeocodeEffect.reserve` may be made, or until when the quota is used up.
    case reserved(ReservationAnswer)
    /// The request under way was sent at this uptime, after the connection was made; the gap to the next one counts
    /// from it.
    case sent(at: Duration)
    /// The service has answered the request under way, perhaps with a miss; the answer is stored next.
    case answered(ProviderAnswer)
    /// The request under way failed: the job waits, and after three failures in a row, or a refusal at once, the
    /// service pauses.
    case failed(Failure)
    /// A settlement was stored, and located this number of events, 0 or more; the next work follows.
    case settled
    /// The store failed to carry out `take`, `reserve` or `settle`; the reason is for people. The scheduler pauses for
    /// 30 s to 16 min. Then it repeats a failed settlement, at most five times in a row.
    case storeFailed(reason: String)
    /// A person's question, with kept answers of services. It goes before the jobs, but the queue has a turn between
    /// two questions. Answered by `GeocodeEffect.reply` with the same number.
    case ask(PlaceQuery, kept: [GeocodeProvider: ProviderAnswer], number: Int)
    /// Stops the scheduler, without waiting for a look-up. `GeocodeEffect.stopped` follows.
    case stop
}

/// An action that the scheduler asks of the shell. Each but `lookUp`, `cancel`, `reply`, `notice` and `stopped` is
/// answered by one input before the next; `sent` may precede the outcome of a request.
public enum GeocodeEffect: Sendable {
    /// Look up all waiting events in the city table, beside the other actions, in the steps of `LookUp`. With
    /// `reopening`, first reopen the questions whose answers have expired. Answered by `lookedUp`.
    case lookUp(reopening: Bool)
    /// Take the next or the oldest waiting job that one of these services has not answered, or that kept answers
    /// settle. The rows in `skipping` failed recently and are left out, as are the jobs of the sources in `without`,
    /// whose shares are used up. Answered by `taken` or `storeFailed`.
    case take(oldest: Bool, providers: [GeocodeProvider], skipping: [Int64], without: Set<String>)
    /// Reserve a request against the quotas. Answered by `reserved` or `storeFailed`.
    case reserve(ProviderReservation)
    /// Make a request to a service. Answered by `answered` or `failed`, perhaps after `sent`.
    case request(GeocodeProvider, PlaceQuery)
    /// Cancel the request under way, at its deadline or after `stop`; its outcome is still reported.
    case cancel
    /// Store a settlement. Answered by `settled` or `storeFailed`.
    case settle(GeocodeSettlement)
    /// Reply to a person, with one entry for each configured service, in configured order.
    case reply(number: Int, [ProviderReply])
    /// A line for the log; nothing else follows from it.
    case notice(GeocodeNotice)
    /// After `stop`: nothing but a look-up is under way any more. Emitted once.
    case stopped
}

/// One service's reply to a person's question.
public struct ProviderReply: Sendable, Hashable {
    /// The outcome of the question at one service.
    public enum Outcome: Sendable, Hashable {
        /// The service was asked and gave this answer, which may be a miss.
        case answered(ProviderAnswer)
        /// A kept answer of the service, which may be a miss; no request was made.
        case kept(ProviderAnswer)
        /// The request to the service failed, for this reason; the next service is asked.
        case failed(Failure)
        /// The service was not asked, for this reason; no request was made.
        case notAsked(Reason)
    }

    /// The reason why a service was not asked.
    public enum Reason: Sendable, Hashable {
        /// An earlier service in configured order knows the place.
        case notNeeded
        /// The service has been failing and gets no request until this wall time.
        case failing(until: Date)
        /// Its quota of the day or the month is used up until this wall time.
        case quotaUsedUp(until: Date)
        /// The store failed, so requests cannot be counted or answers kept; the reason is for people.
        case storeFailed(reason: String)
        /// The program stops, so no request begins.
        case stopping
    }

    /// The configured service that replies.
    public var provider: GeocodeProvider
    /// Its answer, its failure, or the reason why it was not asked.
    public var outcome: Outcome
}

/// A line for the log. `until` is a wall time.
public enum GeocodeNotice: Sendable, Hashable {
    /// A service has begun to fail and gets no request until then. `leftOut` failures before it were not told; nil: nor
    /// is this one, which came too soon and gets a second notice if it lasts. Further failures in a row give no notice.
    case providerFailing(GeocodeProvider, Failure, until: Date, leftOut: Int?)
    /// A service that was `providerFailing` has answered again, this long after its first failure; told if that was.
    case providerRecovered(GeocodeProvider, after: Duration, isTold: Bool)
    /// A service's quota of the day or the month is used up until then.
    case quotaUsedUp(GeocodeProvider, until: Date)
    /// A source's share of a service's daily quota is used up until then; other sources go on.
    case shareUsedUp(GeocodeProvider, source: String, until: Date)
    /// The store cannot be used, for this reason for people; the scheduler pauses until then, 30 s to 16 min later.
    /// Look-ups go on.
    case storePaused(reason: String, until: Date)
    /// The store can be used again; the scheduler goes on.
    case storeResumed
}
