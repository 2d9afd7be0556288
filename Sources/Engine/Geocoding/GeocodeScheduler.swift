import Foundation
public import Model

/// Schedules geocoding: when events are looked up in the city table, which job is next, and which service is asked
/// when.
///
/// A synchronous state machine of values like `Engine`: the same inputs and seed give the same effects. Beside the
/// look-ups (`LookUpSchedule`) it does one thing at a time. It takes a job and lets kept answers settle it. Otherwise
/// it waits for the gap of the first available service, reserves the request, makes it, and stores the answer. So at
/// most one request is under way over all services, and effects need no identity.
///
/// **No job starves.** The newest job goes first, of several sources that of the one that has asked least today, but
/// every eighth job taken is the oldest. So a job with `n` older ones is taken after at most 8 (n + 1) others, however
/// many new ones arrive. A source that has used up its share of a daily quota waits for the next day. A job whose request failed is skipped
/// for a while that doubles with each failure (30 s … 1 h), so it holds up no other job. A person's question goes
/// before all jobs, but the queue has a turn between two questions.
///
/// **A job is answered by a service once.** An answer is stored in one transaction with its effect on the job, and a
/// failed write is repeated before anything else. While the answer is kept, the same service is not asked again. Only a
/// death before that transaction, or a store that fails for over 15 minutes, costs a second request. A failed request
/// stores nothing and leaves the job waiting.
public struct GeocodeScheduler: Sendable {
    /// One of this many jobs taken is the oldest.
    static let oldestEvery = 8

    private var services: [ScheduledService]
    /// Configured services that cannot be asked.
    private let unreachable: [GeocodeProvider]
    private var random: SplitMix
    private var stage = Stage.idle
    /// Whether the store may have a job that can be taken.
    private var hasJobs = true
    /// When a job may become available without an input, as uptime.
    private var wake: Duration?
    private var questions: [GeocodeWork] = []
    /// A job that was interrupted by a person's question while it waited for a gap.
    private var postponed: GeocodeWork?
    /// Whether the queue has the next turn, because a question was just handled.
    private var isQueueTurn = false
    /// Jobs taken so far.
    private var jobsTaken = 0
    private var setAside = SetAsideJobs()
    private var storePause = StorePause()
    private var lookUps = LookUpSchedule()
    /// When the request under way is cancelled, as uptime; nil once it was.
    private var deadline: Duration?
    /// The failure of a request that was cancelled at its deadline.
    private var expiry: Failure?
    private var isStopping = false
    private var hasReportedStop = false
    private var effects: [GeocodeEffect] = []

    /// The scheduler's present action.
    private enum Stage: Sendable {
        case idle
        case taking
        /// Waiting for the gap of a service.
        case pacing(GeocodeWork, Int)
        case reserving(GeocodeWork, Int)
        case requesting(GeocodeWork, Int)
        case settling(Unwritten)
        /// The store has failed; an unwritten settlement is tried again.
        case paused(until: Duration, reason: String, Unwritten?)
    }

    private struct Unwritten: Sendable {
        var settlement: GeocodeSettlement
        var work: GeocodeWork
    }

    /// Creates a scheduler; its first effect comes with the first input.
    ///
    /// - Parameters:
    ///   - providers: The configured services, in the order in which they are asked; without duplicates. Empty: only
    ///     the city table is used.
    ///   - usage: Earlier requests by service, from the store, so that gaps last over a restart; a missing service has
    ///     made none.
    ///   - seed: Seed of the waits' spread.
    ///   - now: The time of the start.
    public init(
        providers: [ProviderPlan], waitingFor unreachable: [GeocodeProvider] = [],
        usage: [GeocodeProvider: ProviderUsage], seed: UInt64, at now: Moment
    ) {
        self.unreachable = unreachable
        services = providers.map { ScheduledService($0, lastRequest: usage[$0.provider]?.lastRequest, at: now) }
        random = SplitMix(seed: seed)
    }

    /// When the scheduler needs a `tick`, as uptime, perhaps past; nil if only another input can change anything, and
    /// after `stop`.
    public var nextWake: Duration? {
        isStopping ? nil : [nextStep, lookUps.nextWake].compactMap { $0 }.min()
    }

