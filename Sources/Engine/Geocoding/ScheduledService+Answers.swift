import Model

/// The combined answers of the services, in the order in which they are asked.
extension [ScheduledService] {
    /// The conclusion from a job's answers: the place of the first service that knows one, or unresolved if all
    /// answered and none does. Nil while it is undecided.
    /// - Parameter unreachable: Configured services that cannot be asked. Their answers count after those of the others.
    func conclusion(of job: GeocodeJob, waitingFor unreachable: [GeocodeProvider]) -> GeocodeSettlement.End? {
        let providers = map { $0.provider } + unreachable
        let answers = providers.compactMap { job.answers[$0] }
        for case .found(let place) in answers {
            var location = place
            location.evidence = place.evidence ?? job.query.evidence
            return .located(location)
        }
        return answers.isEmpty || answers.count < providers.count ? nil : .unresolved
    }

    /// The replies to a person. `reason` applies to services that could be asked but were not.
    func replies(
        to work: GeocodeWork, waitingFor unreachable: [GeocodeProvider], otherwise reason: ProviderReply.Reason,
        at now: Moment
    ) -> [ProviderReply] {
        let isDecided = conclusion(of: work.job, waitingFor: unreachable) != nil
        return map { service in
            let outcome: ProviderReply.Outcome
            if let fresh = work.outcomes[service.provider] {
                outcome = fresh
            } else if let kept = work.job.answers[service.provider] {
                outcome = .kept(kept)
            } else {
                outcome = .notAsked(isDecided ? .notNeeded : service.obstacle(at: now) ?? reason)
            }
            return ProviderReply(provider: service.provider, outcome: outcome)
        }
    }
}
