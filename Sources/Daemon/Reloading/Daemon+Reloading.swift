import Control
import Engine
import Foundation
import Logging
import Model
import Operations
import Settings
import Store
import UnixSignals

// Carries out the engine's steps of a reload; `ReloadJudge` decides when, and what may come into force.
extension Daemon {
    /// Starts reloads, and reports SIGHUP and edits of the file to the engine, until the task is cancelled.
    /// - Parameter onEdit: Whether edits are watched.
    func beginReloading(onEdit: Bool) async -> Task<Void, Never> {
        guard let configuration else { return Task {} }
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        if onEdit {
            let new = FileWatcher(path: configuration.path, watchesFragments: true, time: time) { [poller] in
                poller.tell(.look(.edit))
            }
            watcher.withLock { $0 = new }
        }
        return Task {
            await withTaskGroup { group in
                group.addTask { for await _ in hangUps { self.poller.tell(.look(.signal)) } }
                group.addTask { await self.reload(configuration) }
            }
            self.watcher.withLock { $0 = nil }
        }
    }

    /// Answers `visiventd reload`.
    func answerReload(_ reply: @Sendable (ControlReply) -> Void) async {
        guard configuration != nil else {
            return reply(ControlReply(message: "the configuration cannot be read again", isSuccess: false))
        }
        let replies = await reloadWaiters.wait(for: .command) { [poller] in poller.tell(.look(.command)) }
        for line in replies { reply(line) }
    }

    /// The reply once no reload follows.
    static let notReloaded = [
        ControlReply(message: "the configuration cannot be stored: the daemon is stopping", isSuccess: false)
    ]

    /// Carries out the steps in order until polling ends.
    private func reload(_ file: ConfigurationFile) async {
        var state = atStart
        for await step in poller.reloads {
            switch step {
            case .read(let order):
                let (reading, next) = await onQueue { [state] () -> (ConfigurationReading, ReloadState) in
                    var next = state
                    return (self.read(file, order, &next), next)
                }
                state = next
                poller.tell(.read(reading))
            case .prepare(let relocating): poller.tell(await prepare(&state, relocating: relocating))
            case .ended(let report): await end(report, &state)
            }
        }
        reloadWaiters.close()
    }

