import GRDBSQLite
import SQLite

/// Why a city table cannot be read or written, or an input cannot be read, in words for the operator.
public struct GazetteerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error; after each of them the present table is unchanged.
    public enum Code: Sendable, Hashable {
        /// There is no table at the path; `visiventd seed cities` makes one.
        case notSeeded
        /// The file is another SQLite database, or a table of another layout version that must be seeded again.
        case notATable
        /// The file is damaged, is no SQLite database, may not be read, or the disk failed.
        case unreadable
        /// The input has no known format; the message says what was found.
        case unknownFormat
        /// The input is damaged, too large or ends early, or has no usable row.
        case unreadableInput
        /// The new table cannot be written: full disk, missing permissions, a foreign file in its place, or another
        /// seeding that was faster.
        case cannotWrite
    }

    /// The kind of error, for the caller's decision.
    public var code: Code
    /// One sentence that names what was found and, if there is one, the remedy.
    public var message: String

    /// Creates an error with these values; the message should be one sentence.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error for a table that a read failed on. SQLite's own words advise on the events' database, which can be
    /// restored from a backup; a table is seeded again.
    static func unreadable(table path: String, _ error: any Error) -> GazetteerError {
        let remedy = "visiventd seed cities FILE"
        switch (error as? SQLiteError)?.result {
        case SQLITE_CORRUPT:
            return GazetteerError(.unreadable, "the city table \(path) is damaged; seed it again: \(remedy)")
        case SQLITE_NOTADB:
            return GazetteerError(.unreadable, "\(path) is no city table; move it away, then seed one: \(remedy)")
        default: return GazetteerError(.unreadable, "the city table \(path) cannot be read: \(error)")
        }
    }

    /// The message alone.
    public var description: String { message }
}
