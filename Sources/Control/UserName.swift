import Foundation

/// Names of users, as commands and replies show them.
public enum UserName {
    /// The name of the user of this process.
    public static var own: String { of(geteuid()) }

    /// The name of a user; `the user 1001` for a number without an account.
    static func of(_ user: uid_t) -> String {
        var entry = passwd()
        var texts = [CChar](repeating: 0, count: 4096)
        return texts.withUnsafeMutableBufferPointer { texts -> String in
            var found: UnsafeMutablePointer<passwd>?
            guard let start = texts.baseAddress, getpwuid_r(user, &entry, start, texts.count, &found) == 0,
                found != nil, let name = entry.pw_name
            else { return "the user \(user)" }
            return String(cString: name)
        }
    }
}
