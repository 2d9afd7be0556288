public import Foundation

/// A configuration that could not be put into force, while an older one is.
public struct RefusedConfiguration: Codable, Sendable, Hashable {
    /// When.
    public var at: Date
    /// What is wrong with it, one line each.
    public var faults: [String]
    /// Whether nothing is wrong with it, but it, or a file that it names, could not be read; nil: no.
    public var isUnread: Bool?

    /// Creates a note.
    public init(at: Date, faults: [String], isUnread: Bool? = nil) {
        self.at = at
        self.faults = faults
        self.isUnread = isUnread
    }
}

extension EventStore {
    /// Notes for `status` that a configuration was refused; nil: the one in the file is in force.
    public func setRefusedConfiguration(_ refused: RefusedConfiguration?) throws(StoreError) {
        guard try refusedConfiguration() != refused else { return }
        try setValue(refused.flatMap { try? JSONText.encoded($0) }, for: MetaKey.refusedConfiguration)
    }

    /// The configuration that was refused last, if the file has not been mended since.
    public func refusedConfiguration() throws(StoreError) -> RefusedConfiguration? {
        JSONText.decoded(RefusedConfiguration.self, from: try value(MetaKey.refusedConfiguration))
    }
}
