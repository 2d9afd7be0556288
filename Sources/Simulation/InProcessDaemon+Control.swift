import Control
import Daemon
import Engine
package import Foundation
import Model
import Store

// The control socket: lines are read as by `ControlServer` and carried out as by `ControlDesk`.
extension InProcessDaemon {
    /// Carries out a request, until the death of this life. A poll is only begun: its end is in `reports`.
    /// - Returns: Each source with the reason of its failure, nil for success; nil for a line that is no request or
    ///   names more than `ControlServer.maximumNames` sources.
    /// - Throws: Errors of the observer, `SimulationError`, and `StoreError` when nothing can go on; never for a bad
    ///   line.
    package func command(_ line: Data) throws -> [(source: String, fault: String?)]? {
        guard let request = try? JSONDecoder().decode(ControlRequest.self, from: line),
            request.sources.count <= ControlServer.maximumNames
        else { return nil }
        var replies: [(source: String, fault: String?)] = []
        for name in request.sources {
            guard engine.hasSource(name) else {
                replies.append((name, "no source of that name is configured"))
                continue
            }
            switch request.command {
            case .poll:
                waiting[name] = now.uptime
                let outcome = Outcome<Poller.Outcome>()
                life.time.task { [poller = life.poller] in outcome.value = await poller.pollNow(name) }
                try drain()
                // If the poll was not given up at once, the client is answered later.
                if case .failure? = outcome.value {
                    replies.append((name, "not polled"))
                } else {
                    replies.append((name, nil))
                }
            case .reset: replies.append((name, try reset(name, includingEvents: request.includingEvents)))
            case .geocode, .place, .reload, .health, .tryWatch, .resend:
                replies.append((name, "\(request.command.rawValue) takes no source"))
            }
            if isDead { break }
        }
        return replies
    }

    /// Resets a source, which gives up its poll under way first; returns why it failed.
    private func reset(_ name: String, includingEvents: Bool) throws -> String? {
        let outcome = Outcome<String?>()
        life.time.task { [link, poller = life.poller] in
            var failure: StoreError?
            do {
                _ = try await poller.reset(name, includingEvents: includingEvents)
            } catch {
                failure = error as? StoreError ?? StoreError(.other, "\(error)")
            }
            guard let daemon = link.daemon else { return }
            if let failure { daemon.storeFailures.append(failure) }
            daemon.observe {
                try daemon.observer?.wasReset(name, includingEvents: includingEvents, failure, at: daemon.now)
            }
            outcome.value = .some(failure.map { "\($0)" })
        }
        try drain()
        guard !isDead else { return "died" }
        guard let failure = outcome.value else { throw SimulationError("a reset of \(name) does not end") }
        return failure
    }

    /// What a task has brought; nil while it runs.
    private final class Outcome<Value>: @unchecked Sendable {
        var value: Value?
    }
}
