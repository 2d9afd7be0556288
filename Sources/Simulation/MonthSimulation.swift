import Engine
import Foundation
import Model
import Store

/// A month of the whole daemon from one seed: engine, store and decoders on one thread, with faults of all kinds,
/// observed by an oracle.
package final class MonthSimulation {
    /// Days without faults at the end, in which everything must recover.
    private static let quietDays = 2.0
    static let day = 86_400.0
    /// Moments of the past that are compared at the end: a thousand in the usual twenty months.
    private static let moments = 200

    private let days: Double
    let disk: FaultyDisk?
    let faults: Faults
    private let world: World
    let trace: Trace
    /// The simulated daemon, one object for all lives. Moving it directly goes past the simulation's checks.
    package let daemon: InProcessDaemon
    let oracle: Oracle
    /// Reads what reaches the targets; nil: nobody is told of anything.
    let deskOracle: DeskOracle?
    var chance: Chance
    /// Random numbers for reloads, independent of the others.
    var reloads: Chance
    /// Random numbers for commands on the control socket and for copies of the database, likewise.
    var commands: Chance
    var copies: Chance
    /// The operator's settings, in force or not.
    var settings = SimulatedSources.all
    var actions: [(at: Date, run: () throws -> Void)] = []
    var ending = Oracle.Ending.killed
    /// A hash of the rows of the last good backup.
    var lastBackup: UInt64?
    private var questionFailure: (any Error)?

    /// Creates a daemon with its upstreams; `run` begins the month.
    /// - Parameters:
    ///   - seed: Decides everything: equal seeds and arguments give equal traces.
    ///   - days: Days with faults, above 0; two quiet days follow.
    ///   - disk: The disk of all databases, as the process's default; nil: the real one, which does not fail.
    ///   - hasFaults: Whether anything goes wrong.
    ///   - hasClients: Whether clients of the API read along in every fourth seed. They change nothing of the record.
    ///   - hasTargets: Whether watches tell targets in every fourth seed. They change nothing of the record.
    ///   - trace: Called with a line for everything that happens, its line feed included: milliseconds since the start
    ///     and the words. Nil: the lines are only hashed.
    /// - Throws: `StoreError` if the database cannot be created, or an error of the oracle.
    package init(
        seed: UInt64, days: Double = 30, disk: FaultyDisk? = nil, hasFaults: Bool = true, hasClients: Bool = true,
        hasTargets: Bool = true, trace: ((String) -> Void)? = nil
    ) throws {
        let start = InProcessDaemon.start
        let length = days * MonthSimulation.day
        let log = Trace(trace)
        let faults = Faults(seed: seed, from: start, days: days, hasDisk: disk != nil, isEmpty: !hasFaults)
        let world = World(
            seed: seed, from: start, to: start.addingTimeInterval(length + MonthSimulation.day * 1.5), faults: faults)
        let plan = ProviderPlan(
            provider: .mapquest, gap: .seconds(1), dailyQuota: 400, keepsMisses: .seconds(5 * 86_400))
        let limits = EngineLimits()
        let clock = { (now: Moment) in start.addingTimeInterval((now.uptime - InProcessDaemon.firstUptime).seconds) }
        let link = Link()
        let driver = GeocodeDriver(
            [plan], table: { PlaceWorld.outcome(of: $0) },
            service: { query, now in
                link.ask?(query, now)
                return MonthSimulation.reaction(to: query, faults, at: clock(now))
            })
        let desk = hasTargets && seed % 4 == 1 ? Desk(seed: seed, days: hasFaults ? days : 0) : nil
        let machine = try InProcessDaemon(
            SimulatedSources.all,
            secrets: Dictionary(
                uniqueKeysWithValues: ["messages", SimulatedSources.stream].map { ($0, ["bearer": Secret("token")]) }),
            limits: limits, seed: seed,
            geocoding: driver,
            telling: desk.map { TellingDriver($0, sources: SimulatedSources.all, seed: seed) }, watchesEdits: true
        ) { order in link.answer?(order) ?? .failure(Failure(.ours, "no_world", "there is no world yet")) }
        let judge = Oracle(
            store: machine.store, start: start, gap: limits.perHostGap, faults: faults, trace: log, seed: seed,
            hasClients: hasClients, hasMachineDied: { disk?.isDead ?? false })
        machine.observer = judge
        judge.meaning = { world.stream.meaning(of: $0) }
        machine.hasMachineDied = { disk?.isDead ?? false }
        machine.serverDate = { order, now in world.serverDate(order, at: clock(now)) }
        machine.latency = { _ in link.delay }
        link.answer = { [unowned machine, unowned judge] order in
            let reply = world.reply(to: order, at: clock(machine.now))
            link.delay = reply.delay
            if case .body = reply.answer { judge.pending[order.id] = Oracle.Pending(reply: reply, order: order) }
            return reply.answer
        }
        let reader = desk.map { DeskOracle(judge, $0) }
        desk?.whenArrived = { [unowned machine, weak reader] in try reader?.arrived($0, at: machine.now) }
        desk?.whenHit = { faults.hit($0) }
        driver.whenSettled = { [unowned judge] settlement, now in try judge.settled(settlement, at: now) }
        driver.whenStored = { [unowned judge] isDurable, now in try judge.stored(isDurable: isDurable, at: now) }
        self.days = days
        self.disk = disk
        self.faults = faults
        self.world = world
        self.trace = log
        daemon = machine
        oracle = judge
        deskOracle = reader
        chance = Chance(seed: seed, purpose: "operator")
        reloads = Chance(seed: seed, purpose: "reloads")
        commands = Chance(seed: seed, purpose: "commands")
        copies = Chance(seed: seed, purpose: "copies")
        link.ask = { [unowned self] query, now in self.asked(query, at: now) }
        try judge.begins(machine.store, settings, after: .closed, at: machine.now)
    }

    private func asked(_ query: PlaceQuery, at now: Moment) {
        do { try oracle.asks(query, at: now) } catch { questionFailure = questionFailure ?? error }
    }

    /// Closures that are set once daemon and world exist.
    private final class Link {
        var answer: ((FetchOrder) -> ScriptedAnswer)?
        var ask: ((PlaceQuery, Moment) -> Void)?
        var delay = Duration.zero
    }

    private static func reaction(to query: PlaceQuery, _ faults: Faults, at time: Date) -> GeocodeDriver.Reaction {
        switch faults.serviceSpell(at: time)?.kind {
        case .serviceOutage:
            faults.hit(.serviceOutage)
            return GeocodeDriver.Reaction(
                reply: .failure(Failure(.network, .timeout, "no answer")), delay: .seconds(20))
        case .serviceLimit:
            faults.hit(.serviceLimit)
            return GeocodeDriver.Reaction(
                reply: .failure(Failure(.server, "http_429", "answered 429", status: 429)), delay: .milliseconds(80))
        default:
            let answer = PlaceWorld.answer(to: query)
            if case .missing = answer { faults.hit(.serviceMiss) }
            return GeocodeDriver.Reaction(reply: .success(answer), delay: .milliseconds(120))
        }
    }

    // MARK: - Running

    /// Runs the month to its end, blocking its thread; call it once.
    /// - Throws: `Violation` for the first broken promise; `SimulationError` or `StoreError` if the simulation itself
    ///   fails.
    package func run() throws -> SimulationSummary {
        var incidents = faults.incidents[...]
        var nextDay = InProcessDaemon.start.addingTimeInterval(Self.day)
        let quiet = InProcessDaemon.start.addingTimeInterval(days * Self.day)
        while true {
            actions.sort { $0.at < $1.at }
            let next = [incidents.first?.at, actions.first?.at, nextDay, quiet].compactMap { $0 }.min() ?? quiet
            try advance(to: next)
            if let action = actions.first, action.at <= next {
                actions.removeFirst()
                try action.run()
            } else if let incident = incidents.first, incident.at <= next {
                incidents = incidents.dropFirst()
                try meet(incident)
            } else if nextDay <= next {
                nextDay = nextDay.addingTimeInterval(Self.day)
                try look()
            } else {
                break
            }
        }
        calm()
        for action in actions { try action.run() }
        actions = []
        let quietSince = daemon.now.uptime
        for _ in 0..<Int(clamping: Self.quietDays) {
            try advance(to: truth.addingTimeInterval(Self.day))
            try look()
        }
        try oracle.checkEnd(world, quietSince: quietSince, at: daemon.now)
        try deskOracle?.checkEnd(at: daemon.now)
        try oracle.checkMoments(Self.moments, at: daemon.now)
        return summary()
    }

    private func summary() -> SimulationSummary {
        var summary = oracle.summary
        summary.seeds = 1
        summary.faults = faults.counts
        summary.hash = trace.hash
        return summary
    }

    /// The true time, whatever the daemon's clock shows.
    var truth: Date { oracle.truth(daemon.now) }

    /// Has something happen so many seconds from now.
    func after(_ seconds: Double, _ run: @escaping () throws -> Void) {
        actions.append((truth.addingTimeInterval(seconds), run))
    }

    /// Lets days pass without the scheduled incidents.
    func pass(days: Double) throws { try advance(to: truth.addingTimeInterval(days * Self.day)) }

    /// Advances to a time and revives the daemon after each death.
    func advance(to time: Date) throws {
        let passed = Int64(clamping: (time.timeIntervalSince(InProcessDaemon.start) * 1000).rounded(.up))
        let end = InProcessDaemon.firstUptime + .milliseconds(passed)
        while daemon.now.uptime < end {
            try daemon.advance(to: end)
            if let questionFailure { throw questionFailure }
            if daemon.isDead { try revive() }
        }
    }

    /// The daily checks.
    func look() throws {
        try oracle.compareStore(at: daemon.now)
        try oracle.checkPunctuality(at: daemon.now)
        try oracle.checkConfiguration(daemon.file, at: daemon.now)
        try oracle.checkPins(at: daemon.now)
        try oracle.checkSpending(world.billed, at: daemon.now)
        try oracle.checkBatches(at: daemon.now)
        try oracle.catchUp(at: daemon.now)
        try oracle.catchUpClients(at: daemon.now)
        try checkWaiting()
    }

    // MARK: - Lives

    /// Begins the next life after a death.
    func revive() throws {
        if let disk, !disk.isDead {
            if ending == .powerLoss { disk.losePower() } else { disk.killProcess() }
        }
        faults.hit(ending == .powerLoss ? .powerLoss : .kill)
        if daemon.holdsLines || oracle.holdsBatches { faults.hit(.streamDeath) }
        try begin(after: ending) { [disk] in
            disk?.clearFaults()
            disk?.revive()
        }
    }

    private func begin(after ending: Oracle.Ending, revival: (() throws -> Void)?) throws {
        oracle.summary.restarts += 1
        trace.note(oracle.elapsed(daemon.now), "restart \(ending)")
        deskOracle?.died(ending, at: daemon.now)
        try daemon.restart(with: settings, revival: revival)
        try beginJudging(after: ending)
        self.ending = .killed
    }

    /// The oracle judges a new life, which may lack secrets.
    func beginJudging(after ending: Oracle.Ending) throws {
        try oracle.begins(daemon.store, settings, after: ending, at: daemon.now)
        oracle.beginReloading(lacking: daemon.file.unread(of: settings))
    }

    /// Stops the daemon in an orderly way and starts it again.
    func restart() throws {
        calm()
        try daemon.stop()
        if daemon.isDead { return try revive() }
        try begin(after: .closed, revival: nil)
    }

    /// Makes the disk work again and cancels a planned death.
    func calm() {
        disk?.clearFaults()
        daemon.lifetime = nil
        ending = .killed
    }

    // MARK: - Incidents

    private func meet(_ incident: Faults.Incident) throws {
        trace.note(oracle.elapsed(daemon.now), "incident \(incident.kind.rawValue) \(incident.size)")
        switch incident.kind {
        case .clockForward: stepClock(incident.kind, by: incident.size)
        case .clockBack: stepClock(incident.kind, by: -incident.size)
        case .suspend:
            faults.hit(.suspend)
            let end = daemon.now.uptime + .milliseconds(Int64(clamping: incident.size * 1000))
            oracle.resumed = end
            try daemon.suspend(for: end - daemon.now.uptime)
            if daemon.isDead { try revive() }
        case .gracefulRestart:
            faults.hit(.gracefulRestart)
            try restart()
        case .restartInPoll: try restartInPoll()
        case .kill, .powerLoss: try die(incident)
        case .ioError, .diskFull, .locked: trouble(incident)
        case .filterChange, .maxAgeChange, .intervalChange, .topicsChange, .sourceRemoved, .sourceRenamed:
            try reconfigure(incident.kind)
        case .backup: try backUp()
        case .migration: try migrate()
        case .streamEdit, .streamDeath, .streamDisk: try meetStream(incident.kind)
        case .cursorTooOld: putFollowerToSleep()
        case .reloadRefused, .fileGone, .secretUnread, .reloadDeath: try meetReload(incident)
        case .commandPoll, .commandRefused, .stateReset, .eventsReset, .statusRead: try meetCommand(incident.kind)
        default: break
        }
    }

    /// Steps the wall clock and corrects it some hours later.
    private func stepClock(_ kind: FaultKind, by seconds: Double) {
        faults.hit(kind)
        let step = seconds.rounded()
        move(wallClockBy: step)
        after(chance.within(3600...40_000)) { [unowned self] in self.move(wallClockBy: -step) }
    }

    private func move(wallClockBy step: Double) {
        daemon.stepWallClock(by: step)
        oracle.clockStepped = daemon.now.uptime
    }

    /// Stops the daemon in an orderly way while a request is under way.
    private func restartInPoll() throws {
        calm()
        let due = daemon.engine.dues.map { $0.at }.min() ?? daemon.now.uptime
        try daemon.advance(to: max(daemon.now.uptime, due) + .milliseconds(15))
        if daemon.isDead { return try revive() }
        if !daemon.flights.isEmpty { faults.hit(.restartInPoll) }
        try restart()
    }

    /// Plans a death after one of the next effects or during one of the next writes.
    private func die(_ incident: Faults.Incident) throws {
        calm()
        let isPower = incident.kind == .powerLoss
        ending = isPower ? .powerLoss : .killed
        if let disk, chance.happens(0.5) {
            disk.fail(.write, with: isPower ? .powerLoss : .kill, after: Int(clamping: incident.size * 3))
        } else {
            daemon.lifetime = daemon.carriedOut + 1 + Int(clamping: incident.size)
        }
    }

    private func trouble(_ incident: Faults.Incident) {
        guard let disk, daemon.lifetime == nil, ending == .killed else { return }
        switch incident.kind {
        case .diskFull: disk.fail(.write, with: .full, after: chance.below(20), times: .max)
        case .locked: disk.fail(.lock, with: .busy, after: chance.below(4), times: .max)
        default: disk.fail(chance.happens(0.7) ? .write : .sync, with: .ioError, after: chance.below(30), times: .max)
        }
        after(incident.size) { [unowned self] in self.calm() }
        if reloads.happens(0.5) {
            after(incident.size * reloads.within(0.1...0.9)) { [unowned self] in try self.editInterval() }
        }
    }
}
