/// Reloads of the configuration.
extension Engine {
    /// Takes an input about the configuration; it is ignored while the engine stops.
    mutating func take(_ input: ReloadInput, at now: Moment) {
        guard !isStopping else { return }
        switch input {
        case .look(let cause): reload?.ask(cause, at: now)
        case .read(let reading):
            switch reload?.take(reading, at: now) {
            case .takeUp(let relocating)?: effects.append(.reload(.prepare(relocating: relocating)))
            case .report(let report)?: effects.append(.reload(.ended(report)))
            case nil: break
            }
        case .prepared:
            if let configuration = reload?.prepared() { configure(configuration, at: now) }
        case .notPrepared(let failure):
            if let report = reload?.notPrepared(failure, at: now) { effects.append(.reload(.ended(report))) }
        }
    }

    /// Reports the outcome of a configuration that was coming into force.
    mutating func endReload(_ outcome: ReloadReport.Outcome, at now: Moment) {
        if let report = reload?.end(outcome, at: now) { effects.append(.reload(.ended(report))) }
    }

    /// Orders a reading of the configuration if one is due.
    mutating func readConfiguration(at now: Moment) {
        guard !isStopping, let order = reload?.begin(at: now) else { return }
        effects.append(.reload(.read(order)))
    }
}
