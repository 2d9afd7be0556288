/// A key, token or password that is never printed.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret text; only code that sends it should read it.
    public let value: String

    /// Wraps a secret text, which is not checked and may be empty.
    public init(_ value: String) { self.value = value }

    /// The text `<secret>`, never the value.
    public var description: String { "<secret>" }
    /// The text `<secret>`, never the value.
    public var debugDescription: String { "<secret>" }
    /// A mirror without children, so that `dump` and reflection do not reach the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
