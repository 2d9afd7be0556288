import Foundation
import Model

extension Engine {
    /// Starts a poll: the attempt is stored before the first request is made.
    mutating func begin(_ index: Int, isForced: Bool, at now: Moment) {
        guard sources[index].poll == nil else { return }
        if let reason = obstacle(to: index) {
            if isForced { effects.append(.abandoned(source: sources[index].settings.name, because: reason)) }
            return
        }
        if !isForced, let free = hosts[Origin(sources[index].settings.url).host]?.notBefore, free > now.uptime {
            sources[index].due = free
            return scheduleDue(index)
        }
        hosts = hosts.filter { !$0.value.isIdle(gap: limits.perHostGap, at: now) }
        let (name, wasDue) = (sources[index].settings.name, sources[index].due)
        let due = isForced ? now.uptime : wasDue
        sources[index].poll = ActivePoll(number: newNumber(), due: due, started: now)
        effects.append(.notice(.pollStarted(source: name, due: now.wall(at: due))))
        let keepsDue = isForced && wasDue > now.uptime
        let next =
            sources[index].feed.stream != nil
            ? now.uptime + Self.steady : keepsDue ? wasDue : sources[index].grid.next(after: now.uptime)
        // An abandoned stream, as after a store failure, is no longer open.
        let reason = keepsDue ? sources[index].record.dueReason.map { $0 == .stream ? DueReason.reconnect : $0 } : nil
        write(
            .begin(
                PollBeginning(
                    source: name, at: now.wall, nextDue: now.wall(at: next), dueReason: reason ?? .interval,
                    fingerprint: sources[index].fingerprint)), for: .beginning(index))
    }

    /// The reason why no poll of a source may begin now; nil if one may.
    func obstacle(to index: Int) -> Failure? {
        if isStopping { return .stopping }
        if storePausedUntil != nil { return .storePaused(storeFault) }
        if !disk.allowsPolls { return .diskFull(until: disk.resumption) }
        if resetting[sources[index].settings.name] != nil { return .beingReset }
        return reconfiguration?.held.contains(index) == true ? .edited : nil
    }

    /// Continues a stored attempt: with the requests that an earlier poll left, or with those that the feed plans.
    mutating func begun(_ index: Int, _ record: SourceRecord, at now: Moment) {
        sources[index].record = record
        guard var poll = sources[index].poll else { return }
        poll.validators = record.validators
        // If one of them can no longer be made, all are dropped and planned anew.
        if let work = record.work, work.pending.allSatisfy({ sources[index].canMake($0.request) }) {
            poll.chains = work.chains.enumerated().map { number, held in
                let mine = work.pending.filter { $0.chain == number }
                return ActivePoll.Chain(
                    held: held, topic: mine.first?.request.topic, hasProgress: true, remaining: mine.count)
            }
            poll.requests = work.pending.filter { work.chains.indices.contains($0.chain) }.map {
                ActivePoll.Request($0, isRoot: false)
            }
        }
        sources[index].poll = poll
        for number in poll.requests.indices { enqueue(RequestKey(source: index, number: number)) }
        if poll.requests.isEmpty { plan(index, at: now) }
    }

    /// Asks the feed for the first requests of the poll.
    private mutating func plan(_ index: Int, at now: Moment) {
        let planned = sources[index].feed.requests(for: sources[index].context(topic: nil, held: nil, at: now))
        let first = sources[index].poll?.requests.count ?? 0
        sources[index].poll?.isPlanned = true
        // Topics with work left over are skipped: their index would list the same documents again.
        let waiting = Set((sources[index].poll?.chains ?? []).filter { $0.remaining > 0 }.map { $0.topic })
        let requests = planned.filter { !waiting.contains($0.topic) }
        for request in requests {
            let chain = sources[index].poll?.chains.count ?? 0
            sources[index].poll?.chains.append(
                ActivePoll.Chain(held: WorkList.Chain(), topic: request.topic, hasProgress: false, remaining: 1))
            sources[index].poll?.requests.append(
                ActivePoll.Request(WorkList.Pending(request: request, chain: chain), isRoot: true))
        }
        for number in requests.indices { enqueue(RequestKey(source: index, number: first + number)) }
        if planned.isEmpty {
            let failure = Failure(
                .operator, .nothingToAsk, "the source has nothing to ask: \(sources[index].whyNothingToAsk)")
            sources[index].poll?.failures.append((nil, failure))
        }
        if requests.isEmpty { step(index, answer: nil, at: now) }
    }

