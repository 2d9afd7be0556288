import Foundation

/// The free space of file systems, as the kernel tells it.
public enum FreeSpace {
    /// The bytes that an unprivileged program may still write at the path (statvfs(3), `f_bavail`); nil if the path
    /// does not exist or its file system does not tell.
    public static func bytes(at path: String) -> Int64? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0, facts.f_blocks > 0 else { return nil }
        let (bytes, isTooMany) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return isTooMany ? Int64.max : Int64(clamping: bytes)
    }
}
