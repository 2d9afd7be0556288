import Control
import Daemon
import Engine
import Foundation
import Model
import Store

// Clients of the running daemon: commands on the control socket, and `status` beside it.
extension MonthSimulation {
    func meetCommand(_ kind: FaultKind) throws {
        let names = daemon.engine.sourceNames.sorted()
        guard !names.isEmpty else { return }
        let name = commands.pick(names)
        trace.note(oracle.elapsed(daemon.now), "\(kind.rawValue) \(name)")
        switch kind {
        case .commandPoll:
            oracle.forced = name
            defer { oracle.forced = nil }
            let replies = try send(ControlRequest(.poll, sources: [name]))
            if daemon.isDead { return try revive() }
            guard replies?.count == 1 else { throw broken("poll \(name) has no reply") }
            faults.hit(kind)
        case .stateReset, .eventsReset:
            // The oracle counts the resets that the disk did not refuse.
            _ = try send(ControlRequest(.reset, sources: [name], includingEvents: kind == .eventsReset))
            if daemon.isDead { try revive() }
        case .commandRefused: try sendNonsense(name)
        default: try readStatus()
        }
    }

    private func broken(_ words: String) -> Violation { oracle.broken(11, words, at: daemon.now) }

    private func send(_ request: ControlRequest) throws -> [(source: String, fault: String?)]? {
        try daemon.command(try JSONEncoder().encode(request))
    }

    /// Sends lines that must change nothing.
    private func sendNonsense(_ name: String) throws {
        let lines = [
            "", "{", "null", #"{"command":"launch","sources":["\#(name)"],"includingEvents":true}"#,
            #"{"command":"reset","includingEvents":true}"#, #"{"command":"reset","sources":"\#(name)"}"#,
        ]
        let (before, dues, rows) = (schedule, daemon.engine.dues.count, try daemon.writtenRows())
        for line in lines where try daemon.command(Data(line.utf8)) != nil {
            throw broken("a line that is no request is carried out: \(line)")
        }
        let many = ControlRequest(.reset, sources: Array(repeating: name, count: 101), includingEvents: true)
        guard try send(many) == nil else { throw broken("a request with 101 names is carried out") }
        for request in [ControlRequest(.poll, sources: ["nobody"]), ControlRequest(.reload, sources: [name])] {
            guard let replies = try send(request), replies.allSatisfy({ $0.fault != nil }) else {
                throw broken("\(request.command.rawValue) of \(request.sources) is no fault")
            }
        }
        try oracle.checkReload(from: before, to: schedule, sparing: [], at: daemon.now)
        guard daemon.engine.dues.count == dues, try daemon.writtenRows() == rows else {
            throw broken("a line that is no request has changed something")
        }
        faults.hit(.commandRefused)
    }

    /// Reads the sources beside the daemon, like `status`; they must be those that the daemon has stored.
    private func readStatus() throws {
        do throws(StoreError) {
            let beside = try EventStore(path: daemon.store.path, mode: .readOnly)
            let (seen, known) = (try beside.sources(), try daemon.store.sources())
            try beside.close()
            guard seen == known else { throw StoreError(.other, "status does not show what is stored") }
            faults.hit(.statusRead)
        } catch {
            guard error.code != .other else { throw broken(error.message) }
            trace.note(oracle.elapsed(daemon.now), "status refused: \(error.code)")
        }
    }

    /// Checks that every client that waits for a poll is answered within three hours.
    func checkWaiting() throws {
        guard let (name, since) = daemon.waiting.min(by: { $0.value < $1.value }) else { return }
        guard daemon.now.uptime - max(since, oracle.resumed) < .seconds(3 * 3600) else {
            throw broken("whoever has asked for a poll of \(name) is never told what came of it")
        }
    }
}
