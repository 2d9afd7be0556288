import Engine
import Foundation
import Model

/// A feed whose requests and answers the test writes.
struct ScriptedFeed: Feed {
    static let kind = FeedKind(
        name: "scripted", summary: "", decoderVersion: 1, refreshInterval: .seconds(300), offset: .zero,
        maxAge: .seconds(3600))

    var first: @Sendable (PollContext) -> [FeedRequest]
    var afterRefusal: @Sendable (Failure, PollContext) -> FeedState? = { _, _ in nil }
    var stream: StreamTerms?

    init(_ settings: SourceSettings) {
        first = { _ in settings.urls().map { FeedRequest(url: $0.url, topic: $0.topic) } }
    }

    func requests(for poll: PollContext) -> [FeedRequest] { first(poll) }

    func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer { FeedAnswer() }

    func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState? {
        afterRefusal(refusal, poll)
    }
}

/// Drives an engine under a test clock: writes succeed at once in a small store, requests wait for the test.
final class EngineHarness {
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    var engine: Engine
    var now: Moment
    var records: [String: SourceRecord]
    /// Requests under way, in the order of sending, with the time since the start.
    var orders: [(order: FetchOrder, at: Duration)] = []
    var sent: [(url: String, at: Duration)] = []
    var steps: [PollStep] = []
    var reports: [PollReport] = []
    var notices: [Notice] = []
    var abandoned: [String] = []
    /// Reasons of abandoned polls, in the same order.
    var refusals: [String] = []
    /// Sources that may be reset.
    var readyForReset: [String] = []
    var truncations: [Date] = []
    var cancelled = 0
    /// Hosts that have asked for a pause.
    var pausedHosts: [String] = []
    var isStopped = false
    var storeWorks = true
    var storeHangs = false
    /// A source whose poll results the store refuses; attempts are accepted.
    var refusedSource: String?
    var grant = ReadGrant.granted
    /// Sources whose answers bring more than their budgets have room for.
    var overBudget: Set<String> = []
    /// The content of the configuration file, and its number.
    var file = ConfigurationReading.Outcome.unchanged(nil) { didSet { content += 1 } }
    private(set) var content = 0
    /// The configuration in force with the secrets that can be read now.
    var secrets: ConfigurationDraft?
    /// The answer to `ReloadStep.prepare`.
    var preparation = ReloadInput.prepared
    /// Whether the test answers readings; otherwise they are answered at once.
    var readingHangs = false
    /// Readings of the configuration with the time since the start, and the reports on them.
    var looks: [(order: ReadingOrder, at: Duration)] = []
    var reloads: [ReloadReport] = []
    /// Whether each prepared configuration needed another locator.
    var relocations: [Bool] = []
    var beginnings: [PollBeginning] = []
    var reservations: [Reservation] = []
    /// Reservations for the test to answer; nil: they are answered at once.
    var heldReservations: [WriteID]?
    /// Paid reads that were returned.
    var givenBack: [Int] = []
    /// Actions about pictures, which the test answers.
    var pictureEffects: [PictureEffect] = []
    /// Aborted requests and closed streams.
    var closed: [FetchID] = []
    /// Streams that were told to read on, once for each batch that is stored.
    var readOn: [FetchID] = []
    private let base: Duration

    init(
        _ settings: [SourceSettings], records: [String: SourceRecord] = [:], limits: EngineLimits = EngineLimits(),
        wall: Date = start, uptime: Duration = .seconds(1000), lastTrusted: Date? = nil, lastTruncation: Date? = nil,
        documentPauses: [String: Date] = [:],
        reload: ReloadPlan = ReloadPlan(watchesEdits: false), pictures: PicturePlan? = nil, seed: UInt64 = 1,
        feed: (SourceSettings) -> ScriptedFeed = { ScriptedFeed($0) }
    ) {
        now = Moment(wall: wall, uptime: uptime)
        base = uptime
        self.records = records
        let sources = settings.map { source in
            EngineSource(settings: source, feed: feed(source), record: records[source.name])
        }
        engine = Engine(
            sources: sources, limits: limits, lastTrusted: lastTrusted, lastTruncation: lastTruncation,
            documentPauses: documentPauses, reload: reload, pictures: pictures, seed: seed, at: now)
    }

    /// Writes another configuration into the file and has it read at once.
    func configure(
        _ settings: [SourceSettings], limits: EngineLimits = EngineLimits(),
        truncation: TruncationPlan = TruncationPlan(), feed: (SourceSettings) -> ScriptedFeed = { ScriptedFeed($0) }
    ) {
        file = .good(Self.draft(settings, limits: limits, truncation: truncation, feed: feed))
        give(.reload(.look(.command)))
    }

    static func draft(
        _ settings: [SourceSettings], unread: Set<String> = [], limits: EngineLimits = EngineLimits(),
        truncation: TruncationPlan = TruncationPlan(), feed: (SourceSettings) -> ScriptedFeed = { ScriptedFeed($0) }
    ) -> ConfigurationDraft {
        let sources = settings.map { EngineSource(settings: $0, feed: feed($0)) }
        let configuration = EngineConfiguration(sources: sources, limits: limits, truncation: truncation)
        return ConfigurationDraft(configuration: configuration, faults: unread.sorted().map(Self.ours))
    }

    /// A failure of this machine in reading a secret or the file.
    static func ours(_ message: String) -> Failure { Failure(.ours, .secret, message) }

    /// Changes by configurations that came into force.
    var configured: [SourceChanges] {
        reloads.compactMap { if case .inForce(let changes) = $0.outcome { changes } else { nil } }
    }

    /// Reasons of configurations that failed.
    var notConfigured: [String] {
        reloads.compactMap { if case .failed(let reason, _) = $0.outcome { reason } else { nil } }
    }

