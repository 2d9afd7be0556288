public import Foundation

/// A time since when a source's record of then is whole.
public struct SourceCompleteness: Sendable, Hashable {
    /// The source's name.
    public var name: String
    /// Of each moment since then, every event of the source is recorded whose age counts from then or later, that is
    /// the earlier of its time and its first sight; except what its provider has erased.
    public var completeFrom: Date
    /// The number of the last change of the last reset that removed events of the source: states before it lack them,
    /// whatever their times. 0, the default: none did.
    public var resetChange: Int64

    /// Creates a value, which is not checked.
    public init(name: String, completeFrom: Date, resetChange: Int64 = 0) {
        (self.name, self.completeFrom, self.resetChange) = (name, completeFrom, resetChange)
    }
}
