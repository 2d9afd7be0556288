import Control
import Files
public import Foundation
import Gazetteer
import Model
import SQLite
public import Settings
package import Store

extension HealthFacts {
    /// Gathers the facts from the database, its lock, its folder and the city table, and asks a running daemon whether
    /// it polls. Makes no file; blocks, for the daemon's answer at most some seconds. What cannot be read becomes a
    /// fact: nil, a failure, or an unusable table.
    ///
    /// - Parameters:
    ///   - settings: The configuration.
    ///   - file: The path of the configuration file.
    ///   - faults: The faults of that file; by default none. With some, the sources are as a daemon has planned them
    ///     last.
    ///   - now: Wall time.
    ///   - isCounting: Whether events are counted, for metrics; default false.
    ///   - backups: A folder of backups to look into; nil, the default: none.
    public static func gathered(
        _ settings: Settings, configuration file: String, faults: [String] = [], now: Date, isCounting: Bool = false,
        backups: String? = nil
    ) -> HealthFacts {
        let database = settings.database
        guard !database.isEmpty else {
            var facts = HealthFacts(
                now: now, settings: settings, isRunning: nil,
                stored: .failure(StoreError(.cannotOpen, "No database is named")), freeBytes: nil)
            facts.configurationFaults = faults
            return facts
        }
        var facts = HealthFacts(
            now: now, settings: settings,
            configurationChanged: ([file] + settings.fragments.map(\.file)).compactMap { info(of: $0) }.map {
                Date(timeIntervalSince1970: Double($0.st_mtim.tv_sec) + Double($0.st_mtim.tv_nsec) * 1e-9)
            }.max(),
            isRunning: isRunning(database), stored: stored(settings, at: now, isCounting: isCounting),
            table: table(settings.gazetteer.path),
            freeBytes: FreeSpace.bytes(at: DatabasePath.folder(of: DatabasePath.resolved(database))),
            databaseBytes: info(of: database).map { Int64($0.st_size) } ?? 0,
            walBytes: info(of: database + "-wal").map { Int64($0.st_size) } ?? 0)
        facts.configurationFaults = faults
        facts.isForbidden = isForbidden(database)
        if !faults.isEmpty, case .success(var stored) = facts.stored {
            let isRunning = facts.isRunning == true
            stored.sources = stored.sources.map {
                $0.withoutLostStream(isRunning: isRunning).planned(by: stored.plan, isRunning: isRunning, at: now)
            }
            facts.stored = .success(stored)
        }
        // Without a daemon nothing is in force; its note is of an edit that the next start judges anew.
        if facts.isRunning != true, case .success(var stored) = facts.stored {
            stored.hasRefusedConfiguration = false
            facts.stored = .success(stored)
        }
        facts.process = DatabaseLock.daemon(database: database).flatMap { ProcessFigures(of: "\($0)", now: now) }
        facts.backup = backups.flatMap { Backup(newestIn: $0) }
        if !settings.pictures.hosts.isEmpty {
            facts.pictures = Result { () throws(StoreError) in try settings.pictureStore.statistics(at: now) }
        }
        if let socket = settings.controlSocket {
            switch facts.isRunning {
            case true?:
                let health = ControlClient.health(at: socket)
                facts.pause = health.pause
                facts.silence = health.silence
                facts.clockError = health.clockError
            case false?: facts.hasOtherDatabase = ControlClient.isHeard(at: socket, besides: database)
            case nil: break
            }
        }
        return facts
    }

    /// Whether a daemon holds the lock of a database; nil: this user may not ask.
    package static func isRunning(_ database: String) -> Bool? {
        guard access(DatabasePath.resolved(database) + ".lock", R_OK) == 0 else { return errno == ENOENT ? false : nil }
        return DatabaseLock.isHeldByDaemon(database: database)
    }

    private static func isForbidden(_ database: String) -> Bool {
        let path = DatabasePath.resolved(database)
        return ["", ".lock"].contains { suffix in access(path + suffix, R_OK) != 0 && errno == EACCES }
    }

    private static func stored(
        _ settings: Settings, at now: Date, isCounting: Bool
    ) -> Result<Stored, StoreError> {
        Result { () throws(StoreError) in
            let store = try EventStore(path: settings.database, mode: .readOnly)
            var troubles: [GeocodeProvider: String] = [:]
            for plan in settings.geocoding.plans { troubles[plan.provider] = try store.trouble(of: plan.provider) }
            var stored = try Stored(from: store, at: now)
            stored.troubles = troubles
            stored.refused = try store.refusedConfiguration()
            stored.plan = try store.pollPlan()
            stored.targets = try store.targetStates(of: settings.tellingPlan.targets.map(\.id), at: now)
            if isCounting { stored.counters = try store.counters() }
            return stored
        }
    }

    private static func table(_ path: String) -> Table {
        do throws(GazetteerError) {
            return .seeded(try CityTable(path: path).seeded)
        } catch {
            return error.code == .notSeeded ? .missing : .unusable(error.message)
        }
    }

    private static func info(of path: String) -> stat? {
        var info = stat()
        return stat(path, &info) == 0 ? info : nil
    }
}

extension HealthFacts.Stored {
    /// Reads the facts but for troubles and counters, which stay as in `init(sources:…)`. Throws `StoreError`.
    package init(from store: EventStore, at now: Date) throws(StoreError) {
        self.init(
            sources: try store.sources(), begun: try store.lastReconciliation(), renewed: try store.renewals(),
            lastTruncation: try store.lastTruncation(), lastTrusted: try store.lastTrustedTime(),
            queue: try store.queueAges(), usage: try store.providerUsage(at: now))
        hasRefusedConfiguration = try store.refusedConfiguration() != nil
    }
}