    /// Reads the file like the shell.
    func read(_ order: ReadingOrder) -> ConfigurationReading {
        let kept = ConfigurationReading.Outcome.unchanged(order.readsSecrets ? secrets : nil)
        switch order.file {
        case .never: return ConfigurationReading(content: nil, outcome: kept)
        case .unless(content: content): return ConfigurationReading(content: content, outcome: kept)
        case .unless, .always: return ConfigurationReading(content: content, outcome: file)
        }
    }

    static func source(
        _ name: String, url: String? = nil, topics: [String] = [], every interval: Duration = .seconds(300),
        offset: Duration = .zero
    ) -> SourceSettings {
        SourceSettings(
            name: name, kind: "scripted", url: url ?? "https://\(name).test/feed", topics: topics,
            refreshInterval: interval, offset: offset)
    }

    var elapsed: Duration { now.uptime - base }

    func give(_ input: Input) {
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in engine.handle(inputs.removeFirst(), at: now) {
                switch effect {
                case .write(let id, let content):
                    if storeHangs { continue }
                    if case .reserve = content, heldReservations != nil {
                        heldReservations?.append(id)
                        continue
                    }
                    if case .step(let step) = content, step.source == refusedSource {
                        inputs.append(.writeFailed(id, "constraint failed", isTransient: false))
                    } else if storeWorks {
                        inputs.append(.wrote(id, store(content)))
                    } else {
                        inputs.append(.writeFailed(id, "disk full", isTransient: true))
                    }
                case .fetch(let order):
                    orders.append((order, elapsed))
                    sent.append((order.url, elapsed))
                case .cancel(let id):
                    orders.removeAll { $0.order.id == id }
                    cancelled += 1
                    closed.append(id)
                case .readOn(let id): readOn.append(id)
                case .truncate(let asOf):
                    truncations.append(asOf)
                    inputs.append(.truncated)
                case .reload(.read(let order)):
                    looks.append((order, elapsed))
                    if !readingHangs { inputs.append(.reload(.read(read(order)))) }
                case .reload(.prepare(let relocating)):
                    relocations.append(relocating)
                    inputs.append(.reload(preparation))
                case .reload(.ended(let report)): reloads.append(report)
                case .picture(let effect): pictureEffects.append(effect)
                case .report(let report): reports.append(report)
                case .abandoned(let source, let reason):
                    abandoned.append(source)
                    refusals.append(reason.code)
                case .hostPaused(let host, _): pausedHosts.append(host)
                case .readyForReset(let source): readyForReset.append(source)
                case .notice(let notice): notices.append(notice)
                case .stopped: isStopped = true
                }
            }
        }
    }

    private func store(_ content: StoreWrite) -> StoreResult {
        switch content {
        case .begin(let beginning):
            beginnings.append(beginning)
            let name = beginning.source
            let before = records[name] ?? SourceRecord(name: name, kind: "scripted")
            records[name] = before
            records[name]?.lastAttempt = beginning.at
            records[name]?.nextDue = beginning.nextDue
            records[name]?.dueReason = beginning.dueReason
            return .begun(before)
        case .step(var step):
            var result = StepResult()
            result.new = step.answer?.events.count ?? 0
            result.count((step.answer?.issues ?? []) + step.issues)
            if overBudget.contains(step.source) {
                result.isOverBudget = true
                (step.validators, step.state, step.work) = ([:], nil, nil)
                if step.end != nil { step.end = step.endOverBudget }
            }
            steps.append(step)
            records[step.source]?.work = step.work
            records[step.source]?.validators.merge(step.validators) { _, new in new }
            if let state = step.state { records[step.source]?.state = state }
            if let end = step.end {
                records[step.source]?.nextDue = end.nextDue
                records[step.source]?.dueReason = end.dueReason
                records[step.source]?.failures = end.failures
                records[step.source]?.lastFailure = end.failure
                if end.failure == nil { records[step.source]?.lastSuccess = step.at }
                if end.failures == 1 { records[step.source]?.failingSince = step.at }
                if let shortfalls = end.shortfalls { records[step.source]?.shortfalls = shortfalls }
                if let remark = end.remark { records[step.source]?.remark = remark.isEmpty ? nil : remark }
            }
            return .stepped(result)
        case .reserve(let reservation):
            reservations.append(reservation)
            return .reserved(grant)
        case .giveBack(let reservation):
            givenBack.append(reservation.reads)
            return .gaveBack
        case .reconcile: return .reconciled(Array(records.values))
        }
    }

    /// Moves time forward, waking the engine whenever it asks for it.
    func advance(_ duration: Duration, wallStep: Duration = .zero) {
        let end = now.uptime + duration
        if wallStep != .zero { now.wall = now.wall.addingTimeInterval(wallStep.seconds) }
        while let wake = engine.nextWake, wake <= end {
            move(to: max(wake, now.uptime))
            give(.tick)
        }
        move(to: end)
        give(.tick)
    }

    private func move(to uptime: Duration) { now = Moment(wall: now.wall(at: uptime), uptime: uptime) }

    /// Advances second by second and answers every request at once.
    func run(_ duration: Duration, answer: (FetchOrder) -> Input) {
        let end = now.uptime + duration
        advance(.zero)
        while now.uptime < end {
            while let (order, _) = orders.first {
                orders.removeFirst()
                give(answer(order))
            }
            advance(min(.seconds(1), end - now.uptime))
        }
    }

    func takeOrder() -> FetchOrder? { orders.isEmpty ? nil : orders.removeFirst().order }
}

extension Input {
    static func empty(_ order: FetchOrder, etag: String? = nil, serverDate: Date? = nil) -> Input {
        .answered(order.id, FeedAnswer(), FetchFacts(validators: Validators(etag: etag), serverDate: serverDate))
    }
}
