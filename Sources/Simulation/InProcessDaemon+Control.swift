import Control
import Daemon
import Engine
package import Foundation
import Model
import Store

// The control socket: lines are read as `ControlServer` reads them, and carried out as `ControlDesk` does.
extension InProcessDaemon {
    /// Takes a request's line.
    /// - Returns: What came of it by source: nil for success, else why not; nil when the line cannot be read.
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
                // Whoever waits hears of it when it is reported or given up, if that is not at once.
                let isGivenUp = waiting[name] == nil && reports.count == before
                replies.append((name, isGivenUp ? "not polled" : nil))
            case .reset: replies.append((name, try reset(name, includingEvents: request.includingEvents)))
            case .geocode, .reload, .health: replies.append((name, "\(request.command.rawValue) takes no source"))
            }
            if isDead { break }
        }
        return replies
    }

    /// As `ResetRunner`: the poll under way is given up first.
    private func reset(_ name: String, includingEvents: Bool) throws -> String? {
        try give(.abandon(source: name))
        guard !isDead else { return "died" }
        guard resettable.remove(name) != nil else {
            throw SimulationError("a reset of \(name) waits for a poll to be given up")
        }
        var failure: StoreError?
        do throws(StoreError) {
            _ = try store.reset(source: name, includingEvents: includingEvents, timing: .still)
        } catch {
            failure = error
            storeFailures.append(error)
        }
        try observer?.wasReset(name, includingEvents: includingEvents, failure, at: now)
        // As after a machine that dies in the middle of a write.
        if hasMachineDied() { isDead = true }
        if !isDead { try give(.resetDone(source: name)) }
        return failure.map { "\($0)" }
    }
}