    /// When time alone continues the work on questions, as uptime.
    private var nextStep: Duration? {
        switch stage {
        case .idle: wake
        case .pacing(_, let index): services[index].free
        case .requesting: deadline
        case .paused(let until, _, _): until
        case .taking, .reserving, .settling: nil
        }
    }

    /// Takes over from a scheduler that has asked the same services until now: each pauses for its gap. Call it before
    /// the first input.
    public mutating func takeOver(at now: Moment) {
        for index in services.indices { services[index].sent(at: now.uptime) }
    }

    /// Takes an input and returns the effects, to be carried out in order. An unexpected input changes nothing.
    public mutating func handle(_ input: GeocodeInput, at now: Moment) -> [GeocodeEffect] {
        effects = []
        switch input {
        case .tick: break
        case .eventsWaiting: lookUps.want()
        case .lookedUp(let mayHaveAsked, let hasFailed):
            lookUps.end(hasFailed: hasFailed, at: now)
            if mayHaveAsked { hasJobs = true }
        case .taken(let job): taken(job, at: now)
        case .reserved(let answer): reserved(answer, at: now)
        case .sent(let uptime): if case .requesting(_, let index) = stage { services[index].sent(at: uptime) }
        case .answered(let answer): answered(answer, at: now)
        case .failed(let failure): failed(failure, at: now)
        case .settled: settled(at: now)
        case .storeFailed(let reason): storeFailed(reason, at: now)
        case .ask(let query, let kept, let number):
            questions.append(GeocodeWork(job: GeocodeJob(query: query, answers: kept), question: number))
        case .stop: isStopping = true
        }
        guard !isStopping else {
            end(at: now)
            return effects
        }
        if let reopening = lookUps.begin(at: now) { effects.append(.lookUp(reopening: reopening)) }
        switch input {
        case .eventsWaiting, .lookedUp(mayHaveAsked: false, hasFailed: _): break  // concerns no question
        default: proceed(at: now)
        }
        return effects
    }

    // MARK: Next step

    private mutating func proceed(at now: Moment) {
        if case .requesting(_, let index) = stage, let time = deadline, time <= now.uptime {
            let limit = services[index].plan.timeout.compact
            expiry = Failure(.network, .timeout, "no answer within \(limit)")
            cancelRequest()
        }
        if case .paused(let until, let reason, let unwritten) = stage {
            guard until <= now.uptime else {
                // A person does not wait for the store to recover.
                for question in questions { reply(question, otherwise: .storeFailed(reason: reason), at: now) }
                questions = []
                return
            }
            stage = .idle
            if let unwritten { settle(unwritten) }
        }
        if case .pacing(let work, let index) = stage {
            if work.isOfQueue, isQuestionNext {
                postponed = work
                stage = .idle
            } else if services[index].free <= now.uptime {
                reserve(work, index, at: now)
            }
        }
        while case .idle = stage, startNext(at: now) {}
    }

    private var isQuestionNext: Bool { !questions.isEmpty && !isQueueTurn }

    /// Begins a question or a job; returns false if there is none.
    private mutating func startNext(at now: Moment) -> Bool {
        if isQuestionNext {
            isQueueTurn = true
            bring(questions.removeFirst(), at: now)
            return true
        }
        if let work = postponed {
            postponed = nil
            bring(work, at: now)
            return true
        }
        if let time = wake, time <= now.uptime {
            wake = nil
            hasJobs = true
        }
        let available = services.filter { $0.isAvailable(at: now) }.map(\.provider)
        if hasJobs, !available.isEmpty {
            hasJobs = false
            stage = .taking
            let skipping = setAside.rows(at: now)
            let isOldest = jobsTaken % Self.oldestEvery == Self.oldestEvery - 1
            effects.append(
                .take(oldest: isOldest, providers: available, skipping: skipping, without: sourcesWithoutShare(at: now))
            )
            return true
        }
        let times =
            services.map(\.availableFrom) + setAside.ends + services.flatMap { $0.fullShares.values.map(\.retry) }
        wake = times.filter { $0 > now.uptime }.min()
        isQueueTurn = false
        return !questions.isEmpty
    }

