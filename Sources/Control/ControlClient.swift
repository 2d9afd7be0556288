import Foundation

/// The client of the running daemon's control socket, a Unix domain socket at a path. Its functions block.
public enum ControlClient {
    /// Whether a program listens on the socket at `path`; false also if this user may not connect.
    public static func isHeard(at path: String) -> Bool {
        guard let socket = try? UnixSocket.connected(to: path) else { return false }
        close(socket.descriptor)
        return true
    }

    /// Whether a daemon listens at the socket `path` that has another database open than that at the path `database`:
    /// `database` was edited, and takes effect after a restart.
    public static func isHeard(at path: String, besides database: String) -> Bool {
        // Only a daemon with another database is called. A starting daemon takes the lock before it listens.
        !DatabaseLock.isHeld(database: database) && isHeard(at: path) && !DatabaseLock.isHeld(database: database)
    }

    /// Asks a running daemon for its state; `silence` tells that none can be asked at `path`.
    /// - Parameter seconds: How long to wait for the connection and for each reply; default 2.
    public static func health(at path: String, within seconds: Int = 2) -> DaemonHealth {
        var health = DaemonHealth()
        do throws(DaemonError) {
            _ = try send(ControlRequest(.health), to: path, within: seconds) { reply in
                guard reply.isSuccess else { return }
                if !reply.message.isEmpty { health.pause = reply.message }
                health.clockError = reply.clockError
                for (source, until) in reply.hostPauses ?? [:] {
                    health.hostPauses[source] = HostPause(host: reply.pausedHosts?[source], until: until)
                }
            }
        } catch {
            if case .unreachable(_, let number) = error {
                health.silence = isAbsence(number) ? unheard(at: path) : "\(error)"
            }
        }
        return health
    }

    /// Sends a request and hands each reply that has a message or pauses of hosts to `body`, in order, until the last.
    ///
    /// - Parameters:
    ///   - path: Path of the control socket.
    ///   - database: Path of the daemon's database, whose lock explains why nobody listens; nil, the default: unknown.
    ///   - seconds: How long to wait for the connection, and for each reply; nil, the default: for ever, and ten
    ///     minutes.
    /// - Returns: Whether all replies report success.
    /// - Throws: `DaemonError.unreachable` if no daemon listens at `path`; `.refused` if it breaks off or does not
    ///   reply in time, or if the holder of the lock does not listen.
    public static func send(
        _ request: ControlRequest, to path: String, database: String? = nil, within seconds: Int? = nil,
        _ body: (ControlReply) -> Void
    ) throws(DaemonError) -> Bool {
        let socket = try connected(to: path, database, within: seconds)
        defer { close(socket.descriptor) }
        guard let line = try? JSONEncoder().encode(request) else { throw .refused("the request cannot be written") }
        // A daemon that does not take the request may have sent its reason before.
        let isTaken = socket.writeLine(line)
        var isSuccess = true
        while let line = socket.readLine(timeout: isTaken ? seconds ?? 600 : 1) {
            guard let reply = try? JSONDecoder().decode(ControlReply.self, from: line) else { break }
            isSuccess = isSuccess && reply.isSuccess
            if !reply.message.isEmpty || reply.hostPauses != nil { body(reply) }
            if reply.isLast { return isSuccess }
        }
        throw .refused("the daemon at \(path) \(isTaken ? "broke off" : "does not take the request")")
    }

    private static func connected(
        to path: String, _ database: String?, within seconds: Int?
    ) throws(DaemonError) -> UnixSocket {
        do throws(DaemonError) {
            return try UnixSocket.connected(to: path, within: seconds)
        } catch {
            guard case .unreachable(_, let number) = error, isAbsence(number), let database,
                let refusal = DatabaseLock.refusal(database: database)
            else { throw error }
            let remedy =
                DatabaseLock.isHeldByDaemon(database: database)
                ? ", but \(unheard(at: path))" : ": try again when it has ended"
            throw .refused("\(refusal)\(remedy)")
        }
    }

    /// Whether a number of errno(3) tells that nobody listens.
    private static func isAbsence(_ error: Int32) -> Bool { [ENOENT, ENOTDIR, ECONNREFUSED].contains(error) }

    /// The words for a lock that is held while nobody listens. The holder may be a command that has not named itself
    /// yet.
    private static func unheard(at path: String) -> String {
        "nobody listens at \(path): try again, since it may be starting, or be a command that soon ends; otherwise its "
            + "socket was removed, or it was started with another control_socket: restart it"
    }
}
