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
        let (name, wasDue) = (sources[index].settings.name, sources[index].due)
        let host = Origin(sources[index].settings.url).host
        if let free = hosts[host]?.pauseEnd(for: .configured), free > now.uptime {
            let until = now.wall(at: free)
            if !isForced {
                effects.append(.notice(.pollWaits(source: name, host: host, until: until)))
                sources[index].due = free
                return scheduleDue(index)
            }
            // A shorter wait is passed in the host's queue.
            if free - now.uptime > Self.maximumQueueDelay {
                return effects.append(.abandoned(source: name, because: .hostWaits(host, until: until)))
            }
        }
        hosts = hosts.filter { !$0.value.isIdle(gap: limits.perHostGap, at: now) }
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
                    fingerprint: sources[index].fingerprint,
                    urls: sources[index].settings.urls().map { $0.url.validatorKey })), for: .beginning(index))
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
        // Only the poll needs them.
        sources[index].record.validators = [:]
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
            let pending = WorkList.Pending(request: request, chain: chain)
            sources[index].poll?.requests.append(ActivePoll.Request(pending, isRoot: true))
        }
        for number in requests.indices { enqueue(RequestKey(source: index, number: first + number)) }
        if planned.isEmpty {
            let failure = Failure(
                .operator, .nothingToAsk, "the source has nothing to ask: \(sources[index].whyNothingToAsk)")
            sources[index].poll?.failures.append(ActivePoll.Loss(failure))
        }
        if requests.isEmpty { step(index, answer: nil, at: now) }
    }

    /// Writes the results of an answer or a failure, and ends the poll if no request is left.
    mutating func step(
        _ index: Int, answer: FeedAnswer?, settlement: PollStep.Settlement? = nil, at now: Moment
    ) {
        guard var parts = sources[index].flush(), let poll = sources[index].poll else { return }
        parts.answer = answer
        parts.settlement = settlement
        if poll.isIdle, !poll.isPlanned, !isStopping {
            // The requests of an earlier poll are answered; the poll now plans its own.
            write(stepContent(index, parts, at: now), for: .step(index))
            return plan(index, at: now)
        }
        if poll.isIdle {
            var end = self.end(index, poll, at: now)
            if sources[index].feed.stream == nil { end.duration = now.uptime - poll.started.uptime }
            end.bytes = poll.bytes - poll.storedBytes
            parts.end = end
        }
        guard !parts.isEmpty || poll.work != nil || !poll.givenUp.isEmpty else { return }
        let end = parts.end.map { WritePurpose.end(index, $0, overBudget: overBudget($0, of: index, at: now)) }
        write(stepContent(index, parts, at: now), for: end ?? .step(index))
    }

    /// The step that stores these parts.
    mutating func stepContent(_ index: Int, _ parts: StepParts, at now: Moment) -> StoreWrite {
        let source = sources[index]
        let stream = source.poll?.stream?.key
        let isPaid = parts.settlement != nil || stream.flatMap { source.poll?.requests[$0.number].reserved } != nil
        var step = PollStep(
            source: source.settings.name, at: now.wall, isClockTrusted: clock.isTrusted(now), answer: parts.answer,
            filter: source.settings.filter, authority: parts.answer.map { authority(of: index, for: $0) },
            fingerprint: source.fingerprint, validators: parts.validators, state: parts.state,
            work: source.poll?.work, settlement: parts.settlement, moved: source.poll?.moved, isPaid: isPaid,
            end: parts.end, endOverBudget: parts.end.map { overBudget($0, of: index, at: now) })
        step.issues = source.poll?.givenUp ?? []
        sources[index].poll?.givenUp = []
        if hasNewDocumentPause {
            hasNewDocumentPause = false
            step.documentPauses = documentPauses(at: now)
        }
        return .step(step)
    }

    /// For whom a source may speak with this answer. A source that is no longer configured has what its own settings give.
    private func authority(of index: Int, for answer: FeedAnswer) -> Authority {
        let source = sources[index]
        var authority =
            authorities[source.settings.name]
            ?? Authority(of: source.settings, kindProvider: type(of: source.feed).kind.provider, domain: nil)
        authority.prove(by: answer.route)
        return authority
    }

    /// The ends of the pauses that hosts have asked documents for, the latest 1000 that are not past.
    private func documentPauses(at now: Moment) -> [String: Date] {
        let ends = hosts.mapValues(\.documentPauseEnd).filter { $0.value > now.uptime }
        let latest = ends.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(1000)
        return Dictionary(uniqueKeysWithValues: latest.map { ($0.key, now.wall(at: $0.value)) })
    }

    /// The same end if the source's budget keeps events of the poll waiting: a failure, so that the feed asks for what
    /// is missing since its last success. The next poll is that of the schedule, later with each one in a row as after
    /// failures.
    func overBudget(_ end: PollEnd, of index: Int, at now: Moment) -> PollEnd {
        var end = end
        end.failure = .overBudget
        end.shortfalls = nil
        end.failures = sources[index].record.failures + 1
        let wait = Backoff.delay(
            failures: end.failures, interval: sources[index].settings.refreshInterval, spread: 0.5)
        let due = now.wall(at: now.uptime + wait)
        if due > end.nextDue { (end.nextDue, end.dueReason) = (due, .backOff) }
        return end
    }

    /// How the poll ended and when the source is due again.
    private mutating func end(_ index: Int, _ poll: ActivePoll, at now: Moment) -> PollEnd {
        if let terms = sources[index].feed.stream {
            var end = streamEnd(index, poll, terms, at: now)
            end.shortfalls = []
            return end
        }
        let (grid, interval) = (sources[index].grid, sources[index].settings.refreshInterval)
        // What only waits for its host explains no failure.
        let waits = poll.failures.filter { $0.failure.hasCode(.hostWaiting) }
        let failures = poll.failures.filter { !$0.failure.hasCode(.hostWaiting) } + waits
        // A poll asked for during a back-off ends it.
        var due = min(grid.next(after: now.uptime), now.uptime + grid.interval)
        var reason = DueReason.interval
        var failuresInARow = 0
        let failed = poll.successes == 0 ? failures.first?.failure : nil
        if let failed {
            failuresInARow = sources[index].record.failures + 1
            let delay = Backoff.delay(
                failures: failuresInARow, interval: interval, spread: Double.random(in: 0...1, using: &random))
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
        let groups = ActivePoll.groups(of: failures)
        // The failure has the words of a group of one, unless they are of a document.
        let isSaid = failed != nil && groups.first.map { $0.count == 1 && $0.first.document == nil } == true
        var end = PollEnd(
            failure: failed, partialFailures: ActivePoll.words(of: groups.dropFirst(isSaid ? 1 : 0)),
            nextDue: now.wall(at: due), dueReason: reason, failures: failuresInARow,
            requestedInterval: poll.requestedInterval)
        end.remark = poll.remark
        if failed == nil {
            end.shortfalls = poll.shortfalls(
                after: sources[index].record.shortfalls, every: interval, at: now.wall)
        }
        return end
    }

    /// Ends a poll whose end is stored, and reports it.
    mutating func ended(_ index: Int, _ end: PollEnd, _ counts: StepResult, at now: Moment) {
        guard var poll = sources[index].poll else { return }
        poll.result.add(counts)
        let report = self.report(index, poll, end, at: now)
        sources[index].record.work = counts.isOverBudget ? nil : poll.work
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
        var leftOut: Int?
        var tellsRecovery = false
        if end.failure == nil {
            if before.failures > 0, let since = before.failingSince {
                recovered = .milliseconds(now.wall.milliseconds - since.milliseconds)
                tellsRecovery = sources[index].flaps.recovered()
            }
            sources[index].record.lastSuccess = now.wall
            sources[index].record.failingSince = nil
        } else {
            leftOut = sources[index].flaps.failed(isNew: end.failures == 1, at: now.uptime)
            if before.failures == 0 { sources[index].record.failingSince = now.wall }
        }
        sources[index].setbacks = 0
        let shortfalls = end.shortfalls ?? before.shortfalls
        sources[index].record.shortfalls = shortfalls
        sources[index].record.failures = end.failures
        sources[index].record.dueReason = end.dueReason
        let claims = poll.result.unproved.sorted { $0.key < $1.key }.map { provider, items in
            var issue = FeedIssue("unproved_identity", at: "document", found: provider)
            issue.times = items
            return issue
        }
        return PollReport(
            source: before.name, due: now.wall(at: poll.due), started: poll.started.wall,
            duration: now.uptime - poll.started.uptime, result: poll.result, bytes: poll.bytes, requests: poll.made,
            notModified: poll.notModified, issues: poll.issues + claims, end: end, leftOutFailures: leftOut,
            recoveredAfter: recovered, tellsRecovery: tellsRecovery,
            isNewlyOdd: before.remark == nil && end.remark?.isEmpty == false,
            toldShortfalls: shortfalls.filter { new in
                new.isTold && !before.shortfalls.contains { $0.part == new.part && $0.isTold }
            },
            mended: before.shortfalls.filter { old in
                old.isTold && !shortfalls.contains { $0.part == old.part }
            },
            monthlyCap: sources[index].feed.paidReads?.monthlyCap)
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
        for host in hosts.keys { hosts[host]?.waiting.removeAll(of: index) }
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

    /// Its budget is used up.
    static let overBudget = Failure(
        .operator, .overBudget,
        "its budget of rows or bytes is used up, so new events wait (daily_rows, daily_bytes, most_rows, most_bytes)")

    /// The store cannot be written.
    static func storePaused(_ reason: String) -> Failure { Failure(.ours, .store, "nothing can be stored: \(reason)") }

    /// Too little disk space is free to begin a poll.
    /// - Parameter free: The free bytes at which polls resume.
    static func diskFull(until free: Int64) -> Failure {
        let size = free.asSize(isRoundedUp: true)
        return Failure(.ours, .diskFull, "polls pause until the disk has \(size) free again (disk.minimum_free)")
    }
}

extension String {
    /// The key of the URL's validators in the store. A query, which may hold a secret, appears only as a hash.
    var validatorKey: String {
        let plain = withoutQuery
        guard plain.utf8.count < utf8.count else { return self }
        return plain + "?" + FNV64.hex(self)
    }
}
