import Foundation

/// The last descriptors of this process, reserved for the libraries.
///
/// Dispatch inspects its threads in /proc once a second, and crashes the process (SIGILL) if it has no descriptor for
/// that. So code that opens descriptors on demand from outside (connections, feeds in files, control connections)
/// leaves the last ones below the present limit (`ulimit -n`, which may change at any time) unused.
package enum DescriptorReserve {
    private static let count: UInt64 = 16
    /// Descriptors that requests leave to control connections, so that the operator can always reach the daemon.
    private static let controlCount: UInt64 = 8
    /// Descriptors for sequential polls: connections over IPv4 and IPv6, name look-up, the city table.
    private static let pollCount: UInt64 = 8

    /// The purpose of a descriptor: `request` (a connection to a server, a feed in a file) leaves the last 24 below the
    /// limit unused, `control` (a control connection) only the last 16.
    package enum User {
        case request, control
    }

    /// The present limit of descriptors, and the least that leaves room for polls: 32 above the lowest free descriptor.
    /// Nil if the limit is enough or cannot be found out.
    package static var shortage: (limit: UInt64, least: UInt64)? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard probe >= 0 || errno == EMFILE else { return nil }
        if probe >= 0 { close(probe) }
        let next = probe >= 0 ? UInt64(probe) : UInt64(limit.rlim_cur)
        let least = next + count + controlCount + pollCount
        return limit.rlim_cur < least ? (limit: UInt64(limit.rlim_cur), least: least) : nil
    }

    /// Whether the next descriptor would be in the reserve, or none is left. It opens and closes `/dev/null` to find
    /// out.
    package static func isReached(for user: User) -> Bool {
        guard let probe = keep(open("/dev/null", O_RDONLY | O_CLOEXEC), for: user) else { return true }
        close(probe)
        return false
    }

    /// Checks a descriptor that was just opened. One in the reserve is closed, and `errno` is set to `EMFILE`.
    /// - Returns: The descriptor; nil if it is negative (`errno` stays) or in the reserve.
    package static func keep(_ descriptor: Int32, for user: User) -> Int32? {
        guard descriptor >= 0 else { return nil }
        let kept = user == .control ? count : count + controlCount
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            UInt64(descriptor) + kept >= limit.rlim_cur
        else {
            return descriptor
        }
        close(descriptor)
        errno = EMFILE
        return nil
    }
}
