import Daemon
import Fetching
import Foundation
import Logging
package import Model
import Settings

/// Tells the targets of a desk of the events of an `InProcessDaemon`, with the shipped reporter.
///
/// `@unchecked` as `InProcessDaemon`, which moves it.
package final class TellingDriver: @unchecked Sendable {
    /// The targets.
    package let desk: Desk
    private let settings: Settings
    private let seed: UInt64
    private var reporter: Reporter?

    /// Creates a driver, idle until a daemon begins its life; `sources` are those that watches may name.
    package init(_ desk: Desk, sources: [SourceSettings], seed: UInt64) {
        self.desk = desk
        self.seed = seed
        settings = Desk.settings(sources)
    }

    /// Begins to tell of the events in the daemon's store.
    func begin(_ daemon: InProcessDaemon) {
        let (desk, link, time) = (desk, daemon.link, daemon.life.time)
        desk.lives += 1
        let network: Network = { request async throws(Failure) in
            guard let daemon = link.daemon else { throw Failure(.ours, .cancelled, "the daemon is gone") }
            return try await desk.take(request, of: daemon)
        }
        let reporter = Reporter(
            store: daemon.store, settings: settings, secrets: SecretReader(environment: [:]), network: network,
            time: time, seed: seed, logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() },
            isClockTrusted: { link.daemon.map { $0.engine.isClockTrusted(at: $0.now) } ?? false },
            hostPaused: { _, _ in })
        self.reporter = reporter
        time.task { await reporter.run() }
    }

    /// Stops: messages under way have a few seconds.
    func stop() { reporter?.stop() }
}