    enum Outcome {
        case answer(FeedAnswer)
        case unchanged
        case failure(Failure)
    }

    /// Takes the outcome of a request under way.
    mutating func take(_ id: FetchID, _ outcome: Outcome, _ facts: FetchFacts, at now: Moment) {
        observe(facts, of: id, at: now)
        if let flight = land(id) { settle(flight.key, outcome, facts, at: now) }
    }

    /// Stores the outcome of a request that is no longer under way, or was never sent.
    mutating func settle(_ key: RequestKey, _ outcome: Outcome, _ facts: FetchFacts = FetchFacts(), at now: Moment) {
        let (index, number) = (key.source, key.number)
        guard var poll = sources[index].poll else { return }
        let request = poll.requests[number]
        let chain = request.pending.chain
        if case .failure(let failure) = outcome, failure.fault == .ours, request.reserved == nil {
            return postpone(index, failure, at: now)
        }
        if case .failure(let failure) = outcome, mayRepeat(request, after: failure) {
            sources[index].poll?.requests[number].isRepeated = true
            return enqueue(key)
        }
        poll.bytes += facts.bytes
        poll.requests[number].status = .done
        var answer: FeedAnswer?
        var used = 0
        switch outcome {
        case .answer(let content):
            answer = content
            answer?.topic = request.pending.request.topic
            used = content.cost
            poll.successes += 1
            poll.count(content, to: request.pending.request)
            poll.issues += content.issues.prefix(max(0, ActivePoll.issueCap - poll.issues.count))
            if let asked = content.requestedInterval ?? facts.maxAge { poll.requestedInterval = asked }
            if let time = content.notBefore { poll.notBefore = max(poll.notBefore ?? time, time) }
            sources[index].learn(content.secrets)
            if request.pending.request.isConditional {
                let validators = content.isWhole ? facts.validators : Validators()
                // A document's events are stored with its own answer, so its validators need not wait for the chain.
                if request.pending.request.isEssential {
                    poll.chains[chain].held.validators[request.url.validatorKey] = validators
                } else {
                    poll.committableValidators[request.url.validatorKey] = validators
                }
            }
            if let state = content.state { poll.chains[chain].held.state = state }
            for followUp in content.followUps {
                poll.requests.append(
                    ActivePoll.Request(WorkList.Pending(request: followUp, chain: chain), isRoot: false))
            }
            poll.chains[chain].remaining += content.followUps.count - 1
            // A stream is opened anew, so its chain is not resumed.
            if sources[index].feed.stream == nil, !content.followUps.isEmpty { poll.chains[chain].hasProgress = true }
        case .unchanged:
            poll.successes += 1
            poll.notModified += 1
            if let asked = facts.maxAge { poll.requestedInterval = asked }
            if !facts.validators.isEmpty, facts.validators != poll.validators[request.url.validatorKey] {
                poll.chains[chain].held.validators[request.url.validatorKey] = facts.validators
            }
            poll.chains[chain].remaining -= 1
        case .failure(let failure):
            // Reads may have been charged if the connection broke during the answer.
            let isFree = failure.fault == .server || failure.status != nil || failure.isUnsent
            used = isFree || request.pending.request.stream != nil ? 0 : (request.reserved ?? 0)
            fail(number, of: &poll, index: index, failure, at: now)
        }
        let firstNew = poll.requests.count - (answer?.followUps.count ?? 0)
        sources[index].poll = poll
        for number in firstNew..<poll.requests.count { enqueue(RequestKey(source: index, number: number)) }
        let settlement = request.reserved.map { PollStep.Settlement(reserved: $0, used: used) }
        step(index, answer: answer, settlement: settlement, at: now)
    }

    /// Whether a request is repeated because its connection was lost before an answer. A paid request or a POST is not:
    /// the server may have received it.
    private func mayRepeat(_ request: ActivePoll.Request, after failure: Failure) -> Bool {
        let asked = request.pending.request
        return failure.hasCode(.connectionLost) && !request.isRepeated && !isStopping
            && request.reserved == nil && asked.form == nil && asked.json == nil
    }

