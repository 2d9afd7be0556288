import Foundation
import Model

/// The open stream of a poll: its last request, which delivers many answers.
struct OpenStream: Sendable {
    let id: FetchID
    let key: RequestKey
    /// When its head arrived, as uptime.
    let opened: Duration
    /// Whether a keep-alive or a message has proved that it works.
    var isProven = false
    /// Whether a message has arrived. After that an unrecognized line is only skipped.
    var hasMessages = false
    /// Why this side is closing it, or why it has ended.
    var closing: Failure?
    /// Set while it is closed for an edit or a reset: `until` is the latest uptime of its end, `wait` the time from its
    /// end until the source is due.
    var drain: (until: Duration, wait: Duration)?
    /// Whether more paid reads are being reserved.
    var isReserving = false
    /// Whether the reader waits until the last batch is stored.
    var isAwaited = false
    /// When the open stream is recorded again in the store, as uptime.
    var nextNote = Duration.zero

    /// Takes a batch. Returns whether it is the first that proves that the stream works, and why the stream must be
    /// closed.
    mutating func take(_ batch: FeedAnswer) -> (isFirst: Bool, failure: Failure?) {
        // A closing message, or lines that were not recognized, do not prove that the stream works.
        let isProof = (batch.closing == nil && batch.unrecognized == nil) || !batch.events.isEmpty
        let isFirst = isProof && !isProven
        isProven = isProven || isProof
        hasMessages = hasMessages || (isProof && (batch.cost > 0 || !batch.events.isEmpty))
        isAwaited = true
        return (isFirst, batch.closing ?? (hasMessages ? nil : batch.unrecognized))
    }
}

/// Attempts in a row to reopen a stream, for one kind of reason.
struct Reopening: Sendable, Hashable {
    enum Reason: Sendable { case broken, error, limited }

    var reason = Reason.broken
    var attempts = 0

    /// Counts an attempt. Another kind of reason starts again at 1.
    mutating func count(_ reason: Reason) {
        attempts = reason == self.reason ? attempts + 1 : 1
        self.reason = reason
    }
}

extension Engine {
    /// The time after which an open stream counts as stable, so that the waits before reopening start anew. It is also
    /// the least time between two attempts across a restart.
    static let steady = Duration.seconds(60)

    // MARK: Opening

    /// Registers an open stream. It no longer counts as a request under way, and its host does not wait for its end.
    mutating func opened(_ id: FetchID, _ facts: FetchFacts, at now: Moment) {
        observe(facts, of: id, at: now)
        guard var flight = flights[id], !flight.isHeld, sources[flight.key.source].poll != nil else { return }
        hosts[flight.host]?.open -= 1
        sources[flight.key.source].load.open -= 1
        uncount(flight)
        flight.isCounted = false
        flight.isHeld = true
        flights[id] = flight
        heldFlights += 1
        sources[flight.key.source].poll?.stream = OpenStream(id: id, key: flight.key, opened: now.uptime)
        if isStopping { closeStream(flight.key.source, .stopping) }
    }

    // MARK: Open

    /// Stores a decoded batch of a stream at once.
    mutating func streamed(_ id: FetchID, _ content: FeedAnswer, _ facts: FetchFacts, at now: Moment) {
        guard let flight = flights[id], flight.isHeld, var poll = sources[flight.key.source].poll,
            let taken = poll.stream?.take(content)
        else { return }
        let index = flight.key.source
        var answer = content
        answer.topic = poll.requests[flight.key.number].asked.topic
        poll.bytes += facts.bytes
        poll.issues += content.issues.prefix(max(0, ActivePoll.issueCap - poll.issues.count))
        sources[index].learn(content.secrets)
        var parts = StepParts(answer: answer)
        if let part = content.state { parts.state = sources[index].record.state.replace(answer.topic, with: part) }
        parts.settlement = poll.requests[flight.key.number].use(content.cost)
        sources[index].poll = poll
        if taken.isFirst {
            note(index, parts, at: now)
        } else {
            write(stepContent(index, parts, at: now), for: .step(index))
        }
        if let failure = taken.failure { closeStream(index, failure) }
        reserveMore(index, at: now)
    }

    /// Has an open stream read on once its last batch is stored and enough reads are reserved for the next one. So a
    /// server that sends faster than the store takes waits, and costs neither memory nor reads beyond the cap.
    mutating func readOn(_ index: Int) {
        guard let poll = sources[index].poll, let stream = poll.stream, stream.isAwaited, !stream.isReserving,
            !purposes.keys.contains(where: { $0.poll == poll.number })
        else { return }
        sources[index].poll?.stream?.isAwaited = false
        effects.append(.readOn(stream.id))
    }

