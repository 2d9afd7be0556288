/// An error of the database, worded for the operator.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Hashable {
        /// Another process has held the write lock for longer than the busy time-out (5 s), a copy's log grew too long,
        /// or as many reads of a `ReaderPool` wait as may.
        case busy
        /// Memory was short, or the operation was interrupted; its transaction was rolled back.
        case interrupted
        /// The disk or the quota is full; the same call succeeds once there is room.
        case full
        /// The file, its folder or the file system is read-only for this user.
        case readOnly
        /// The disk failed, on reading, writing or syncing.
        case io
        /// The file could not be opened, read or created, such as a folder or a missing file.
        case cannotOpen
        /// The open file has lost its name: it was moved, replaced or removed.
        case replaced
        /// A copy cannot be created under that name.
        case cannotCreate
        /// The file, or a copy under its check, is damaged.
        case corrupt
        /// The file is no SQLite database, or that of another program.
        case notADatabase
        /// The file was written by a newer version of this program; the schema versions of file and program.
        case newerSchema(found: Int, known: Int)
        /// The file has an older schema and was opened read-only; the schema versions of file and program. 0: the file
        /// is empty.
        case olderSchema(found: Int, known: Int)
        /// No source of that name is stored; every one that was ever configured is.
        case unknownSource
        /// The query has words, but the full-text index is turned off.
        case noFullText
        /// A read of a `ReaderPool` has spent its time; the same read with less to do succeeds.
        case tooCostly
        /// The store or its `ReaderPool` has been closed, as at the end of the program.
        case closed
        /// Any other error of SQLite.
        case other
    }

    /// The kind of error, to switch on; equal codes may have different messages.
    public var code: Code
    /// What happened, and the remedy if there is one: one sentence without a full stop, perhaps with SQLite's words in
    /// parentheses.
    public var message: String

    /// Creates an error with a code and a message for the operator.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// Whether the same call may succeed later without a change to program or file.
    ///
    /// Polls pause after such an error and continue by themselves (a full or failing disk, a lock held elsewhere).
    public var isTemporary: Bool {
        switch code {
        case .busy, .interrupted, .full, .readOnly, .io, .cannotOpen, .replaced: true
        case .cannotCreate, .corrupt, .notADatabase, .newerSchema, .olderSchema, .unknownSource, .noFullText,
            .tooCostly, .closed, .other:
            false
        }
    }

    /// `message` alone, without the code.
    public var description: String { message }
}
