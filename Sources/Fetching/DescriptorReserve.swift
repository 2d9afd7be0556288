import Foundation

/// The last descriptors of this process, which are left to the libraries beneath it.
///
/// Dispatch looks at its threads in /proc once a second, and ends the process (SIGILL) when it has no descriptor for
/// that. So whoever opens one by demand from outside (connections, feeds in files, control connections) keeps off the
/// end of what the present limit allows (`ulimit -n`, which may be changed at any time).
package enum DescriptorReserve {
    private static let count: UInt64 = 16
    /// What requests leave to control connections, so that a daemon whose requests take all answers its operator.
    private static let controlCount: UInt64 = 8
    /// What polls take that come one after the other: connections by two families, name look-up, the city table.
    private static let pollCount: UInt64 = 8

    /// Who wants a descriptor.
    package enum User {
        case request, control
    }

    /// The present limit, and the least with which polls could be made beside all that is open now; nil where it is that.
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

    /// Whether the next descriptor would be one of the reserve, or there is none at all.
    package static func isReached(for user: User) -> Bool {
        guard let probe = keep(open("/dev/null", O_RDONLY | O_CLOEXEC), for: user) else { return true }
        close(probe)
        return false
    }

    /// Gives back a descriptor that has just been opened; closes one of the reserve and sets `errno` to `EMFILE`.
    /// - Returns: Nil for a negative one and for one of the reserve.
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