    /// Postpones a poll for which this machine lacks resources (descriptors, memory). The source is not blamed.
    private mutating func postpone(_ index: Int, _ failure: Failure, at now: Moment) {
        let until = retryLater(index, because: failure, at: now)
        effects.append(.notice(.pollPostponed(source: sources[index].settings.name, failure: failure, until: until)))
    }

    /// Applies a failed request to its chain.
    private mutating func fail(
        _ number: Int, of poll: inout ActivePoll, index: Int, _ failure: Failure, at now: Moment
    ) {
        let refusal = failure
        var failure = failure
        failure.excerpt = nil  // the shell keeps it
        let request = poll.requests[number]
        let chain = request.pending.chain
        let asked = request.pending.request
        if let time = failure.retryAfter, !failure.hasCode(.spendCap) {
            poll.notBefore = max(poll.notBefore ?? time, time)
            if failure.fault == .server, failure.status != nil {
                // It applies to all sources on this host.
                let host = Origin(request.url).host
                let until = min(now.uptime(at: time), now.uptime + Backoff.longest)
                hosts[host, default: HostGate()].notBefore = max(hosts[host]?.notBefore ?? until, until)
            }
        }
        if failure.status == 401 { sources[index].forgetLearnedSecrets() }
        let isFirst = request.isRoot || sources[index].feed.stream != nil
        let isDeferred = !isFirst && failure.isRetryable && request.pending.tries + 1 < asked.maximumTries
        var isPutOff = false
        if asked.isEssential ? failure.isRefusal : !isDeferred {
            // A failed document costs only itself: the chain continues with the feed's new state. If the refusal ends
            // the chain, nothing held back may be stored with it.
            let held = asked.isEssential ? nil : poll.chains[chain].held.state
            let context = sources[index].context(topic: asked.topic, held: held, at: now)
            if let state = sources[index].feed.state(after: refusal, of: asked, for: context) {
                if held != nil {
                    poll.chains[chain].held.state = state
                    isPutOff = true
                } else {
                    let whole = sources[index].record.state.replacing(asked.topic, with: state)
                    sources[index].record.state = whole
                    poll.revisedState = whole
                }
            }
        }
        poll.chains[chain].remaining -= 1
        if isPutOff {
            poll.failures.append((asked.topic, failure))
        } else if isDeferred {
            poll.requests[number].status = .deferred
            poll.requests[number].pending.tries += 1
            poll.chains[chain].remaining += 1
            poll.failures.append((asked.topic, failure))
        } else if isFirst || asked.isEssential || failure.isTransient {
            // Nothing held back is stored: the next poll asks for all of it again.
            poll.chains[chain].hasFailed = true
            poll.failures.append((asked.topic, failure))
        } else {
            poll.result.refused["document_\(failure.code)", default: 0] += 1
            poll.issues.append(
                FeedIssue(
                    "document_\(failure.code)", at: asked.url.withoutQuery, found: failure.message, costsItem: true))
            effects.append(
                .notice(
                    .documentGivenUp(
                        source: sources[index].settings.name, url: asked.url.withoutQuery, failure: failure)))
        }
    }

    /// Writes the results of an outcome, and ends the poll if no request is left.
    mutating func step(
        _ index: Int, answer: FeedAnswer?, settlement: PollStep.Settlement? = nil, at now: Moment
    ) {
        guard var poll = sources[index].poll else { return }
        var validators = poll.committableValidators
        poll.committableValidators = [:]
        var state = poll.revisedState
        poll.revisedState = nil
        for chain in poll.chains.indices
        where poll.chains[chain].remaining == 0 && !poll.chains[chain].hasFailed && !poll.chains[chain].isFlushed {
            poll.chains[chain].isFlushed = true
            validators.merge(poll.chains[chain].held.validators) { _, new in new }
            if let held = poll.chains[chain].held.state {
                let whole = sources[index].record.state.replacing(poll.chains[chain].topic, with: held)
                sources[index].record.state = whole
                state = whole
            }
        }
        poll.validators.merge(validators) { _, new in new }
        if poll.isIdle, !poll.isPlanned, !isStopping {
            // The requests of an earlier poll are answered; the poll now plans its own.
            sources[index].poll = poll
            defer { plan(index, at: now) }
            return write(stepContent(index, answer, validators, state, settlement, nil, at: now), for: .step(index))
        }
        let end = poll.isIdle ? self.end(index, poll, at: now) : nil
        sources[index].poll = poll
        guard
            end != nil || answer != nil || !validators.isEmpty || state != nil || settlement != nil || poll.work != nil
        else { return }
        let content = stepContent(index, answer, validators, state, settlement, end, at: now)
        write(content, for: end.map { .end(index, $0) } ?? .step(index))
    }

