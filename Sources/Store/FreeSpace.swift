import Foundation

/// How much room a file system has.
public enum FreeSpace {
    /// Bytes that a program without privileges may still write where the path is (statvfs(3), `f_bavail`); nil when the
    /// path is not there or its file system does not tell.
    public static func bytes(at path: String) -> Int64? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0, facts.f_blocks > 0 else { return nil }
        let (bytes, isTooMany) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return isTooMany ? Int64.max : Int64(clamping: bytes)
    }
}
