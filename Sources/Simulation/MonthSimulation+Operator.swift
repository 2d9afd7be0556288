import Engine
import Foundation
import Model

// What the operator does: the configuration changes, by a restart or while the daemon runs.
extension MonthSimulation {
    func reconfigure(_ kind: FaultKind) throws {
        let names = settings.map(\.name)
        switch kind {
        case .filterChange: SimulatedSources.changeFilter(&settings, &chance)
        case .maxAgeChange: SimulatedSources.changeMaxAge(&settings, &chance)
        case .intervalChange: SimulatedSources.changeInterval(&settings, &chance)
        case .topicsChange: SimulatedSources.changeTopics(&settings, &chance)
        case .sourceRenamed: SimulatedSources.rename(&settings, &chance)
        case .sourceRemoved:
            let index = chance.below(settings.count)
            // The token is known by the name, and the last of all sources stays.
            guard settings.count > 5 else { return }
            let removed = settings.remove(at: index)
            actions.append(
                (
                    truth.addingTimeInterval(chance.within(0.2...3) * Self.day),
                    { [unowned self] in
                        self.faults.hit(.sourceAdded)
                        self.settings.append(removed)
                        try self.putIntoForce()
                    }
                ))
        default: return
        }
        faults.hit(kind)
        trace.note(oracle.elapsed(daemon.now), "sources \(names) become \(settings.map(\.name))")
        try putIntoForce()
    }

    /// Half of what the operator writes is put into force by a restart.
    private func putIntoForce() throws {
        if reloads.happens(0.5) { try reload() } else { try restart() }
    }

    /// An edit and a reload that the disk may refuse.
    func editInterval() throws {
        SimulatedSources.changeInterval(&settings, &reloads)
        try reload()
    }

    /// Puts what the operator has written into force while the daemon runs; what is refused is tried again later.
    func reload() throws {
        let concerned = oracle.concerned(by: settings)
        let (before, count) = (schedule, daemon.reloads.count)
        trace.note(oracle.elapsed(daemon.now), "reload of \(concerned.sorted())")
        try daemon.reload(settings)
        if daemon.isDead { return try revive() }
        let isInForce = daemon.reloads.count > count
        // Where nothing has come into force, only the polls that were cut short have another time.
        try oracle.checkReload(
            from: before, to: schedule, sparing: isInForce ? concerned : concerned.filter { before.dues[$0] == nil },
            at: daemon.now)
        faults.hit(isInForce ? .reload : .reloadFailed)
        guard !isInForce else { return }
        actions.append(
            (truth.addingTimeInterval(reloads.within(600...7200)), { [unowned self] in try self.reload() }))
    }

    /// What is due and under way.
    var schedule: Oracle.Schedule {
        let dues = daemon.engine.dues.map { ($0.source, $0.at) }
        let requests =
            daemon.flights.map { Oracle.Schedule.Request(id: $0.order.id, source: $0.order.source) }
            + daemon.openStreams.map { Oracle.Schedule.Request(id: $0.id, source: $0.source) }
        return Oracle.Schedule(
            names: daemon.engine.sourceNames, dues: Dictionary(dues, uniquingKeysWith: { first, _ in first }),
            requests: Set(requests))
    }
}
