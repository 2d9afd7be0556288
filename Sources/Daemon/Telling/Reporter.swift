import Engine
import Fetching
package import Foundation
package import Logging
import Model
import Presenting
package import Settings
package import Store
import Synchronization
package import Telling

/// Tells targets what watches accept. It owns the teller, passes it inputs and carries out its effects.
package final class Reporter: Sendable {
    private let store: EventStore
    private let secrets: SecretReader
    private let network: Network
    private let time: TimeSource
    private let log: TellingLog
    private let freeSpace: @Sendable () -> Int64?
    private let isClockTrusted: @Sendable () -> Bool
    private let hostPaused: @Sendable (_ host: String, _ until: Date) -> Void
    private let teller: Mutex<Teller>
    private let settings: Mutex<Settings>
    private let inputs: AsyncStream<TellerInput>
    private let inbox: AsyncStream<TellerInput>.Continuation
    /// Works on the tables of what was told.
    private let queue: WorkQueue
    /// Looks at the program's trouble, once a watch tells of it.
    private let watcher = Mutex<Task<Void, Never>?>(nil)

    /// How often the program's trouble is looked at, where a watch tells of it.
    private static let healthInterval = Duration.seconds(60)

    /// - Parameters:
    ///   - settings: The configuration in force.
    ///   - network: Sends messages, over connections that no poll uses.
    ///   - freeSpace: The free bytes of the database's disk; nil: unknown.
    ///   - hostPaused: Takes a pause that a host has asked for.
    package init(
        store: EventStore, settings: Settings, secrets: SecretReader, network: @escaping Network, time: TimeSource,
        seed: UInt64, logger: Logger, freeSpace: @escaping @Sendable () -> Int64? = { nil },
        isClockTrusted: @escaping @Sendable () -> Bool,
        hostPaused: @escaping @Sendable (_ host: String, _ until: Date) -> Void
    ) {
        (self.store, self.secrets, self.network, self.time) = (store, secrets, network, time)
        (self.freeSpace, self.isClockTrusted, self.hostPaused) = (freeSpace, isClockTrusted, hostPaused)
        log = TellingLog(logger: logger)
        teller = Mutex(Teller(seed: seed))
        self.settings = Mutex(settings)
        (inputs, inbox) = AsyncStream.makeStream(of: TellerInput.self)
        queue = time.queue("visiventd.told")
    }

    /// Tells until `stop`, and returns when the messages under way have ended.
    package func run() async {
        var alarm = Alarm(time) { [inbox] in inbox.yield(.tick) }
        var underWay = UnderWay()
        let follower = time.task { await self.follow() }
        inbox.yield(.trusts(isClockTrusted()))
        use(settings.withLock { $0 })
        for await input in inputs {
            let (effects, wake) = teller.withLock { ($0.handle(input, at: time.now()), $0.nextWake) }
            for effect in effects { carryOut(effect, &underWay) }
            if underWay.isStopped { break }
            alarm.set(wake)
        }
        alarm.stop()
        follower.cancel()
        watcher.withLock { $0?.cancel() }
        inbox.finish()
    }

    /// Puts a configuration into force.
    package func use(_ settings: Settings) {
        self.settings.withLock { $0 = settings }
        if settings.watches.contains(where: \.isHealth) {
            watcher.withLock { $0 = $0 ?? time.task { await self.watchHealth() } }
        }
        inbox.yield(.configure(settings.tellingPlan))
    }

    /// Notes that a host has asked the polls for a pause.
    package func pause(_ host: String, until: Date) { inbox.yield(.paused(host: host, until: until)) }

    /// Stops: nothing more is taken, and messages under way have a few seconds.
    package func stop() { inbox.yield(.stop) }

    /// Tells the teller of new changes.
    private func follow() async {
        let changes = ChangeFeed(of: store)
        var cursor: Int64 = 0
        while let newest = try? await changes.wait(after: cursor) {
            cursor = newest
            guard !settings.withLock({ $0.watches.isEmpty }) else { continue }
            inbox.yield(.trusts(isClockTrusted()))
            inbox.yield(.committed)
        }
    }

    private func watchHealth() async {
        let queue = time.queue("visiventd.told.health")
        while (try? await time.sleep(until: time.now().uptime + Self.healthInterval)) != nil {
            let (settings, now) = (settings.withLock { $0 }, time.now().wall)
            inbox.yield(
                .health(await queue.value { [store, freeSpace] in settings.trouble(in: store, freeSpace(), at: now) }))
        }
    }

    // MARK: - Effects

    /// What the teller has begun.
    private struct UnderWay {
        /// The plan in force in the store.
        var plan = TellingPlan()
        /// The messages, by id of the target.
        var messages: [String: Task<Void, Never>] = [:]
        /// Whether nothing is under way any more, after a stop.
        var isStopped = false
    }

    /// Carries out an effect, or starts it; never waits for the result.
    private func carryOut(_ effect: TellerEffect, _ underWay: inout UnderWay) {
        switch effect {
        case .ask(let task, let now):
            if case .begin(let plan) = task { underWay.plan = plan }
            ask(task, underWay.plan, at: now)
        case .send(let order):
            underWay.messages[order.target] = time.task { [self] in
                let outcome = await send(order)
                inbox.yield(.answered(target: order.target, id: order.id, outcome))
            }
        case .cancel(let target): underWay.messages[target]?.cancel()
        case .hostPaused(let host, let until): hostPaused(host, until)
        case .notice(let notice): log.notice(notice)
        case .stopped: underWay.isStopped = true
        }
    }

    private func ask(_ task: TellingTask, _ plan: TellingPlan, at now: TellingTime) {
        let forms = Dictionary(
            settings.withLock { $0.deliver }.map { ($0.name, $0.form) }, uniquingKeysWith: { first, _ in first })
        queue.async { [store, log, inbox] in
            do {
                let answer = try store.tell(task, plan, at: now) { message in
                    (forms[message.target.name] ?? MessageForm(.webhook)).letter(message)
                }
                if case .begin = task {
                    for watch in try store.watchStates() where watch.since.milliseconds == now.wall.milliseconds {
                        log.begins(watch)
                    }
                }
                inbox.yield(.stored(answer))
            } catch {
                inbox.yield(.stored(.failed(reason: "\(error)")))
            }
        }
    }

    /// Sends a message once.
    private func send(_ order: Order) async -> DeliveryOutcome {
        let start = time.now().uptime
        let delivery = settings.withLock { $0.deliver }.first { $0.targets.contains { $0.id == order.target } }
        guard let delivery, let target = delivery.targets.first(where: { $0.id == order.target }) else {
            let failure = Failure(.operator, .notConfigured, "\(order.target) is not configured")
            return DeliveryOutcome(failure, of: .webhook)
        }
        let courier = Courier(settings: delivery, secrets: secrets, network: network, time: time)
        let outcome = await courier.send(order, to: target)
        log.sent(order, outcome, took: time.now().uptime - start)
        return outcome
    }

    // MARK: - Persons

    /// Sends a message of a watch, marked as a test, to its targets, or to one: the newest event that it accepts.
    /// - Returns: By target, the outcome and how long it took.
    /// - Throws: `Failure` if there is no such watch or target; `StoreError`.
    package func test(
        _ name: String, to target: String?
    ) async throws -> [(target: String, outcome: DeliveryOutcome, took: Duration)] {
        let settings = settings.withLock { $0 }
        let watch = settings.watches.first { $0.name == name && (target.map($0.targets.contains) ?? true) }
        guard let watch else {
            throw Failure(.operator, .notConfigured, "no watch \(name) that tells \(target ?? "anybody") is configured")
        }
        let receivers = settings.deliver.filter { watch.targets.contains($0.name) && [nil, $0.name].contains(target) }
        let event = try await time.queue("visiventd.told.test").value { [store] in
            Result { try watch.isHealth ? nil : store.newestMatch(of: watch) }
        }.get()
        var outcomes: [(target: String, outcome: DeliveryOutcome, took: Duration)] = []
        for receiver in receivers {
            for target in receiver.targets {
                let message = Announcement(testing: watch, with: event, to: target, at: time.now().wall)
                let order = Order(
                    id: message.id, target: target.id, kind: .test, letter: receiver.form.letter(message))
                let start = time.now().uptime
                let outcome = await send(order)
                if outcome.verdict == .sent { inbox.yield(.tried(target: target.id)) }
                outcomes.append((target.id, outcome, time.now().uptime - start))
            }
        }
        return outcomes
    }

    /// Lets a message be sent again, to one target or to all that have it.
    /// - Returns: The ids of the targets for which it waits again.
    /// - Throws: `StoreError`.
    package func resend(_ id: String, to target: String?) async throws -> [String] {
        let now = time.now().wall
        let plan = settings.withLock { $0.tellingPlan }
        let targets = plan.targets.filter { [nil, $0.name, $0.id].contains(target) }.map(\.id)
        let found = try await queue.value { [store] in
            Result { try targets.filter { try store.resend(id, to: $0, at: now) } }
        }.get()
        // All targets are looked at anew.
        if !found.isEmpty { inbox.yield(.configure(plan)) }
        return found
    }
}

extension Announcement {
    /// A message that tries a target, with an event; nil: none is there.
    fileprivate init(testing watch: Watch, with event: StoredEvent?, to target: Target, at now: Date) {
        self.init(of: event?.publicID ?? "test", .test, .test, to: target, watches: [watch], changed: now, at: now)
        (publicID, self.event, sequence) = (event?.publicID, event, event?.changeSequence ?? 0)
        if event == nil { words = "\(watch.name): nothing that it accepts is stored" }
    }
}

extension EventStore {
    /// The newest event that a watch accepts, among the newest thousand of its sources and magnitudes; nil: none.
    fileprivate func newestMatch(of watch: Watch) throws -> StoredEvent? {
        var query = EventQuery()
        (query.sources, query.minimumMagnitude) = (watch.filter.sources, watch.filter.minimumMagnitude)
        query.limit = 1000
        return try events(query).first { watch.filter.fit($0) == .full }
    }
}
