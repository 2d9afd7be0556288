public import Foundation

/// A configuration that did not come into force, so that an older one stays.
public struct RefusedConfiguration: Codable, Sendable, Hashable {
    /// The reason why it is not in force; the raw value is stored.
    public enum Obstacle: String, Codable, Sendable {
        /// It has faults.
        case faults
        /// The file is gone.
        case gone
        /// The file, or a file that it names, could not be read; reading is retried if the reason may pass by itself.
        case unread
        /// The store could not save it; storing is retried.
        case unstored
    }

    /// When it was refused; while reading or storing is retried, the time of the first failure.
    public var at: Date
    /// The faults or reasons, one line for people each.
    public var faults: [String]
    /// Why it is not in force, which decides `words`.
    public var obstacle: Obstacle

    /// Creates a note with these values, which are not checked; by default for faults.
    public init(at: Date, faults: [String], obstacle: Obstacle = .faults) {
        (self.at, self.faults, self.obstacle) = (at, faults, obstacle)
    }

    /// What happened to it, in words: `refused`, `gone`, `could not be read`, `could not be stored`.
    public var words: String {
        switch obstacle {
        case .faults: "refused"
        case .gone: "gone"
        case .unread: "could not be read"
        case .unstored: "could not be stored"
        }
    }
}
