/// An error of a file that is made or replaced, worded for the operator.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Hashable {
        /// The disk or the quota is full.
        case full
        /// The disk failed.
        case io
        /// The file cannot be made under that name.
        case cannotCreate
        /// Somebody else has changed the file that was to be replaced.
        case changed
    }

    /// The kind of error, to switch on.
    public var code: Code
    /// What happened, and the remedy if there is one: one sentence without a full stop.
    public var message: String

    /// Creates an error with a code and a message for the operator.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// `message` alone, without the code.
    public var description: String { message }
}
