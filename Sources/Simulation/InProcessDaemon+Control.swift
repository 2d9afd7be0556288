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
                let before = reports.count
                waiting[name] = now.uptime
                try give(.poll(source: name))
                // If the poll was not given up at once, the client is answered later.
                let isGivenUp = waiting[name] == nil && reports.count == before
                replies.append((name, isGivenUp ? "not polled" : nil))
            case .reset: replies.append((name, try reset(name, includingEvents: request.includingEvents)))
            case .geocode, .place, .reload, .health:
                replies.append((name, "\(request.command.rawValue) takes no source"))
            }
            if isDead { break }
        }
        return replies
    }

    /// Resets a source like `ResetRunner`, which gives up its poll under way first; returns why it failed.
    private func reset(_ name: String, includingEvents: Bool) throws -> String? {
        try give(.abandon(source: name))
        guard !isDead else { return "died" }
        guard resettable.remove(name) != nil else {
            throw SimulationError("a reset of \(name) waits for a poll to be given up")
        }
        var failure: StoreError?
        do throws(StoreError) {
            _ = try store.reset(source: name, includingEvents: includingEvents, at: now.wall, timing: .still)
        } catch {
            failure = error
            storeFailures.append(error)
        }
        try observer?.wasReset(name, includingEvents: includingEvents, failure, at: now)
        // The machine may have died during the reset.
        if hasMachineDied() { isDead = true }
        if !isDead { try give(.resetDone(source: name)) }
        return failure.map { "\($0)" }
    }
}
