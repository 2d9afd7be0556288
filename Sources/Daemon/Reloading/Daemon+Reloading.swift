import Control
import Dispatch
import Engine
import Foundation
import Logging
import Model
import Operations
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
        case secret = "a secret can be read again"
    }

    /// How long the file is left alone after an edit: editors write in several steps.
    private static let settling = Duration.milliseconds(200)

    /// How long a configuration waits for secrets that cannot be read just now, before they are regarded as missing.
    private static let patience = Duration.seconds(60)

    /// When it is looked at again after it could not be read or stored, so many times in a row (1…): 1, 2, 4 … 60 s.
    static func pause(afterFailures count: Int) -> Duration { .seconds(min(1 << min(count - 1, 6), 60)) }

    /// From its return on the configuration is read again when SIGHUP comes, and when the file is edited, until the task
    /// is cancelled.
    func beginReloading(onEdit: Bool) async -> Task<Void, Never> {
        guard let configuration else { return Task {} }
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        if onEdit {
            let new = FileWatcher(path: configuration.path, time: time) { [look] in look.yield() }
            watcher.withLock { $0 = new }
            // It may have been edited since it was read: opening the database may take long.
            look.yield()
        }
        if reloading.withLock({ $0.isWaiting }) { look.yield() }
        return Task { [time, look] in
            await withTaskGroup { group in
                group.addTask { for await _ in hangUps { _ = await self.reload(.signal) } }
                group.addTask {
                    var failures = 0
                    var again: Task<Void, Never>?
                    defer { again?.cancel() }
                    for await _ in self.looks {
                        guard (try? await time.sleep(until: time.now().uptime + Self.settling)) != nil else { return }
                        again?.cancel()
                        _ = await self.reload(.edit)
                        guard self.reloading.withLock({ $0.isWaiting }) else {
                            failures = 0
                            continue
                        }
                        failures += 1
                        let pause = Self.pause(afterFailures: failures)
                        again = Task { [time] in
                            if (try? await time.sleep(until: time.now().uptime + pause)) != nil { look.yield() }
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

    /// Reads the configuration and puts it into force, one reload after the other; where it cannot be read or stored just
    /// now, it is looked at again.
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
        let report = await task.value
        if cause != .edit, reloading.withLock({ $0.isWaiting }) { look.yield() }
        return report
    }

    private func reloadNow(_ asked: ReloadCause) async -> ReloadReport? {
        guard let configuration, let (reading, cause) = await onQueue({ self.read(configuration, asked) }) else {
            return nil
        }
        manager.reloading()
        defer { manager.ready(poller.statusLine) }
        let report: ReloadReport
        switch reading {
        case .good(let read): report = await use(read)
        case .bad(let end): report = end
        }
        if cause == .secret {
            // It says nothing of the file, and is looked at again where the store has failed.
            guard case .applied = report else { return nil }
            log(report, cause)
            return report
        }
        // The next look is at all of it, as if it had been edited.
        if report.isTransient { reloading.withLock { $0.lastRead = nil } }
        await note(report, cause)
        return report
    }

    private enum Reading: Sendable {
        case good(ReadConfiguration)
        case bad(ReloadReport)
    }

    /// Reads the file and the secrets that it names, or those of the configuration in force that could not be read; nil
    /// when all is as it was.
    private func read(
        _ configuration: ConfigurationFile, _ asked: ReloadCause
    ) -> (reading: Reading, cause: ReloadCause)? {
        let old = reloading.withLock { $0 }
        guard let (loaded, cause) = load(configuration, asked) else {
            guard !old.unread.isEmpty else { return nil }
            let read = ReadConfiguration(old.settings, old.sources, secrets)
            // Those that could be read are not given up.
            guard read.unread.isStrictSubset(of: old.unread) else { return nil }
            return (.good(read), .secret)
        }
        switch loaded {
        case .failure(let errors):
            reloading.withLock { $0.waitsSince = nil }
            let faults = errors.faults
            return (.bad(errors.isTransient ? .unread(faults.map(\.description)) : .refused(faults)), cause)
        case .success(let (settings, sources)):
            let read = ReadConfiguration(settings, sources, secrets)
            // What is missing already is no reason to wait, nor is one bad file a reason to hold all edits back.
            guard !read.unread.isSubset(of: old.unread) else { return (.good(read), cause) }
            let now = time.now().uptime
            let since = old.waitsSince ?? now
            reloading.withLock { $0.waitsSince = since }
            guard now - since < Self.patience else { return (.good(read), cause) }
            return (.bad(.unread(read.unread.sorted())), cause)
        }
    }

    /// Reads the file; nil when an edit has left it as it was when it was last read.
    private func load(
        _ configuration: ConfigurationFile, _ asked: ReloadCause
    ) -> (loaded: Result<(settings: Settings, sources: [EngineSource]), SettingsErrors>, cause: ReloadCause)? {
        // Where edits are not watched for, they wait until somebody asks.
        let watcher = watcher.withLock { $0 }
        if asked == .edit, watcher == nil, reloading.withLock({ $0.lastRead != nil }) { return nil }
        // Whatever happens to the file from here on is noticed.
        watcher?.look()
        let contents = configuration.contents
        let isKnown = reloading.withLock { state in
            defer { state.lastRead = contents }
            return state.lastRead == contents
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
    private func use(_ read: ReadConfiguration) async -> ReloadReport {
        let old = reloading.withLock { $0.settings }
        let new = read.settings.keepingFixed(of: old)
        let others = read.settings.changes(since: old)
        let configured = EngineConfiguration(
            sources: read.engineSources(), limits: new.engineLimits, truncation: new.truncationPlan)
        do {
            let places = Set(new.sources.map(\.place)) != Set(old.sources.map(\.place))
            // A request under way is not cut short for nothing, nor a service asked again that is to be left alone.
            let asksAnew = new.geocoding != old.geocoding || !locators.current.asks(read.services.reachable)
            let isElsewhere = places || asksAnew || new.gazetteer != old.gazetteer
            // What may fail comes first, so that all of it comes into force or nothing.
            let next: Locator? =
                if isElsewhere {
                    try await onQueue { Result { try self.locators.makeLocator(new, read.services) } }.get()
                } else {
                    nil
                }
            let changes = try await poller.configure(configured)
            if changes != SourceChanges() { try? await poller.notePlan() }
            if let next { locators.relocate(with: next) }
            fetcher?.use(new.fetchLimits)
            configuration?.logLevel.change(to: new.log.loggerLevel)
            read.warn(logger)
            reloading.withLock { state in
                state.settings = new
                state.sources = read.sources
                state.unread = read.unread
                state.waitsSince = nil
            }
            return .applied(changes, otherChanges: others.atOnce, needingRestart: others.afterRestart)
        } catch {
            let failure = error as? Failure
            let isTransient = failure.map { $0.fault == .ours } ?? (error as? StoreError)?.isTemporary ?? false
            return .failed(reason: failure?.message ?? "\(error)", isTransient: isTransient)
        }
    }

    /// Says in the log and for `status` what came of it.
    private func note(_ report: ReloadReport, _ cause: ReloadCause) async {
        let now = time.now().wall
        let (refused, isSaid) = reloading.withLock { state in
            var refused = report.refusal(at: now)
            // That it is as it was is said only to who asks.
            let isOld = report.isTransient && refused?.obstacle == state.refused?.obstacle
            if isOld, let since = state.refused?.at { refused?.at = since }
            state.refused = refused
            return (refused, isOld && cause == .edit)
        }
        poller.note(refused)
        if !isSaid { log(report, cause) }
        // What has not changed is as old as before, for `health`.
        var renewed: [String]? = []
        if case .applied(let changes, let others, _) = report {
            renewed = others.isEmpty ? changes.added + changes.changed : nil
        }
        _ = try? await poller.writer.perform { [store, renewed] in
            try store.setRefusedConfiguration(refused)
            try store.noteNewSettings(of: renewed, at: now)
        }
    }

    private func log(_ report: ReloadReport, _ cause: ReloadCause) {
        let (level, words, details): (Logger.Level, Logger.Message, [String]) =
            switch report {
            case .applied: (.notice, "configuration was reloaded", [report.summary])
            case .refused(let faults):
                (
                    .error,
                    cause == .removal
                        ? "configuration is gone, the one before stays in force"
                        : "configuration is refused, the one before stays in force", faults.map(\.description)
                )
            case .unread(let reasons):
                (.warning, "configuration cannot be read just now, the one before stays in force", reasons)
            case .failed(let reason, _):
                (.error, "configuration cannot be stored, the one before stays in force", [reason])
            }
        for detail in details {
            logger.log(
                level: level, words, metadata: [LogKey.reason: "\(cause.rawValue)", LogKey.detail: "\(detail)"])
        }
        guard case .applied(let changes, _, _) = report, !changes.added.isEmpty else { return }
        let dues = poller.plan.dues
        for name in changes.added {
            guard let due = dues[name] else { continue }
            logger.notice(
                "source was added", metadata: [LogKey.source: "\(name)", LogKey.next: "\(due.timestamp)"])
        }
    }
}

extension SourceSettings {
    /// What the locator knows of a source.
    fileprivate var place: [String?] { [name, country, isGeocoded ? "yes" : nil] }
}
