import Model

/// What the configured services, in the order in which they are asked, make of a question together.
extension [ScheduledService] {
    /// What the answers to a job make of it: the place that the first of the configured services knows, unresolved when
    /// all of them know none; nil when it is not decided.
    func conclusion(of job: GeocodeJob) -> GeocodeSettlement.End? {
        let answers = compactMap { job.answers[$0.provider] }
        for case .found(let place) in answers {
            var location = place
            location.evidence = place.evidence ?? job.query.evidence
            return .located(location)
        }
        return answers.isEmpty || answers.count < count ? nil : .unresolved
    }

    /// What a person is told; of services that say nothing and could be asked, `reason` says why they were not.
    func replies(
        to work: GeocodeWork, otherwise reason: ProviderReply.Reason, at now: Moment
    ) -> [ProviderReply] {
        let isDecided = conclusion(of: work.job) != nil
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
