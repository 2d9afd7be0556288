import Foundation
import Model

/// Answers to requests, and their failures.
extension Engine {
    /// Takes the answer to a request under way.
    mutating func answered(_ id: FetchID, _ content: FeedAnswer, _ facts: FetchFacts, at now: Moment) {
        observe(facts, of: id, at: now)
        guard let key = land(id)?.key, var poll = sources[key.source].poll else { return }
        let index = key.source
        let request = poll.requests[key.number]
        let asked = request.asked
        let chain = request.chain
        poll.succeeded(key.number, facts)
        poll.count(content, to: asked)
        poll.issues += content.issues.prefix(max(0, ActivePoll.issueCap - poll.issues.count))
        if let interval = content.requestedInterval ?? facts.maxAge { poll.requestedInterval = interval }
        if let time = content.notBefore { poll.notBefore = max(poll.notBefore ?? time, time) }
        sources[index].learn(content.secrets)
        if asked.isConditional {
            let validators = content.isWhole ? facts.validators : Validators()
            // A document's events are stored with its own answer, so its validators need not wait for the chain.
            if asked.isEssential {
                poll.chains[chain].held.validators[request.url.validatorKey] = validators
            } else {
                poll.committableValidators[request.url.validatorKey] = validators
            }
        }
        if let state = content.state { poll.chains[chain].held.state = state }
        let firstNew = poll.requests.count
        for followUp in content.followUps {
            let pending = WorkList.Pending(request: followUp, chain: chain)
            poll.requests.append(ActivePoll.Request(pending, isRoot: false))
        }
        poll.chains[chain].remaining += content.followUps.count - 1
        // A stream is opened anew, so its chain is not resumed.
        if sources[index].feed.stream == nil, !content.followUps.isEmpty { poll.chains[chain].hasProgress = true }
        sources[index].poll = poll
        for number in firstNew..<poll.requests.count { enqueue(RequestKey(source: index, number: number)) }
        var answer = content
        answer.topic = asked.topic
        answer.route = [asked.url] + request.redirects
        step(index, answer: answer, settlement: request.settlement(used: content.cost), at: now)
    }

    /// Takes a 304 to a request under way.
    mutating func unchanged(_ id: FetchID, _ facts: FetchFacts, at now: Moment) {
        observe(facts, of: id, at: now)
        guard let key = land(id)?.key, var poll = sources[key.source].poll else { return }
        let request = poll.requests[key.number]
        let chain = request.chain
        poll.succeeded(key.number, facts)
        poll.notModified += 1
        if let interval = facts.maxAge { poll.requestedInterval = interval }
        if !facts.validators.isEmpty, facts.validators != poll.validators[request.url.validatorKey] {
            poll.chains[chain].held.validators[request.url.validatorKey] = facts.validators
        }
        poll.chains[chain].remaining -= 1
        sources[key.source].poll = poll
        step(key.source, answer: nil, settlement: request.settlement(used: 0), at: now)
    }

    /// Takes the failure of a request under way.
    mutating func failed(_ id: FetchID, _ failure: Failure, _ facts: FetchFacts, at now: Moment) {
        observe(facts, of: id, at: now)
        if let flight = land(id) { fail(flight.key, failure, bytes: facts.bytes, at: now) }
    }

    /// Fails a request that is no longer under way, or was never sent.
    mutating func fail(_ key: RequestKey, _ failure: Failure, bytes: Int = 0, at now: Moment) {
        let index = key.source
        guard var poll = sources[index].poll else { return }
        let request = poll.requests[key.number]
        if failure.fault == .ours, request.reserved == nil { return postpone(index, failure, at: now) }
        if mayRepeat(request, after: failure) {
            sources[index].poll?.requests[key.number].isRepeated = true
            return enqueue(key)
        }
        poll.bytes += bytes
        // Without its authorization_file the request was not made.
        if failure.hasCode(.secret) { poll.made -= 1 }
        poll.requests[key.number].status = .done
        apply(failure, to: key, of: &poll, at: now)
        sources[index].poll = poll
        // Reads may have been charged if the connection broke during the answer.
        let isFree = failure.fault == .server || failure.status != nil || failure.isUnsent
        let used = isFree || request.asked.stream != nil ? 0 : (request.reserved ?? 0)
        step(index, answer: nil, settlement: request.settlement(used: used), at: now)
    }

