/// Why a city table cannot be read or written, in words for the operator.
public struct GazetteerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Hashable {
        /// There is no table.
        case notSeeded
        /// The file is not a city table, or a table of another layout version.
        case notATable
        /// The file is damaged, may not be read, or the disk failed.
        case unreadable
        /// The input has no known format; nothing was written.
        case unknownFormat
        /// The input cannot be read to its end, or has no usable row.
        case unreadableInput
        /// The new table cannot be written: full disk, missing permissions, a foreign file in its place.
        case cannotWrite
    }

    /// The kind of error.
    public var code: Code
    /// One sentence that names what was found and, if there is one, the remedy.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
