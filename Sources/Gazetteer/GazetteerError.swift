/// Why a city table cannot be read or made, in words for the operator.
public struct GazetteerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to switch on.
    public enum Code: Sendable, Hashable {
        /// No table has been seeded yet.
        case notSeeded
        /// The file is no city table, or one of a newer program.
        case notATable
        /// The file is damaged or the disk failed.
        case unreadable
        /// The input is of no known format; nothing has been written.
        case unknownFormat
        /// The input cannot be read to its end.
        case unreadableInput
        /// The new table cannot be written: a full disk, missing permissions.
        case cannotWrite
    }

    /// What to switch on.
    public var code: Code
    /// One sentence with what was found and, where there is one, the remedy.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