    func stepContent(
        _ index: Int, _ answer: FeedAnswer?, _ validators: [String: Validators], _ state: FeedState?,
        _ settlement: PollStep.Settlement?, _ end: PollEnd?, at now: Moment
    ) -> StoreWrite {
        .step(
            PollStep(
                source: sources[index].settings.name, at: now.wall, isClockTrusted: clock.isTrusted(now),
                answer: answer,
                filter: sources[index].settings.filter, fingerprint: sources[index].fingerprint,
                validators: validators, state: state, work: sources[index].poll?.work, settlement: settlement,
                moved: sources[index].poll?.moved, end: end))
    }

    /// How the poll ended and when the source is due again.
    private mutating func end(_ index: Int, _ poll: ActivePoll, at now: Moment) -> PollEnd {
        if let terms = sources[index].feed.stream { return streamEnd(index, poll, terms, at: now) }
        let (grid, interval) = (sources[index].grid, sources[index].settings.refreshInterval)
        let words = poll.failures.map { ($0.topic.map { "\($0): " } ?? "") + $0.failure.message }
        // A poll asked for during a back-off ends it.
        var due = min(grid.next(after: now.uptime), now.uptime + grid.interval)
        var reason = DueReason.interval
        var failures = 0
        let failed = poll.successes == 0 ? poll.failures.first?.failure : nil
        if let failed {
            failures = sources[index].record.failures + 1
            let delay = Backoff.delay(
                failures: failures, interval: interval, spread: Double.random(in: 0...1, using: &random))
            (due, reason) = (now.uptime + delay, .backOff)
            if failed.status == 410 { (due, reason) = (now.uptime + Backoff.longest, .gone) }
        } else if poll.work != nil {
            let delay = Backoff.delay(
                failures: 1, interval: interval, spread: Double.random(in: 0...1, using: &random))
            if now.uptime + delay < due { (due, reason) = (now.uptime + delay, .work) }
        } else if sources[index].settings.followsServerInterval, let asked = poll.requestedInterval,
            now.uptime + min(asked, Backoff.longest) > due
        {
            (due, reason) = (now.uptime + min(asked, Backoff.longest), .serverInterval)
        }
        if poll.failures.contains(where: { $0.failure.hasCode(.spendCap) }) {
            (due, reason) = (max(due, now.uptime + Backoff.longest), .spendCap)
        }
        if let time = poll.notBefore {
            let wait = min(now.uptime(at: time), now.uptime + Backoff.longest)
            if wait > due { (due, reason) = (wait, failed == nil ? DueReason.rateLimit : .retryAfter) }
        }
        var end = PollEnd(
            failure: failed, partialFailures: failed == nil ? words : Array(words.dropFirst()),
            nextDue: now.wall(at: due), dueReason: reason, failures: failures,
            requestedInterval: poll.requestedInterval)
        end.remark = poll.remark
        return end
    }

    /// Ends a poll whose end is stored, and reports it.
    mutating func ended(_ index: Int, _ end: PollEnd, _ counts: StepResult, at now: Moment) {
        guard var poll = sources[index].poll else { return }
        poll.result.add(counts)
        let report = self.report(index, poll, end, at: now)
        sources[index].record.work = poll.work
        sources[index].due = now.uptime(at: end.nextDue)
        sources[index].poll = nil
        scheduleDue(index)
        effects.append(.report(report))
        allowReset(of: report.source)
    }

