package import Model

/// For whom a source speaks: which claims of an answer hold, and what becomes of those that do not.
///
/// 1. What the operator has written and the addresses decide first (`Authority.verdict`). A sender that the source is
///    configured for is taken from others that showed it first.
/// 2. Otherwise first sight binds: a sender is for the identity that showed it first, and for every source on its
///    domain. If that is not noted, it is for the identities of all sources that show its events.
/// 3. A sender that nobody has shown is bound to the source. An identity has at most 2000; further ones fail.
/// 4. An event or a withdrawal whose claim fails gets the source's own identity under names of its own, so it touches
///    no event of another. A snapshot whose claim fails proves nothing.
/// 5. When a claim begins or ceases to hold, the event has a row under its other identity. The row moves to the one in
///    force if the source alone shows it. Otherwise it stays, and a source whose claim fails shows it no longer.
package struct Claims: Sendable {
    /// What becomes of a claim.
    package enum Verdict: Sendable {
        /// The source may speak for the provider.
        case holds
        /// It may not.
        case fails
        /// It may, and the sender is bound to it from now on.
        case binds
        /// It may, and no other identity that the sender is bound to may any longer.
        case takes
    }

    /// An identity that a sender is bound to.
    package struct Holder: Sendable, Hashable {
        /// The identity of the source that showed the sender first.
        package var identity: String
        /// The registrable domain of its address; nil: none, or not known.
        package var domain: String?

        /// Creates a holder.
        package init(identity: String, domain: String?) {
            self.identity = identity
            self.domain = domain
        }
    }

    /// What becomes of the row that an event has under its other identity.
    package enum Adoption: Sendable {
        /// It stays.
        case stays
        /// It moves to the identity that is in force.
        case moves
        /// It stays without the source's link.
        case unlinks
    }

    /// The most senders that are bound to an identity; an index of the whole world has some hundreds.
    package static let mostSenders: Int64 = 2_000

    private let authority: Authority
    /// Whether the claims judged hold, by provider.
    private var verdicts: [String: Bool] = [:]
    /// What events under the source's own identity claim to be, by their ids.
    private var claimed: [String: (provider: String, id: String)] = [:]
    /// The numbers of events and withdrawals whose claims fail, by provider.
    package private(set) var unproved: [String: Int] = [:]

    /// Creates an empty judgement.
    package init(of authority: Authority) { self.authority = authority }

    /// Whether a source may speak for a provider.
    /// - Parameters:
    ///   - holders: The identities that the sender is bound to; asked, as the others, only where it decides.
    ///   - showing: The identities of the sources that show its events.
    ///   - bound: How many senders are bound to the source's identity.
    package static func verdict(
        on provider: String, of authority: Authority, holders: () throws -> [Holder],
        showing: () throws -> [Holder], bound: () throws -> Int64
    ) rethrows -> Verdict {
        switch authority.verdict(on: provider) {
        case .fails: return .fails
        case .holds: return authority.isConfigured(for: provider) ? .takes : .holds
        case .byFirstSight: break
        }
        var known = try holders()
        if known.isEmpty { known = try showing() }
        if known.isEmpty { return try bound() < mostSenders ? .binds : .fails }
        let isHolder = known.contains {
            $0.identity == authority.identity || $0.domain != nil && $0.domain == authority.domain
        }
        return isHolder ? .holds : .fails
    }

    /// Judges an answer.
    /// - Parameter holds: Whether the source may speak for a provider; asked once for each, in the answer's order.
    /// - Returns: The answer with what fails under the source's own identity.
    package mutating func judge(_ answer: FeedAnswer, holds: (String) throws -> Bool) rethrows -> FeedAnswer {
        // Nearly all events of an answer have one provider.
        var last = authority.identity
        func isNext(_ provider: String) -> Bool {
            guard provider != last else { return false }
            last = provider
            return verdicts[provider] == nil
        }
        for event in answer.events where isNext(event.provider) {
            verdicts[event.provider] = try holds(event.provider)
        }
        for withdrawal in answer.withdrawals where isNext(withdrawal.provider) {
            verdicts[withdrawal.provider] = try holds(withdrawal.provider)
        }
        if let provider = answer.coverage?.provider, isNext(provider) { verdicts[provider] = try holds(provider) }
        guard verdicts.values.contains(false) else { return answer }

        var judged = answer
        for (index, event) in answer.events.enumerated() where verdicts[event.provider] == false {
            func own(_ id: String) -> String { Authority.ownID(of: id, for: event.provider) }
            judged.events[index].provider = authority.identity
            judged.events[index].id = own(event.id)
            judged.events[index].aliases = event.aliases.map(own)
            claimed[own(event.id)] = (event.provider, event.id)
            unproved[event.provider, default: 0] += 1
        }
        for (index, withdrawal) in answer.withdrawals.enumerated() where verdicts[withdrawal.provider] == false {
            func own(_ id: String) -> String { Authority.ownID(of: id, for: withdrawal.provider) }
            judged.withdrawals[index].provider = authority.identity
            judged.withdrawals[index].id = own(withdrawal.id)
            judged.withdrawals[index].replacements = withdrawal.replacements.map(own)
            unproved[withdrawal.provider, default: 0] += 1
        }
        if let coverage = answer.coverage, verdicts[coverage.provider] == false { judged.coverage = nil }
        return judged
    }

    /// The providers that the documents have claimed, in order.
    package var providers: [String] { verdicts.keys.filter(authority.isClaim).sorted() }

    /// The provider and id of a judged event under the identity that is not in force; nil: it makes no claim.
    package func otherName(of event: Event) -> (provider: String, id: String)? {
        if event.provider == authority.identity { return claimed[event.id] }
        guard authority.isClaim(event.provider) else { return nil }
        return (authority.identity, Authority.ownID(of: event.id, for: event.provider))
    }

    /// What becomes of the row under the other name.
    /// - Parameters:
    ///   - source: The source whose answer was judged.
    ///   - links: The sources that show the row.
    package func adoption(for event: Event, by source: Int64, links: [Int64]) -> Adoption {
        if links == [source] { return .moves }
        return links.contains(source) && event.provider == authority.identity ? .unlinks : .stays
    }
}
