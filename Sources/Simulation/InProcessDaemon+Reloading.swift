import Engine
package import Model

// The configuration: read and put into force as by `Daemon`, but at once.
extension InProcessDaemon {
    /// Replaces the file's content; the engine does not notice.
    package func write(_ content: ScriptedConfiguration.Content) { file.write(content, at: now) }

    /// Makes the secrets of these sources unreadable, and those of all others readable.
    package func withhold(_ names: Set<String>) { file.withhold(names, at: now) }

    /// Writes other settings into the file and has it read, as by `visiventd reload`. Throws like `give`; a refused
    /// configuration is no error but a report to the observer.
    package func reload(_ settings: [SourceSettings]) throws {
        write(.good(settings))
        try give(.reload(.look(.command)))
    }

    /// Carries out a step of a reload.
    func follow(_ step: ReloadStep) {
        switch step {
        case .read(let order):
            observe {
                let reading = try read(order)
                try observer?.reads(reading, by: self, at: now)
                life.poller.tell(.reload(.read(reading)))
            }
        case .prepare(let relocating):
            relocates = relocating
            life.poller.tell(.reload(.prepared))
        case .ended(let report):
            if case .inForce(let changes) = report.outcome {
                reloads.append(changes)
                settings = draft
                if relocates { observe { try geocoding?.relocate(settings) } }
            }
            observe { try observer?.reloaded(report, by: self, at: now) }
        }
    }

    private func read(_ order: ReadingOrder) throws -> ConfigurationReading {
        guard order.file != .never else {
            return ConfigurationReading(content: nil, outcome: try unchanged(order))
        }
        let number = file.number
        guard order.file != .unless(content: number) else {
            return ConfigurationReading(content: number, outcome: try unchanged(order))
        }
        switch file.content {
        case .good(let settings):
            return ConfigurationReading(content: number, outcome: .good(try makeDraft(settings)))
        case .faulty:
            return ConfigurationReading(content: number, outcome: .faulty([.fault("it has a fault")], isGone: false))
        case .gone:
            return ConfigurationReading(content: number, outcome: .faulty([.fault("there is no file")], isGone: true))
        }
    }

    private func unchanged(_ order: ReadingOrder) throws -> ConfigurationReading.Outcome {
        guard order.readsSecrets else { return .unchanged(nil) }
        return .unchanged(try makeDraft(settings))
    }

    /// What the locator for these settings is made from; services and table never change.
    static func locatorPlan(_ settings: [SourceSettings]) -> LocatorPlan {
        LocatorPlan(settings: LookUp.settingsName(of: settings))
    }

    private func makeDraft(_ settings: [SourceSettings]) throws -> ConfigurationDraft {
        draft = settings
        let configuration = EngineConfiguration(
            sources: try Self.bind(settings, file, []), limits: limits, truncation: truncation)
        return ConfigurationDraft(
            configuration: configuration, faults: file.faults(of: settings), locator: Self.locatorPlan(settings))
    }
}

extension Failure {
    /// A fault of the configuration file.
    fileprivate static func fault(_ message: String) -> Failure { Failure(.operator, .notConfigured, message) }
}
