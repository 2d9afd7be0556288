public import Foundation

/// A configuration that could not be put into force, while an older one is.
public struct RefusedConfiguration: Codable, Sendable, Hashable {
    /// What keeps it from being in force.
    public enum Obstacle: String, Codable, Sendable {
        /// It has faults.
        case faults
        /// It, or a file that it names, could not be read.
        case unread
        /// The store could not take it up.
        case unstored
    }

    /// When, or since when nothing but the reading or the store is in its way.
    public var at: Date
    /// What is wrong, one line each.
    public var faults: [String]
    /// What keeps it from being in force.
    public var obstacle: Obstacle

    /// Creates a note.
    public init(at: Date, faults: [String], obstacle: Obstacle = .faults) {
        self.at = at
        self.faults = faults
        self.obstacle = obstacle
    }

    /// What has become of it: `refused`, `could not be read`, `could not be stored`.
    public var words: String {
        switch obstacle {
        case .faults: "refused"
        case .unread: "could not be read"
        case .unstored: "could not be stored"
        }
    }
}

extension EventStore {
    /// Notes for `status` that a configuration was refused; nil: the one in the file is in force.
    public func setRefusedConfiguration(_ refused: RefusedConfiguration?) throws(StoreError) {
        guard try refusedConfiguration() != refused else { return }
        try setValue(refused.flatMap { try? StoredJSON.encoded($0) }, for: MetaKey.refusedConfiguration)
    }

    /// The configuration that was refused last, if the file has not been mended since.
    public func refusedConfiguration() throws(StoreError) -> RefusedConfiguration? {
        StoredJSON.decoded(RefusedConfiguration.self, from: try value(MetaKey.refusedConfiguration))
    }
}
