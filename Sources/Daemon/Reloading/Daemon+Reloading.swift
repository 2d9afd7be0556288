import Dispatch
import Engine
import Foundation
import Logging
import Model
import Settings
import Store
import UnixSignals

extension Daemon {
    /// Why the configuration is read again.
    enum ReloadCause: String {
        case command = "visiventd reload"
        case signal = "SIGHUP"
        case edit = "the file was edited"
        case removal = "the file is gone"
    }

    /// How long the file is left alone after an edit: editors write in several steps.
    private static let settling = Duration.milliseconds(200)

    /// When it is looked at again after it could not be read just now, so many times in a row (1…): 1, 2, 4 … 60 s.
    static func pause(afterFailures count: Int) -> Duration { .seconds(min(1 << min(count - 1, 6), 60)) }

    /// From its return on the configuration is read again when SIGHUP comes, and when the file is edited, until the task
    /// is cancelled.
    func beginReloading(onEdit: Bool) async -> Task<Void, Never> {
        guard let configuration else { return Task {} }
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let (edits, edit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        do throws(DaemonError) {
            if onEdit {
                let new = try FileWatcher(path: configuration.path) { edit.yield() }
                watcher.withLock { $0 = new }
                // It may have been edited since it was read: opening the database may take long.
                edit.yield()
            }
        } catch {
            logger.warning("configuration is not watched", metadata: [LogKey.detail: "\(error)"])
        }
        return Task { [time] in
            await withTaskGroup { group in
                group.addTask {
                    for await _ in hangUps {
                        if case .unread? = await self.reload(.signal) { edit.yield() }
                    }
                }
                group.addTask {
                    var failures = 0
                    var again: Task<Void, Never>?
                    defer { again?.cancel() }
                    for await _ in edits {
                        guard (try? await time.sleep(time.now().uptime + Self.settling)) != nil else { return }
                        again?.cancel()
                        guard case .unread? = await self.reload(.edit) else {
                            failures = 0
                            continue
                        }
                        failures += 1
                        let pause = Self.pause(afterFailures: failures)
                        again = Task { [time] in
                            if (try? await time.sleep(time.now().uptime + pause)) != nil { edit.yield() }
                        }
                    }
                }
            }
            self.watcher.withLock { $0 = nil }
        }
    }

    /// Answers `visiventd reload`.
    func answerReload(_ reply: @Sendable (ControlReply) -> Void) async {
        guard let report = await reload(.command) else {
            return reply(ControlReply(message: "the configuration cannot be read again", isSuccess: false))
        }
        switch report {
        case .applied: reply(ControlReply(message: report.summary))
        case .refused(let faults):
            for fault in faults {
                var line = ControlReply(message: fault.description, isSuccess: false)
                line.isConfigurationFault = true
                reply(line)
            }
        case .unread, .failed: reply(ControlReply(message: report.summary, isSuccess: false))
        }
    }

    /// Reads the configuration and puts it into force, one reload after the other.
    /// - Returns: What came of it; nil after an edit that left the file as it was when it was last read.
    func reload(_ cause: ReloadCause) async -> ReloadReport? {
        let task = lastReload.withLock { last in
            let task = Task { [before = last] in
                _ = await before?.value
                return await self.reloadNow(cause)
            }
            last = task
            return task
        }
        return await task.value
    }

    private func reloadNow(_ asked: ReloadCause) async -> ReloadReport? {
        let wasUnread = lastRead.withLock { $0 == nil }
        guard let configuration, let (loaded, cause) = await onQueue({ self.load(configuration, asked) }) else {
            return nil
        }
        manager.reloading()
        defer { manager.ready(poller.statusLine) }
        let report: ReloadReport
        switch loaded {
        case .success(let (settings, sources)): report = await use(settings, sources)
        case .failure(let errors) where errors.isPassing: report = .unread(errors.faults.map(\.description))
        case .failure(let errors): report = .refused(errors.faults)
        }
        if case .unread = report {
            // The next look is at all of it, as if it had been edited, and is told of when it ends otherwise.
            lastRead.withLock { $0 = nil }
            if wasUnread, asked == .edit { return report }
        }
        await note(report, cause)
        return report
    }

    /// Reads the file; nil when an edit has left it as it was when it was last read.
    private func load(
        _ configuration: ConfigurationFile, _ asked: ReloadCause
    ) -> (loaded: Result<(settings: Settings, sources: [BoundSource]), SettingsErrors>, cause: ReloadCause)? {
        // Whatever happens to the file from here on is noticed.
        watcher.withLock { $0 }?.renew()
        let contents = configuration.contents
        let isKnown = lastRead.withLock { last in
            defer { last = contents }
            return last == contents
        }
        guard asked != .edit || !isKnown else { return nil }
        let cause = asked == .edit && configuration.isGone ? ReloadCause.removal : asked
        if let refusal = configuration.refusal { return (.failure(refusal), cause) }
        do throws(SettingsErrors) {
            return (.success(try configuration.load()), cause)
        } catch {
            return (.failure(error), cause)
        }
    }

    /// Does what may block, such as reading files, away from the cooperative threads.
    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "visiventd.configuration").async { continuation.resume(returning: work()) }
        }
    }

    /// Puts valid settings into force.
    private func use(_ read: Settings, _ sources: [BoundSource]) async -> ReloadReport {
        let old = settings.withLock { $0 }
        let new = read.keepingFixed(of: old)
        let others = read.changes(since: old)
        let (credentials, services) = await onQueue {
            (sources.map { $0.credentials(self.secrets) }, ConfiguredServices(new.geocoding, self.secrets))
        }
        let unreadKeys = services.unreachable.values.filter { $0.fault == .ours }
        let unread = credentials.flatMap { $0.passing } + unreadKeys.map { $0.message }
        guard unread.isEmpty else { return .unread(unread) }
        services.warn(logger)
        let configured = EngineConfiguration(
            sources: zip(sources, credentials).map { $0.engineSource($1, [:], logger: logger) },
            limits: new.engineLimits, truncation: new.truncationPlan)
        do {
            let places = Set(new.sources.map(\.place)) != Set(old.sources.map(\.place))
            // A request under way is not cut short for nothing, nor a service asked again that is to be left alone.
            let asksAnew = new.geocoding != old.geocoding || !locator.asks(services.reachable)
            let isElsewhere = places || asksAnew || new.gazetteer != old.gazetteer
            // What may fail comes first, so that all of it comes into force or nothing.
            let next: Locator? =
                if isElsewhere {
                    try await onQueue { Result { try self.makeLocator(new, services) } }.get()
                } else {
                    nil
                }
            let changes = try await poller.configure(configured)
            if let next { relocate(with: next) }
            fetcher?.use(new.fetchLimits)
            configuration?.logLevel.change(to: new.log.loggerLevel)
            settings.withLock { $0 = new }
            return .applied(changes, otherChanges: others.atOnce, needingRestart: others.afterRestart)
        } catch {
            return .failed(reason: "\(error)")
        }
    }

    /// Says in the log and for `status` what came of it.
    private func note(_ report: ReloadReport, _ cause: ReloadCause) async {
        var refused: RefusedConfiguration?
        // What has not changed is as old as before, for `health`.
        var renewed: [String]? = []
        switch report {
        case .applied(let changes, let others, _):
            renewed = others.isEmpty ? changes.added + changes.changed : nil
            logger.notice(
                "configuration was reloaded",
                metadata: [LogKey.reason: "\(cause.rawValue)", LogKey.detail: "\(report.summary)"])
        case .refused(let faults):
            let words: Logger.Message =
                cause == .removal
                ? "configuration is gone, the one before stays in force"
                : "configuration is refused, the one before stays in force"
            for fault in faults {
                logger.error(
                    words,
                    metadata: [LogKey.reason: "\(cause.rawValue)", LogKey.detail: "\(fault)"])
            }
            refused = RefusedConfiguration(at: time.now().wall, faults: faults.map(\.description))
        case .unread(let reasons):
            for reason in reasons {
                logger.warning(
                    "configuration cannot be read just now, the one before stays in force",
                    metadata: [LogKey.reason: "\(cause.rawValue)", LogKey.detail: "\(reason)"])
            }
            refused = RefusedConfiguration(at: time.now().wall, faults: reasons, isUnread: true)
        case .failed(let reason):
            logger.error(
                "configuration cannot be put into force, the one before stays",
                metadata: [LogKey.reason: "\(cause.rawValue)", LogKey.detail: "\(reason)"])
            refused = RefusedConfiguration(at: time.now().wall, faults: [reason])
        }
        _ = try? await poller.writer.perform { [store, refused, renewed, now = time.now().wall] in
            try store.setRefusedConfiguration(refused)
            try store.noteNewSettings(of: renewed, at: now)
        }
    }
}

extension SourceSettings {
    /// What the locator knows of a source.
    fileprivate var place: [String?] { [name, country, isGeocoded ? "yes" : nil] }
}