    /// Updates the source's record by the end of a poll or an open stream, and returns the report.
    mutating func report(_ index: Int, _ poll: ActivePoll, _ end: PollEnd, at now: Moment) -> PollReport {
        let before = sources[index].record
        var recovered: Duration?
        if end.failure == nil {
            if before.failures > 0, let since = before.failingSince {
                recovered = .milliseconds(now.wall.milliseconds - since.milliseconds)
            }
            sources[index].record.lastSuccess = now.wall
            sources[index].record.failingSince = nil
        } else if before.failures == 0 {
            sources[index].record.failingSince = now.wall
        }
        sources[index].setbacks = 0
        sources[index].record.failures = end.failures
        sources[index].record.dueReason = end.dueReason
        return PollReport(
            source: before.name, due: now.wall(at: poll.due), started: poll.started.wall,
            duration: now.uptime - poll.started.uptime, result: poll.result, bytes: poll.bytes, requests: poll.made,
            notModified: poll.notModified, issues: poll.issues, end: end, recoveredAfter: recovered,
            isNewlyOdd: before.remark == nil && end.remark?.isEmpty == false)
    }

    /// Abandons a poll that failed on our side, with a back-off. Returns when it begins again.
    mutating func retryLater(_ index: Int, because reason: Failure, at now: Moment) -> Date {
        sources[index].setbacks += 1
        sources[index].lastSetback = reason
        let delay = Backoff.delay(
            failures: sources[index].setbacks, interval: sources[index].settings.refreshInterval,
            spread: Double.random(in: 0...1, using: &random))
        abandonPoll(index, because: reason, dueIn: delay, at: now)
        return now.wall(at: sources[index].due)
    }

    /// Abandons a poll whose results cannot be stored or are not wanted. It begins again after `delay`, without blame.
    ///
    /// Callers that wait for it are told at once. During an edit of the source they are told after the edit, unless
    /// another poll takes its place.
    mutating func abandonPoll(_ index: Int, because reason: Failure, dueIn delay: Duration, at now: Moment) {
        guard let poll = sources[index].poll else { return }
        settleReopening(index, poll, at: now)
        giveBack(poll.unusedReads, of: index, at: now)
        sources[index].poll = nil
        sources[index].due = now.uptime + delay
        if delay > .zero { scheduleDue(index) }
        let name = sources[index].settings.name
        if reconfiguration?.held.contains(index) == true {
            reconfiguration?.cutShort.append(name)
        } else {
            effects.append(.abandoned(source: name, because: reason))
        }
        for (id, flight) in flights.sorted(by: { $0.key.number < $1.key.number }) where flight.key.source == index {
            _ = land(id)
            // Its send time will not be reported, and may be just now.
            if !flight.isHeld { hosts[flight.host]?.lastSent = now.uptime }
            effects.append(.cancel(id))
        }
        for host in hosts.keys { hosts[host]?.waiting.removeAll { $0.source == index } }
        allowReset(of: name)
    }
}

extension Failure {
    /// The source is no longer configured.
    static let notConfigured = Failure(.operator, .notConfigured, "it is no longer configured")

    /// The source is edited.
    static let edited = Failure(.ours, .edited, "an edit of the configuration came between; try again")

    /// The source is reset.
    static let beingReset = Failure(.ours, .reset, "a reset of it came between; try again")

    /// The store cannot be written.
    static func storePaused(_ reason: String) -> Failure { Failure(.ours, .store, "nothing can be stored: \(reason)") }

    /// Too little disk space is free to begin a poll.
    /// - Parameter free: The free bytes at which polls resume.
    static func diskFull(until free: Int64) -> Failure {
        let size = free.asSize(isRoundedUp: true)
        return Failure(.ours, .diskFull, "polls pause until the disk has \(size) free again (disk.minimum_free)")
    }

    /// Whether the server refused the request (4xx).
    fileprivate var isRefusal: Bool { status.map { (400..<500).contains($0) } ?? false }
}

extension String {
    /// The key of the URL's validators in the store. A query, which may hold a secret, appears only as a hash.
    var validatorKey: String {
        let plain = withoutQuery
        guard plain.utf8.count < utf8.count else { return self }
        return plain + "?" + FNV64.hex(self)
    }
}
