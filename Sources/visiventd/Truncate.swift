import ArgumentParser
import Control
import Foundation
import Model
import SQLite
import Settings
import Store

/// `visiventd truncate`
struct Truncate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove events that are older than their sources keep them, once.",
        discussion: "A running daemon does this every hour; this command works without one.")

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Count what would go, change nothing.")
    var dryRun = false

    @Flag(help: "Believe the clock although it is far from the last time at which a server confirmed it.")
    var force = false

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, _) = try configuration.load()
            if !dryRun { try FolderOwner.become(ofFolderOf: settings.database) }
            try configuration.refuseBesideOtherDatabase(settings)
            try DatabasePath.mustExist(settings.database)
            if !dryRun { try DatabasePath.mustBeUsable(settings.database) }
            let lock = dryRun ? nil : try DatabaseLock(database: settings.database)
            defer { withExtendedLifetime(lock) {} }
            let store = try EventStore(path: settings.database, mode: dryRun ? .readOnly : .readWrite)
            let now = Date()
            if !force, let trusted = try store.lastTrustedTime() {
                let distance = now.timeIntervalSince(trusted)
                guard (-600...30 * 86_400).contains(distance) else {
                    throw ValidationError(
                        "the clock says \(now.rfc3339), but a server last confirmed it at \(trusted.rfc3339); "
                            + "set it right, or use --force")
                }
            }
            let counts: [String: Int]
            var end: TruncationResult?
            if dryRun {
                counts = try store.truncationForecast(asOf: now, under: settings.sources)
            } else {
                try store.reconcile(settings.sources, at: now)
                let result = try store.truncate(asOf: now)
                counts = result.events
                end = result
            }
            for (source, count) in counts.sorted(by: { $0.key < $1.key }) { Terminal.print("\(source): \(count)") }
            let sum = counts.values.reduce(0, +).counted("event")
            Terminal.print("\(sum) \(dryRun ? "would be removed" : "removed")")
            if let end, end.isWALHeld {
                let reader = end.walReader.map { "process \($0.process) (\($0.name ?? "name unknown"))" } ?? "a reader"
                let what = end.isComplete ? "" : "not all has been done: "
                Terminal.printError("visiventd: \(what)\(reader) keeps the write-ahead log from shrinking")
                if !end.isComplete { throw ExitStatus.temporary }
            }
        }
    }
}
