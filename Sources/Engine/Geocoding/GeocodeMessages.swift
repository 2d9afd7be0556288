public import Foundation
public import Model

/// What the shell tells the scheduler.
public enum GeocodeInput: Sendable {
    /// Time has passed (`GeocodeScheduler.nextWake`), or the scheduler is to look around.
    case tick
    /// Events may wait for a place that were not there when they were looked up last, or there is another city table.
    /// Without it no event is looked up.
    case eventsWaiting
    /// The look-up is over. It may have brought questions for the services; the city table or the store may have failed.
    case lookedUp(mayHaveAsked: Bool, hasFailed: Bool)
    /// Jobs may be waiting that were not there when the scheduler took last: new ones, or some that have reopened.
    case jobsWaiting
    /// The job asked for by `GeocodeEffect.take`; nil: there is none.
    case taken(GeocodeJob?)
    /// What became of a reservation.
    case reserved(ReservationAnswer)
    /// The request under way was sent at this uptime, later than it was asked for by what the connection took.
    case sent(at: Duration)
    /// The service has answered the request under way.
    case answered(ProviderAnswer)
    /// The request under way came to nothing.
    case failed(Failure)
    /// A settlement is in the store, and has located so many events.
    case settled(located: Int)
    /// The store could not do what it was asked last; the reason is for people.
    case storeFailed(reason: String)
    /// A person's question, with what services have answered before; goes first. Answered by `GeocodeEffect.reply` with
    /// the same number.
    case ask(PlaceQuery, kept: [GeocodeProvider: ProviderAnswer], number: Int)
    /// The program is to stop. No look-up is waited for.
    case stop
}

/// What the scheduler wants done. Each but `lookUp`, `cancel`, `reply`, `notice` and `stopped` is answered by one input
/// before the next comes; of a request may be told before when it was sent.
public enum GeocodeEffect: Sendable {
    /// Look up in the city table all events that wait, whatever else goes on; before, if `reopening`, let questions be
    /// asked again whose answers have expired. Answered by `lookedUp`.
    case lookUp(reopening: Bool)
    /// Look for a waiting job that one of these services has not answered, or that a kept answer settles: the newest
    /// or the oldest, but none of the rows in `skipping`, which have failed a short while ago. Answered by `taken`.
    case take(oldest: Bool, providers: [GeocodeProvider], skipping: [Int64])
    /// Count a request that is about to be made. Answered by `reserved`.
    case reserve(ProviderReservation)
    /// Make this request. Answered by `answered` or `failed`.
    case request(GeocodeProvider, PlaceQuery)
    /// Cut the request under way short; that is answered all the same.
    case cancel
    /// Store this. Answered by `settled`.
    case settle(GeocodeSettlement)
    /// Tell a person what each configured service says, in configured order.
    case reply(number: Int, [ProviderReply])
    /// Something worth a line in the log.
    case notice(GeocodeNotice)
    /// Nothing is under way any more after `stop`.
    case stopped
}

/// What one service says to a person's question, or why it was not asked.
public struct ProviderReply: Sendable, Hashable {
    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// It was asked, and says this.
        case answered(ProviderAnswer)
        /// It said this before.
        case kept(ProviderAnswer)
        /// It was asked in vain.
        case failed(Failure)
        /// It was not asked.
        case notAsked(Reason)
    }

    /// Why a service is not asked.
    public enum Reason: Sendable, Hashable {
        /// Another one knows the place.
        case notNeeded
        /// It has been failing, and is left alone until then.
        case failing(until: Date)
        /// Its quota is used up until then.
        case quotaUsedUp(until: Date)
        /// Requests cannot be counted or answers kept; the reason is for people.
        case storeFailed(reason: String)
        /// The program stops.
        case stopping
    }

    /// The service.
    public var provider: GeocodeProvider
    /// What came of it.
    public var outcome: Outcome

    /// Creates a reply.
    public init(provider: GeocodeProvider, outcome: Outcome) {
        self.provider = provider
        self.outcome = outcome
    }
}

/// Something worth a line in the log.
public enum GeocodeNotice: Sendable, Hashable {
    /// A service has begun to fail and is left alone until then; further failures in a row say nothing.
    case providerFailing(GeocodeProvider, Failure, until: Date)
    /// A service that was failing has answered again, so long after its first failure.
    case providerRecovered(GeocodeProvider, after: Duration)
    /// A service's quota of the day or the month is used up; the next one begins then.
    case quotaUsedUp(GeocodeProvider, until: Date)
    /// The store cannot be used; the scheduler waits until then.
    case storePaused(reason: String, until: Date)
    /// The store can be written again.
    case storeResumed
}