    /// The sources that no available service may be asked for.
    private func sourcesWithoutShare(at now: Moment) -> Set<String> {
        let shares = services.filter { $0.isAvailable(at: now) }.map { service in
            Set(service.fullShares.keys.filter { !service.hasShare(for: $0, at: now) })
        }
        return shares.dropFirst().reduce(shares.first ?? []) { $0.intersection($1) }
    }

    /// Continues a job: known answers settle it, or a service is asked. Returns false if neither is possible; the job
    /// then waits.
    @discardableResult
    private mutating func bring(_ work: GeocodeWork, at now: Moment) -> Bool {
        stage = .idle
        if let end = services.conclusion(of: work.job, waitingFor: unreachable) {
            if work.isOfQueue {
                settle(
                    Unwritten(settlement: GeocodeSettlement(job: work.job, at: now.wall, end: end), work: work))
            } else {
                reply(work, at: now)
            }
            return true
        }
        let next = services.indices.first { index in
            let provider = services[index].provider
            return services[index].isAvailable(at: now) && services[index].hasShare(for: work.job.source, at: now)
                && work.job.answers[provider] == nil && work.outcomes[provider] == nil
        }
        guard let next else {
            reply(work, at: now)
            if work.isOfQueue { isQueueTurn = false }
            return false
        }
        if services[next].free <= now.uptime { reserve(work, next, at: now) } else { stage = .pacing(work, next) }
        return true
    }

    // MARK: Taking, reserving, asking

    private mutating func taken(_ job: GeocodeJob?, at now: Moment) {
        guard case .taking = stage else { return }
        stage = .idle
        guard let job, !isStopping else {
            isQueueTurn = false
            return
        }
        jobsTaken += 1
        // After a job that cannot be continued, no other is taken for now.
        if bring(GeocodeWork(job: job), at: now) { hasJobs = true }
    }

    private mutating func reserve(_ work: GeocodeWork, _ index: Int, at now: Moment) {
        if work.isOfQueue { isQueueTurn = false }
        let plan = services[index].plan
        stage = .reserving(work, index)
        effects.append(
            .reserve(
                ProviderReservation(
                    provider: plan.provider, at: now.wall, dailyQuota: plan.dailyQuota,
                    monthlyQuota: plan.monthlyQuota, source: work.job.source)))
    }

    private mutating func reserved(_ answer: ReservationAnswer, at now: Moment) {
        guard case .reserving(let work, let index) = stage else { return }
        stage = .idle
        storeWorks()
        guard !isStopping else { return reply(work, otherwise: .stopping, at: now) }
        if let end = answer.quotaEnd(after: now.wall), answer == .shareIsFull, let source = work.job.source {
            if services[index].useUpShare(of: source, until: end, at: now) {
                effects.append(.notice(.shareUsedUp(services[index].provider, source: source, until: end)))
            }
            // Other sources' jobs may be asked.
            if !bring(work, at: now) { hasJobs = true }
        } else if let end = answer.quotaEnd(after: now.wall) {
            if services[index].useUpQuota(until: end, at: now) {
                effects.append(.notice(.quotaUsedUp(services[index].provider, until: end)))
            }
            bring(work, at: now)
        } else {
            services[index].start(at: now)
            stage = .requesting(work, index)
            deadline = now.uptime + services[index].plan.timeout
            expiry = nil
            effects.append(.request(services[index].provider, work.job.query))
        }
    }

    private mutating func answered(_ answer: ProviderAnswer, at now: Moment) {
        guard case .requesting(var work, let index) = stage else { return }
        let plan = services[index].plan
        if let after = services[index].breaker.succeed(at: now.uptime) {
            let isTold = services[index].flaps.recovered()
            effects.append(.notice(.providerRecovered(plan.provider, after: after, isTold: isTold)))
        }
        if let id = work.job.id { setAside.remove(id) }
        work.job.answers[plan.provider] = answer
        work.outcomes[plan.provider] = .answered(answer)
        let keeps =
            switch answer {
            case .found: plan.keepsPlaces
            case .missing: plan.keepsMisses
            }
        let fresh = GeocodeSettlement.Fresh(
            provider: plan.provider, answer: answer, expires: now.wall.addingTimeInterval(keeps.seconds))
        let end = services.conclusion(of: work.job, waitingFor: unreachable)
        if end != nil {
            reply(work, at: now)
            work.question = nil
        }
        settle(
            Unwritten(
                settlement: GeocodeSettlement(job: work.job, at: now.wall, fresh: fresh, end: end ?? .waiting),
                work: work))
    }

