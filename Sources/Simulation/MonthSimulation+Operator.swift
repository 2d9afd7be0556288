import Engine
import Foundation
import Model

// The operator's changes of the configuration, by a restart or while the daemon runs.
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
            // At least five sources stay.
            guard settings.count > 5 else { return }
            let removed = settings.remove(at: index)
            after(chance.within(0.2...3) * Self.day) { [unowned self] in
                self.faults.hit(.sourceAdded)
                self.settings.append(removed)
                try self.putIntoForce()
            }
        default: return
        }
        faults.hit(kind)
        trace.note(oracle.elapsed(daemon.now), "sources \(names) become \(settings.map(\.name))")
        try putIntoForce()
    }

    /// Puts the operator's settings into force by a restart, a reload or an edit that the daemon notices.
    private func putIntoForce() throws {
        guard reloads.happens(0.5) else { return try restart() }
        if reloads.happens(0.5) { try reload() } else { try edit() }
    }

    /// Edits an interval and reloads, while the disk may fail.
    func editInterval() throws {
        SimulatedSources.changeInterval(&settings, &reloads)
        try reload()
    }

    /// Writes the operator's settings and asks for a reload; the engine retries what the disk refuses.
    func reload() throws {
        daemon.write(.good(settings))
        try ask(.command)
    }

    /// Writes the operator's settings; the daemon notices the edit.
    func edit() throws {
        daemon.write(.good(settings))
        try ask(.edit)
    }

    /// Has the file looked at; if it is good it must be in force in time.
    private func ask(_ cause: ReloadCause) throws {
        trace.note(oracle.elapsed(daemon.now), "\(cause.rawValue): \(oracle.concerned(by: settings).sorted())")
        try daemon.give(.reload(.look(cause)))
        if daemon.isDead { return try revive() }
        expect()
    }

    private func expect() {
        after(62) { [unowned self] in try self.oracle.checkConfiguration(self.daemon.file, at: self.daemon.now) }
    }

    // MARK: - The file and its secrets

    func meetReload(_ incident: Faults.Incident) throws {
        switch incident.kind {
        case .reloadRefused: try spoil(.faulty, for: incident.size)
        case .fileGone: try spoil(.gone, for: incident.size)
        case .secretUnread: try withhold(for: incident.size)
        default: try dieInReload(after: Int(clamping: incident.size))
        }
    }

    /// Puts a faulty file or none in place for a while, during which a reload may be requested.
    private func spoil(_ content: ScriptedConfiguration.Content, for seconds: Double) throws {
        daemon.write(content)
        if reloads.happens(0.5) {
            let cause = reloads.pick([ReloadCause.command, .signal])
            after(seconds * reloads.within(0.1...0.9)) { [unowned self] in try self.ask(cause) }
        }
        after(seconds) { [unowned self] in try self.edit() }
        try ask(.edit)
    }

    /// Makes a secret unreadable for a while. An edit at that moment waits for it, but not for long.
    private func withhold(for seconds: Double) throws {
        daemon.withhold(["messages"])
        after(seconds) { [unowned self] in
            self.daemon.withhold([])
            self.expect()
        }
        SimulatedSources.changeInterval(&settings, &reloads)
        try edit()
    }

    /// Dies between two steps of a reload.
    private func dieInReload(after steps: Int) throws {
        calm()
        SimulatedSources.changeInterval(&settings, &reloads)
        daemon.lifetime = daemon.carriedOut + 1 + min(steps, 3)
        let lives = oracle.summary.restarts
        try reload()
        if oracle.summary.restarts > lives { faults.hit(.reloadDeath) } else { calm() }
    }

    /// Due times and requests under way.
    var schedule: Oracle.Schedule { Oracle.Schedule(daemon) }
}
