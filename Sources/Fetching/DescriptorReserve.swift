import Foundation

/// The last descriptors of this process, which are left to the libraries beneath it.
///
/// Dispatch looks at its threads in /proc once a second, and ends the process (SIGILL) when it has no descriptor for
/// that. So whoever opens one by demand from outside (connections, feeds in files, control connections) keeps off the
/// end of what the present limit allows (`ulimit -n`, which may be changed at any time).
package enum DescriptorReserve {
    private static let count: UInt64 = 16

    /// Whether the next descriptor would be one of the reserve, or there is none at all.
    package static var isReached: Bool {
        guard let probe = keep(open("/dev/null", O_RDONLY | O_CLOEXEC)) else { return true }
        close(probe)
        return false
    }

    /// Gives back a descriptor that has just been opened; closes one of the reserve and sets `errno` to `EMFILE`.
    /// - Returns: Nil for a negative one and for one of the reserve.
    package static func keep(_ descriptor: Int32) -> Int32? {
        guard descriptor >= 0 else { return nil }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            UInt64(descriptor) + count >= limit.rlim_cur
        else {
            return descriptor
        }
        close(descriptor)
        errno = EMFILE
        return nil
    }
}
