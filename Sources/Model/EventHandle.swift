/// By what the store finds an event again, and where reading goes on behind it, even after the event has gone.
///
/// Handles are in the order in which the store got its events. They are of use with one database alone, and what they are
/// made of is the store's own.
public struct EventHandle: Sendable, Hashable {
    /// The handle before those of all events, which is that of no event.
    public static let start = EventHandle(0)

    /// Only the store reads it.
    @usableFromInline package let number: Int64

    /// Creates the handle of an event; only the store does.
    @inlinable package init(_ number: Int64) { self.number = number }

    /// Reads `text`; nil for any other text.
    public init?(_ text: String) {
        guard let number = Int64(text), number >= 0 else { return nil }
        self.number = number
    }

    /// The handle as a word, for a file or a client.
    public var text: String { "\(number)" }
}