    /// Runs work that may block, such as reading files, off the cooperative threads.
    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await time.queue("visiventd.configuration").value(of: work)
    }

    // MARK: Reading

    /// Reads the file and the secrets that it names, or the secrets of the configuration in force; blocks.
    private func read(
        _ file: ConfigurationFile, _ order: ReadingOrder, _ state: inout ReloadState
    ) -> ConfigurationReading {
        state.draft = nil
        guard order.file != .never else {
            return ConfigurationReading(content: nil, outcome: unchanged(order, &state))
        }
        // Changes of the file from here on are noticed.
        watcher.withLock { $0 }?.look()
        state.note(file.contents)
        let content = state.content
        guard order.file != .unless(content: content) else {
            return ConfigurationReading(content: content, outcome: unchanged(order, &state))
        }
        if let refusal = file.refusal {
            return ConfigurationReading(content: content, outcome: faulty(refusal, file, &state))
        }
        do throws(SettingsErrors) {
            let (settings, sources) = try file.load()
            let draft = state.take(ReadConfiguration(settings, sources, secrets))
            return ConfigurationReading(content: content, outcome: .good(draft))
        } catch {
            return ConfigurationReading(content: content, outcome: faulty(error, file, &state))
        }
    }

    private func unchanged(_ order: ReadingOrder, _ state: inout ReloadState) -> ConfigurationReading.Outcome {
        guard order.readsSecrets else { return .unchanged(nil) }
        return .unchanged(state.take(ReadConfiguration(state.settings, state.sources, secrets)))
    }

    private func faulty(
        _ errors: SettingsErrors, _ file: ConfigurationFile, _ state: inout ReloadState
    ) -> ConfigurationReading.Outcome {
        let isGone = file.isGone
        state.obstacle = isGone ? .gone : state.isUnreadable ? .unread : .faults
        return .faulty(errors.faults.map { $0.failure }, isGone: isGone)
    }

    // MARK: Coming into force

    /// Prepares what may fail, so that the configuration comes into force as a whole or not at all.
    private func prepare(_ state: inout ReloadState, relocating: Bool) async -> ReloadInput {
        manager.reloading()
        state.isTold = true
        guard let read = state.draft else { return .prepared }
        let (now, sources) = (time.now().wall, read.settings.sources)
        // Only words depend on it, so a failure does not matter here.
        state.ages = await onQueue { (try? self.store.ageChanges(under: sources, asOf: now))?.words ?? [] }
        guard relocating else { return .prepared }
        let new = read.settings.keepingFixed(of: state.settings)
        let made = await onQueue {
            Result { () throws(StoreError) in
                try self.makeLocator(new, read.services, self.locators.current.log)
            }
        }
        switch made {
        case .success(let next):
            state.locator = next
            return .prepared
        case .failure(let error): return .notPrepared(error.failure)
        }
    }

    /// Applies a configuration that is in force, and reports the outcome.
    private func end(_ report: ReloadReport, _ state: inout ReloadState) async {
        if !state.isTold { manager.reloading() }
        state.isTold = false
        var (others, hasNewPlan) = (SettingsChanges(), false)
        if case .inForce(let changes) = report.outcome, let read = state.draft {
            others = read.changes(since: state)
            others.ages = state.ages
            hasNewPlan = changes != SourceChanges()
            if let next = state.locator { locators.relocate(with: next) }
            let new = read.settings.keepingFixed(of: state.settings)
            fetcher?.use(new.fetchLimits)
            if (new.watches, new.deliver) != (state.settings.watches, state.settings.deliver) { reporter.use(new) }
            configuration?.logLevel.change(to: new.log.loggerLevel)
            read.warn(logger)
            read.warnOfExposure(logger)
            state.settings = new
            state.sources = read.sources
            state.missingSecrets = read.missingSecrets
        }
        state.draft = nil
        state.locator = nil
        state.ages = []
        let refused = report.refusal(state.obstacle)
        if report.isNoted { poller.note(refused) }
        // At once, since new sources are polled already.
        if report.isSaid { log(report, others, state) }
        if hasNewPlan { try? await poller.notePlan() }
        if report.isNoted {
            let (now, renewed) = (time.now().wall, report.renewed(others))
            _ = try? await poller.writer.perform { [store] in
                try store.setRefusedConfiguration(refused)
                try store.noteNewSettings(of: renewed, at: now)
            }
        }
        manager.ready(poller.statusLine)
        guard report.cause == .command else { return }
        reloadWaiters.answerFirst(.command, with: report.replies(others))
    }

    private func log(_ report: ReloadReport, _ others: SettingsChanges, _ state: ReloadState) {
        let (level, words, details): (Logger.Level, Logger.Message, [String]) =
            switch report.outcome {
            case .inForce: (.notice, "configuration was reloaded", [report.summary(others)])
            case .refused(let faults):
                switch state.obstacle {
                case .gone: (.error, "configuration is gone, the one before stays in force", faults)
                case .unread: (.error, "configuration cannot be read, the one before stays in force", faults)
                case .faults, .unstored: (.error, "configuration is refused, the one before stays in force", faults)
                }
            case .unread(let reasons):
                (.warning, "configuration cannot be read just now, the one before stays in force", reasons)
            case .failed(let reason, _):
                (.error, "configuration cannot be stored, the one before stays in force", [reason])
            }
        for detail in details {
            logger.tell(level, words, reason: report.cause.rawValue, detail: detail)
        }
        guard case .inForce(let changes) = report.outcome, !changes.added.isEmpty else { return }
        let dues = poller.plan.dues
        for source in state.settings.sources where source.isEnabled && changes.added.contains(source.name) {
            // A source that is polled by now has no due time.
            let due = dues[source.name] ?? time.now().wall
            logger.notice(
                "source was added", metadata: [LogKey.source: "\(source.name)", LogKey.next: "\(due.timestamp)"])
        }
    }
}

extension SettingsFault {
    /// The fault as a failure; a transient one is this machine's.
    fileprivate var failure: Failure { Failure(isTransient ? .ours : .operator, .notConfigured, description) }
}

extension StoreError {
    /// The error as a failure; a temporary one is this machine's.
    fileprivate var failure: Failure { Failure(isTemporary ? .ours : .operator, .store, message) }
}
