import Dispatch
import Foundation
import Model
import Synchronization

/// Reports the daemon's state to the service manager, by the protocol of sd_notify(3).
///
/// A message is lines of `NAME=value` in one datagram to the socket that `NOTIFY_SOCKET` names. Without a manager every
/// call does nothing. No call fails or waits: if the manager does not read, status lines are lost, and other messages
/// are delivered later.
public struct ServiceManager: Sendable {
    /// No service manager: every call does nothing.
    public static let none = ServiceManager(environment: [:])

    /// How long the manager waits for `alive` before it restarts the daemon (`WatchdogSec=`), to the microsecond and
    /// above zero; nil: no watchdog, no manager, or a watchdog of another process.
    public let watchdog: Duration?
    private let socket: NotifySocket?

    /// Looks for the service manager in the environment.
    ///
    /// - Parameters:
    ///   - environment: The variables `NOTIFY_SOCKET` (an absolute path, or `@` and an abstract name), `WATCHDOG_USEC`
    ///     and `WATCHDOG_PID`. Any other form of socket counts as none.
    ///   - process: The process whose watchdog counts; nil, the default: this one.
    public init(environment: [String: String], process: Int32? = nil) {
        socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process ?? getpid() } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = socket != nil && isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Whether there is a service manager; whether it reads is unknown.
    public var isPresent: Bool { socket != nil }

    /// Reports that the daemon is ready, or has finished a reload (`READY=1`).
    /// - Parameter status: The line for `status(_:)`; nil, the default, leaves it unchanged.
    public func ready(_ status: String? = nil) {
        send(["READY=1"] + (status.map { ["STATUS=" + Self.line($0)] } ?? []))
    }

    /// Reports the start of a reload (`RELOADING=1` with the monotonic time). `ready` ends it, even if the new
    /// configuration is refused.
    public func reloading() {
        send(["RELOADING=1", "MONOTONIC_USEC=\(Self.monotonicMicroseconds)"])
    }

    /// Reports that the daemon is stopping (`STOPPING=1`), with the status line `Stopping`.
    public func stopping() { send(["STOPPING=1", "STATUS=Stopping"]) }

    /// Sets the status line of `systemctl status`; it is lost if the manager has no room. Characters that are unsafe
    /// to show become spaces, and the line is cut after 400 Unicode scalars.
    public func status(_ text: String) { send(["STATUS=" + Self.line(text)], mayBeLost: true) }

    /// Feeds the watchdog (`WATCHDOG=1`); due at least once in `watchdog`, else the manager restarts the daemon.
    public func alive() { send(["WATCHDOG=1"]) }

    /// Asks for more time to start, in whole seconds from now (a part of one is dropped); it never shortens the
    /// time-out.
    public func extendStart(by duration: Duration) {
        send(["EXTEND_TIMEOUT_USEC=\(duration.components.seconds * 1_000_000)"])
    }

    private func send(_ lines: [String], mayBeLost: Bool = false) {
        socket?.send(lines.joined(separator: "\n"), mayBeLost: mayBeLost)
    }

    /// The text without control characters, at most 400 scalars.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.isUnsafeToShow ? " " : $0 }
        return String(String.UnicodeScalarView(scalars.prefix(400)))
    }

    /// CLOCK_MONOTONIC, which the manager compares with its own clock. The schedule's clock counts suspends.
    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// The datagram socket to the service manager. It stays open, so that the watchdog is fed even without a free
/// descriptor.
private final class NotifySocket: Sendable {
    private let descriptor: Int32
    /// The content of `sun_path`; an abstract name begins with a zero byte.
    private let name: [UInt8]
    /// Messages that the manager had no room for, oldest first.
    private let late = Mutex<[String]>([])
    /// The most messages kept for a manager that does not read; further ones are lost.
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

    /// Delivers a message at once. Without room it is delivered later and in order, off the calling thread, or lost if
    /// `mayBeLost`.
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

    /// Sends a message; false if the manager has no room. A message that cannot be delivered at all is lost.
    private func deliver(_ message: String, waiting: Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length delimits the name, because an abstract one may contain zero bytes.
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
