import Engine
package import Model

// The configuration: read and put into force as `Daemon` does it, but at once.
extension InProcessDaemon {
    /// The operator writes the file; nobody has looked at it yet.
    package func write(_ content: ScriptedConfiguration.Content) { file.write(content, at: now) }

    /// From now on the secrets of these sources, and of no others, cannot be read.
    package func withhold(_ names: Set<String>) { file.withhold(names, at: now) }

    /// Writes other settings and has them read, as `visiventd reload` does.
    package func reload(_ settings: [SourceSettings]) throws {
        write(.good(settings))
        try give(.reload(.look(.command)))
    }

    /// Does what the engine wants done with the configuration.
    func follow(_ step: ReloadStep) throws {
        switch step {
        case .read(let order):
            let reading = try read(order)
            try observer?.reads(reading, by: self, at: now)
            inbox.append(.reload(.read(reading)))
        case .prepare: inbox.append(.reload(.prepared))
        case .ended(let report):
            if case .inForce(let changes) = report.outcome {
                reloads.append(changes)
                settings = draft
            }
            try observer?.reloaded(report, by: self, at: now)
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
            return ConfigurationReading(content: number, outcome: .refused(["it has a fault"], isGone: false))
        case .gone:
            return ConfigurationReading(content: number, outcome: .refused(["there is no file"], isGone: true))
        }
    }

    private func unchanged(_ order: ReadingOrder) throws -> ConfigurationReading.Outcome {
        guard order.readsSecrets else { return .unchanged(nil) }
        return .unchanged(try makeDraft(settings))
    }

    private func makeDraft(_ settings: [SourceSettings]) throws -> ConfigurationDraft {
        draft = settings
        let configuration = EngineConfiguration(
            sources: try Self.bind(settings, file, []), limits: limits, truncation: truncation)
        return ConfigurationDraft(configuration: configuration, unread: file.unread(of: settings))
    }
}
