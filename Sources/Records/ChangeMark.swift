/// The last change, which tells one state of the record from another.
///
/// The time tells states apart that have the same number, such as those before and after a backup was restored.
public struct ChangeMark: Sendable, Hashable {
    /// The number of the change, even if it is no longer kept; 0 before the first.
    public var number: Int64
    /// When the change was made, in milliseconds since 1970; nil if it is no longer kept.
    public var milliseconds: Int64?

    /// Creates a mark with these values; by default of a change that is no longer kept.
    public init(number: Int64, milliseconds: Int64? = nil) {
        (self.number, self.milliseconds) = (number, milliseconds)
    }

    /// Number and time as one word.
    package var text: String { milliseconds.map { "\(number)-\($0)" } ?? "\(number)" }
}
