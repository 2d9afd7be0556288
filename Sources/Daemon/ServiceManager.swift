import Dispatch
import Foundation
import Model
import Synchronization

/// Tells the service manager how the daemon is doing, by the protocol of sd_notify(3).
///
/// Lines of `NAME=value` in one datagram to the socket that `NOTIFY_SOCKET` names. Without a manager every call does
/// nothing. Nothing here may stop the daemon, and no call waits: while the manager does not read, lines of status are lost
/// and the rest is delivered later.
public struct ServiceManager: Sendable {
    /// No service manager.
    public static let none = ServiceManager(environment: [:])

    /// How long the manager waits for `alive` before it restarts the daemon (`WatchdogSec=`); nil: it does not.
    public let watchdog: Duration?
    private let socket: NotifySocket?

    /// Looks for the service manager in the environment.
    ///
    /// - Parameters:
    ///   - environment: Of it `NOTIFY_SOCKET` (an absolute path, or `@` and an abstract name), `WATCHDOG_USEC`
    ///     and `WATCHDOG_PID`. A socket of another kind is as none.
    ///   - process: The process whose watchdog counts; by default this one.
    public init(environment: [String: String], process: Int32? = nil) {
        socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process ?? getpid() } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = socket != nil && isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Whether anybody listens.
    public var isPresent: Bool { socket != nil }

    /// The daemon is up, or has taken a new configuration.
    /// - Parameter status: As of `status(_:)`; nil leaves the line as it is.
    public func ready(_ status: String? = nil) {
        send(["READY=1"] + (status.map { ["STATUS=" + Self.line($0)] } ?? []))
    }

    /// The configuration is being read again; `ready` ends it, also when the new one is refused.
    public func reloading() {
        send(["RELOADING=1", "MONOTONIC_USEC=\(Self.monotonicMicroseconds)"])
    }

    /// The daemon is about to end.
    public func stopping() { send(["STOPPING=1", "STATUS=Stopping"]) }

    /// A line on how the daemon is doing, for `systemctl status`; control characters become spaces, and what is beyond
    /// 400 characters is cut.
    public func status(_ text: String) { send(["STATUS=" + Self.line(text)], mayBeLost: true) }

    /// The scheduler goes on: feeds the watchdog.
    public func alive() { send(["WATCHDOG=1"]) }

    /// Asks for more time to start, counted from now; it never takes time away.
    public func extendStart(by duration: Duration) {
        send(["EXTEND_TIMEOUT_USEC=\(duration.components.seconds * 1_000_000)"])
    }

    private func send(_ lines: [String], mayBeLost: Bool = false) {
        socket?.send(lines.joined(separator: "\n"), mayBeLost: mayBeLost)
    }

    /// The text without anything that would end the line or move the cursor of a terminal.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.isUnsafeToShow ? " " : $0 }
        return String(String.UnicodeScalarView(scalars.prefix(400)))
    }

    /// CLOCK_MONOTONIC, which the manager compares with its own; the schedule's clock counts suspends and would not do.
    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// The datagram socket to the service manager; kept open, so that the watchdog is fed when no descriptor is left.
private final class NotifySocket: Sendable {
    private let descriptor: Int32
    /// What stands in `sun_path`: an abstract name begins with a zero byte.
    private let name: [UInt8]
    /// What the manager had no room for, oldest first.
    private let late = Mutex<[String]>([])
    /// Messages kept for a manager that does not read; more are lost.
    private static let maximumLate = 100
    private let lateQueue = DispatchQueue(label: "visiventd.notify")

    init?(_ address: String) {
        var name = Array(address.utf8)
        let capacity = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
        guard let first = name.first, name.count > 1, name.count < capacity else { return nil }
        switch first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): name[0] = 0
        default: return nil
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    /// Delivers at once; where there is no room, later and in order, away from the caller, unless it may be lost.
    func send(_ message: String, mayBeLost: Bool) {
        late.withLock { late in
            if late.isEmpty, deliver(message, waiting: false) { return }
            guard !mayBeLost, late.last != message, late.count < Self.maximumLate else { return }
            late.append(message)
            if late.count == 1 { lateQueue.async { self.deliverLate() } }
        }
    }

    private func deliverLate() {
        while let message = late.withLock({ $0.first }) {
            _ = deliver(message, waiting: true)
            late.withLock { _ = $0.removeFirst() }
        }
    }

    /// False when the manager has no room for the message; one that cannot be delivered at all is lost.
    private func deliver(_ message: String, waiting: Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length ends the name: an abstract one may hold zero bytes.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(message.utf8)
        let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                while sendto(descriptor, bytes, bytes.count, flags, address, length) < 0 {
                    guard errno == EINTR else { return errno != EAGAIN }
                }
                return true
            }
        }
    }
}