    /// Answers a forced poll of a source with an open stream by a report. Returns false if no stream is open.
    mutating func noteIfStreaming(_ index: Int, at now: Moment) -> Bool {
        guard let stream = sources[index].poll?.stream, isOpen(stream) else { return false }
        note(index, at: now)
        return true
    }

    /// Records an open stream again if that is due.
    mutating func noteAgain(_ index: Int, at now: Moment) {
        guard let stream = sources[index].poll?.stream, isOpen(stream), stream.nextNote <= now.uptime else { return }
        note(index, at: now)
    }

    /// Whether a stream works and is not closing. A stream that has ended may still wait for the store, as after a
    /// suspend.
    private func isOpen(_ stream: OpenStream) -> Bool {
        stream.isProven && stream.closing == nil && flights[stream.id] != nil
    }

    /// Records in the store that the stream is open. This counts as a success of the source.
    private mutating func note(_ index: Int, _ parts: StepParts = StepParts(), at now: Moment) {
        let next = now.uptime + sources[index].settings.refreshInterval
        sources[index].poll?.stream?.nextNote = next
        set(.note(index), at: next)
        var end = PollEnd(failure: nil, nextDue: now.wall(at: next), dueReason: .stream, failures: 0)
        end.bytes = sources[index].poll.map { $0.bytes - $0.storedBytes } ?? 0
        var parts = parts
        parts.end = end
        write(stepContent(index, parts, at: now), for: .note(index, end))
    }

    /// Reports the results since the last report, once the open stream is recorded.
    mutating func noted(_ index: Int, _ end: PollEnd, _ counts: StepResult, at now: Moment) {
        guard var poll = sources[index].poll, poll.stream?.isProven == true else { return }
        poll.result.add(counts)
        poll.storedBytes += end.bytes
        guard poll.stream?.drain == nil else {
            // The report of its end answers the callers that wait for the drain.
            sources[index].poll = poll
            return
        }
        // What came while the store wrote belongs to the next report.
        let later = poll.bytes - poll.storedBytes
        poll.bytes = poll.storedBytes
        let report = self.report(index, poll, end, at: now)
        poll.result = StepResult()
        poll.bytes = later
        poll.storedBytes = 0
        poll.made = 0
        poll.issues = []
        sources[index].poll = poll
        effects.append(.report(report))
    }

    /// Reserves the next paid reads while enough are left for data under way. The stream is closed if the cap is
    /// reached or the budget is used up.
    private mutating func reserveMore(_ index: Int, at now: Moment) {
        guard let stream = sources[index].poll?.stream, !stream.isReserving, stream.closing == nil,
            let request = sources[index].poll?.requests[stream.key.number], let left = request.reserved,
            left <= Self.margin(request.asked)
        else { return }
        sources[index].poll?.stream?.isReserving = true
        reserve(stream.key, at: now)
    }

    /// Reads kept for data that arrives before the stream is closed.
    private static func margin(_ request: FeedRequest) -> Int {
        min(2 * (request.stream?.batchLines ?? 0), request.cost / 2)
    }

    /// Takes the answer to a reservation of an open stream.
    mutating func reservedMore(_ key: RequestKey, _ grant: ReadGrant, at now: Moment) {
        sources[key.source].poll?.stream?.isReserving = false
        if let refusal = Failure.refusal(grant, at: now.wall) { return closeStream(key.source, refusal) }
        guard let request = sources[key.source].poll?.requests[key.number] else { return }
        let cost = request.asked.cost
        // The stream may have ended meanwhile, and its other reads were given back.
        guard request.status == .open else { return giveBack(cost, of: key.source, at: now) }
        sources[key.source].poll?.requests[key.number].reserved? += cost
        reserveMore(key.source, at: now)
    }

    // MARK: Closing

    /// Closes the source's stream. Data already received is stored, then the poll ends.
    mutating func closeStream(_ index: Int, _ reason: Failure) {
        guard let stream = sources[index].poll?.stream, stream.closing == nil else { return }
        sources[index].poll?.stream?.closing = reason
        effects.append(.cancel(stream.id))
    }

    /// Closes all streams.
    mutating func closeStreams(_ reason: Failure) {
        for index in sources.indices { closeStream(index, reason) }
    }