    private mutating func failed(_ failure: Failure, at now: Moment) {
        guard case .requesting(var work, let index) = stage else { return }
        stage = .idle
        var failure = expiry ?? failure
        failure.excerpt = nil
        work.outcomes[services[index].provider] = .failed(failure)
        // A request cancelled by a stop says nothing about the service.
        guard !isStopping else { return reply(work, otherwise: .stopping, at: now) }
        let spread = Double.random(in: 0...1, using: &random)
        let isNew = services[index].breaker.fail(failure, spread: spread, at: now)
        if let until = services[index].breaker.until {
            let leftOut = services[index].flaps.failed(isNew: isNew, at: now.uptime)
            if isNew || leftOut != nil {
                effects.append(
                    .notice(
                        .providerFailing(
                            services[index].provider, failure, until: now.wall(at: until), leftOut: leftOut)))
            }
        }
        if work.isOfQueue { passOver(work.job, at: now) } else { bring(work, at: now) }
    }

    /// Cancels the request under way, once.
    private mutating func cancelRequest() {
        guard deadline != nil else { return }
        deadline = nil
        effects.append(.cancel)
    }

    /// Sets aside a job that has failed.
    private mutating func passOver(_ job: GeocodeJob, at now: Moment) {
        guard let id = job.id else { return }
        let spread = Double.random(in: 0...1, using: &random)
        setAside.add(id, spread: spread, at: now)
    }

    // MARK: Storing

    private mutating func settle(_ unwritten: Unwritten) {
        if unwritten.work.isOfQueue { isQueueTurn = false }
        stage = .settling(unwritten)
        effects.append(.settle(unwritten.settlement))
    }

    private mutating func settled(at now: Moment) {
        guard case .settling(let unwritten) = stage else { return }
        stage = .idle
        storeWorks()
        let work = unwritten.work
        guard unwritten.settlement.end == .waiting, work.isOfQueue || work.question != nil else { return }
        if isStopping { reply(work, otherwise: .stopping, at: now) } else { bring(work, at: now) }
    }

    private mutating func storeWorks() {
        if storePause.recover() { effects.append(.notice(.storeResumed)) }
    }

    /// Pauses after a failure of the store. An unwritten answer is kept and written after the pause.
    private mutating func storeFailed(_ reason: String, at now: Moment) {
        var unwritten: Unwritten?
        switch stage {
        case .taking: break
        case .reserving(let work, _): reply(work, otherwise: .storeFailed(reason: reason), at: now)
        case .settling(let held):
            unwritten = held
            reply(held.work, otherwise: .storeFailed(reason: reason), at: now)
            unwritten?.work.question = nil
        case .idle, .pacing, .requesting, .paused: return
        }
        stage = .idle
        guard !isStopping else { return }
        if let held = unwritten, storePause.isLongest {
            // The store may refuse only this settlement.
            unwritten = nil
            passOver(held.work.job, at: now)
        }
        let until = storePause.begin(at: now)
        hasJobs = true
        stage = .paused(until: until, reason: reason, unwritten)
        effects.append(.notice(.storePaused(reason: reason, until: now.wall(at: until))))
    }

    // MARK: Replying and stopping

    /// Replies to a person; does nothing for a job of the queue.
    private mutating func reply(
        _ work: GeocodeWork, otherwise reason: ProviderReply.Reason = .notNeeded, at now: Moment
    ) {
        guard let number = work.question else { return }
        effects.append(
            .reply(number: number, services.replies(to: work, waitingFor: unreachable, otherwise: reason, at: now)))
    }

    private mutating func end(at now: Moment) {
        for question in questions { reply(question, otherwise: .stopping, at: now) }
        questions = []
        switch stage {
        case .taking, .reserving, .settling: return
        case .requesting: return cancelRequest()
        case .paused(_, _, let unwritten?): return settle(unwritten)
        case .pacing(let work, _): reply(work, otherwise: .stopping, at: now)
        case .idle, .paused: break
        }
        stage = .idle
        if !hasReportedStop {
            hasReportedStop = true
            effects.append(.stopped)
        }
    }
}