    /// Whether a request is repeated because its connection was lost before an answer. A paid request or a POST is not:
    /// the server may have received it.
    private func mayRepeat(_ request: ActivePoll.Request, after failure: Failure) -> Bool {
        let asked = request.asked
        return failure.hasCode(.connectionLost) && !request.isRepeated && !isStopping
            && request.reserved == nil && asked.form == nil && asked.json == nil
    }

    /// Postpones a poll for which this machine lacks resources (descriptors, memory). The source is not blamed.
    private mutating func postpone(_ index: Int, _ failure: Failure, at now: Moment) {
        let until = retryLater(index, because: failure, at: now)
        effects.append(.notice(.pollPostponed(source: sources[index].settings.name, failure: failure, until: until)))
    }

    /// Applies a failed request to its chain.
    private mutating func apply(_ failure: Failure, to key: RequestKey, of poll: inout ActivePoll, at now: Moment) {
        let refusal = failure
        var failure = failure
        failure.excerpt = nil  // the shell keeps it
        let (index, number) = (key.source, key.number)
        let request = poll.requests[number]
        let chain = request.chain
        let asked = request.asked
        // A document that is answered with a pause delays neither its index nor its host's sources.
        if let time = failure.retryAfter, !failure.hasCode(.spendCap) {
            if !request.isDocument { poll.notBefore = max(poll.notBefore ?? time, time) }
            if failure.fault == .server, failure.status != nil { pauseHost(of: request, key, until: time, at: now) }
        }
        if failure.status == 401 { sources[index].forgetLearnedSecrets() }
        var fate = request.fate(after: failure, isOfStream: sources[index].feed.stream != nil)
        if asked.isEssential ? failure.isRefusal : fate != .deferred {
            // A failed document costs only itself: the chain continues with the feed's new state. If the refusal ends
            // the chain, nothing held back may be stored with it.
            let held = asked.isEssential ? nil : poll.chains[chain].held.state
            let context = sources[index].context(topic: asked.topic, held: held, at: now)
            if let state = sources[index].feed.state(after: refusal, of: asked, for: context) {
                if held != nil {
                    poll.chains[chain].held.state = state
                    fate = .putOff
                } else {
                    poll.revisedState = sources[index].record.state.replace(asked.topic, with: state)
                }
            }
        }
        let loss = ActivePoll.Loss(request, failure)
        if fate == .givenUp { poll.lostDocuments.append(loss) } else { poll.failures.append(loss) }
        if fate != .deferred { poll.chains[chain].remaining -= 1 }
        switch fate {
        case .putOff: break
        case .deferred:
            poll.requests[number].status = .deferred
            poll.requests[number].pending.tries += 1
        case .endsChain: poll.chains[chain].hasFailed = true
        case .givenUp:
            let issue = FeedIssue(
                FeedIssue.document + failure.code, at: asked.url.withoutQuery, found: failure.message, costsItem: true)
            poll.issues.append(issue)
            poll.givenUp.append(issue)
        }
    }

    /// Pauses a request's host, as it has asked for. This applies to all sources on the host.
    private mutating func pauseHost(
        of request: ActivePoll.Request, _ key: RequestKey, until time: Date, at now: Moment
    ) {
        let lane = Self.lane(of: request, of: sources[key.source].settings)
        let host = Origin(request.url).host
        pauseHost(host, until: time, for: lane, at: now)
        effects.append(.hostPaused(host: host, until: time))
        if lane == .document || lane == .led { hasNewDocumentPause = true }
    }

    /// Pauses a lane of a host and later ones, for a day at most.
    mutating func pauseHost(_ host: String, until time: Date, for lane: Lane, at now: Moment) {
        let until = min(now.uptime(at: time), now.uptime + Backoff.longest)
        hosts[host, default: HostGate()].pause(until: until, for: lane)
    }
}

extension Failure {
    /// Whether the server refused the request (4xx).
    fileprivate var isRefusal: Bool { status.map { (400..<500).contains($0) } ?? false }
}