    /// Ends the poll of a stream; returns false if the request was no stream.
    mutating func streamEnded(_ id: FetchID, _ failure: Failure, _ facts: FetchFacts, at now: Moment) -> Bool {
        guard flights[id]?.isHeld == true else { return false }
        guard let flight = land(id), var poll = sources[flight.key.source].poll, let stream = poll.stream else {
            return true
        }
        let index = flight.key.source
        let request = poll.requests[flight.key.number]
        var reason = stream.closing ?? failure
        reason.excerpt = nil  // the shell keeps it
        poll.requests[flight.key.number].status = .done
        poll.chains[request.chain].remaining -= 1
        // Its batches are stored; state held back before them is out of date.
        poll.chains[request.chain].hasFailed = true
        poll.bytes += facts.bytes
        poll.failures.append(ActivePoll.Loss(topic: request.asked.topic, reason))
        poll.stream?.closing = reason
        sources[index].poll = poll
        if reason.isOurWish, !stream.isProven {
            // It proved nothing, so it is neither a success nor a failure.
            giveBack(request.reserved ?? 0, of: index, at: now)
            let cause = stream.drain == nil ? reason : drainReason(index)
            abandonPoll(index, because: cause, dueIn: stream.drain?.wait ?? Self.steady, at: now)
            return true
        }
        step(index, answer: nil, settlement: request.settlement(used: 0), at: now)
        return true
    }

    /// The end of a stream's poll, and when the stream is opened again.
    ///
    /// A stream that worked and then broke is no failure of its source, because streams end that way.
    mutating func streamEnd(_ index: Int, _ poll: ActivePoll, _ terms: StreamTerms, at now: Moment) -> PollEnd {
        let source = sources[index]
        let wasOpen = poll.stream?.isProven == true
        settleReopening(index, poll, at: now)
        guard let failure = poll.failures.first?.failure, !failure.isOurWish else {
            let due = now.uptime + (poll.stream?.drain?.wait ?? terms.afterErrors.first)
            return PollEnd(failure: nil, nextDue: now.wall(at: due), dueReason: .reconnect, failures: 0)
        }
        let isBlameless = wasOpen && failure.isTransient
        let failures = isBlameless ? 0 : source.record.failures + 1
        var due: Duration
        var reason = DueReason.reconnect
        if failure.hasCode(.spendCap) {
            return PollEnd(
                failure: failure, nextDue: now.wall.nextMonth, dueReason: .spendCap, failures: failures)
        }
        let spread = Double.random(in: 0...1, using: &random)
        if failure.isTransient {
            let status = failure.status ?? 0
            let sort: Reopening.Reason = status == 429 ? .limited : status >= 400 ? .error : .broken
            sources[index].reopening.count(sort)
            let waits =
                switch sort {
                case .broken: terms.afterBreaks
                case .error: terms.afterErrors
                case .limited: terms.afterLimits
                }
            // The spread only lengthens the provider's wait, and keeps sources from reconnecting together.
            let wait = waits.wait(attempt: sources[index].reopening.attempts)
            due = now.uptime + wait * (1 + 0.2 * spread)
        } else if failure.status == 410 {
            (due, reason) = (now.uptime + Backoff.longest, .gone)
        } else {
            let interval = source.settings.refreshInterval
            (due, reason) = (
                now.uptime + Backoff.delay(failures: failures, interval: interval, spread: spread), .backOff
            )
        }
        if let time = poll.notBefore {
            let wait = min(now.uptime(at: time), now.uptime + Backoff.longest)
            if wait > due { (due, reason) = (wait, .retryAfter) }
        }
        return PollEnd(
            failure: isBlameless ? nil : failure, partialFailures: isBlameless ? [failure.message] : [],
            nextDue: now.wall(at: due), dueReason: reason, failures: failures)
    }

    /// Resets the waits before reopening if the stream was open for `steady`, whatever ended it.
    mutating func settleReopening(_ index: Int, _ poll: ActivePoll, at now: Moment) {
        if let opened = poll.stream?.opened, now.uptime - opened >= Self.steady {
            sources[index].reopening = Reopening()
        }
    }
}

extension Failure {
    /// The month's paid reads are used up.
    static func spendCap(at time: Date) -> Failure {
        Failure(
            .operator, .spendCap, "the monthly cap of paid reads is reached (monthly_cap)",
            retryAfter: time.addingTimeInterval(Backoff.longest.seconds))
    }

    /// Why reserved reads may not be made; nil if they may.
    static func refusal(_ grant: ReadGrant, at time: Date) -> Failure? {
        switch grant {
        case .granted: nil
        case .capReached: .spendCap(at: time)
        case .overBudget: .overBudget
        }
    }

    /// Disk space is too low for paid reads.
    static let lowDisk = Failure(
        .ours, .lowDisk, "disk space is low, so nothing is read that costs money (disk.minimum_free)")

    /// The program stops.
    static let stopping = Failure(.ours, .stopping, "the program stops")

    /// The source is edited, removed or reset.
    static let draining = Failure(.ours, .leaving, "the source is edited or reset")

    /// Whether a stream is closed by this program: for a stop, an edit or a reset.
    var isOurWish: Bool { self == .stopping || self == .draining }
}
