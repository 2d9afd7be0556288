public import Files
import Foundation
import GRDBSQLite
import Model
import SQLite

/// A complete copy of a database in one file, checked and synced.
///
/// `VACUUM INTO` (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>) makes it in one read transaction, which blocks
/// no writer. The file has no free pages and no write-ahead log, so it opens anywhere. The backup API would restart at
/// each write of the daemon; in a single step it takes as long and also copies free pages.
public struct DatabaseCopy: Sendable, Hashable {
    /// The path of the copy, absolute and with symbolic links followed.
    public var path: String
    /// The size of the copy in bytes.
    public var bytes: Int64
    /// The schema version of database and copy, which may be older than this program's.
    public var schemaVersion: Int

    /// The SQLite check that the copy must pass.
    public enum Check: Sendable {
        /// `PRAGMA quick_check`: every page, but not whether indexes match their tables; about 3 s a GB.
        case quick
        /// `PRAGMA integrity_check`: the same and the indexes; about 10 s a GB.
        case thorough
    }

    /// The progress of a copy.
    public enum Progress: Sendable, Hashable {
        /// The part written so far, 0…1; it may end below 1.
        case copying(Double)
        /// The copy is written and is being checked.
        case checking
    }

    /// Copies the database at `path`, blocking the thread. A running daemon is no obstacle, and read permission is
    /// enough.
    ///
    /// The copy is written under another name and takes the name `destination` when it is complete, checked and
    /// synced. A failure leaves `destination` unchanged.
    /// - Parameters:
    ///   - path: The database.
    ///   - destination: The path of the copy; its permissions are 0640 less the umask.
    ///   - isReplacing: Whether an existing file of that name is replaced; false by default.
    ///   - check: The check of the copy; thorough by default.
    ///   - longestLog: The size of the write-ahead log in bytes at which the copy is given up, 1 GiB by default. The
    ///     log cannot be reused during the copy, and a writable database is worth more than a copy.
    ///   - spare: Bytes that must be free beside the copy, 0 by default.
    ///   - freeBytes: Returns the free bytes of a folder; nil if unknown. The copy needs the size of the data and a
    ///     sixteenth.
    ///   - progress: Called several times a second during the copy, and once before the check.
    /// - Throws: `StoreError`: `cannotCreate` if the destination is refused, `full` if there is no room, `busy` if the
    ///   write-ahead log grows too long, `corrupt` if the copy fails the check, otherwise the fault of the database.
    public static func make(
        of path: String, to destination: String, isReplacing: Bool = false, check: Check = .thorough,
        longestLog: Int64 = 1 << 30, leaving spare: Int64 = 0,
        freeBytes: (String) -> Int64? = FreeSpace.bytes,
        progress: @escaping (Progress) -> Void = { _ in }
    ) throws(StoreError) -> DatabaseCopy {
        let path = DatabasePath.resolved(path)
        let destination = try reporting { try PartialFile.destination(destination) }
        try DatabasePath.mustExist(path)
        try refuse(destination, besides: path, isReplacing: isReplacing)
        let source = try naming(path) { try DatabaseFile(unlinked: path) }
        let (version, size) = try naming(path) { try examine(source.connection) }
        let folder = DatabasePath.folder(of: destination)
        let needed = size + size / 16 + spare
        if let free = freeBytes(folder), free < needed {
            let added = spare > 0 ? " with what is written after it" : ""
            throw StoreError(
                .full,
                "A copy of \(path)\(added) needs \(needed.asSize(isRoundedUp: true)) in \(folder), where "
                    + "\(free.asSize()) are free; free some space, then try again")
        }
        let file = try reporting { try PartialFile(of: destination) }
        let watch = CopyWatch(of: file, log: path + "-wal", longestLog: longestLog) { written in
            progress(.copying(min(1, Double(written) / Double(max(1, size)))))
        }
        do {
            try watch.during(source) { connection in try connection.run("VACUUM INTO ?", file.path) }
        } catch {
            throw failure(StoreError(error), of: path, to: destination, watch)
        }
        try reporting { try file.sync() }
        progress(.checking)
        try verify(file.path, version, check, of: path)
        let bytes = file.size
        guard try reporting({ try file.putInPlace(destination, isReplacing: isReplacing) }) else {
            throw isTaken(destination)
        }
        return DatabaseCopy(path: destination, bytes: bytes, schemaVersion: version)
    }

    // MARK: - Refusals

    /// Suffixes of the files that SQLite or the daemon keep for a database.
    private static let companions = ["", "-wal", "-shm", "-journal", ".lock"]

    /// Refuses a destination that cannot be created, belongs to the database itself, or has SQLite's files beside it.
    /// Creates nothing.
    /// - Parameters:
    ///   - destination: The file, resolved.
    ///   - path: The database, resolved.
    ///   - isReplacing: Whether an existing ordinary file is allowed.
    /// - Throws: `StoreError.cannotCreate`.
    package static func refuse(_ destination: String, besides path: String, isReplacing: Bool) throws(StoreError) {
        let folder = DatabasePath.folder(of: destination)
        var status = stat()
        guard stat(folder, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            throw StoreError(.cannotCreate, "\(destination) cannot be created: \(folder): \(reason)")
        }
        let isThere = stat(destination, &status) == 0
        for companion in companions {
            guard !DatabasePath.isOneFile(destination, path + companion), destination != path + companion else {
                throw StoreError(.cannotCreate, "\(destination) belongs to the database itself; choose another name")
            }
        }
        if isThere {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StoreError(
                    .cannotCreate,
                    status.st_mode & S_IFMT == S_IFDIR
                        ? "\(destination) is a folder; name a file in it" : "\(destination) is no ordinary file")
            }
            guard isReplacing else { throw isTaken(destination) }
        }
        // SQLite would take these files for those of the new database.
        for companion in ["-wal", "-journal"] where access(destination + companion, F_OK) == 0 {
            throw StoreError(
                .cannotCreate,
                "\(destination)\(companion) is there, so a database of that name may be in use; choose another name")
        }
    }

    private static func isTaken(_ destination: String) -> StoreError {
        StoreError(.cannotCreate, "\(destination) is there already; choose another name, or replace it with --force")
    }

    // MARK: - Failures

    private static func verify(
        _ copy: String, _ version: Int, _ check: Check, of path: String
    ) throws(StoreError) {
        let findings: Result<String?, any Error> = Result { () throws -> String? in
            let own = try DatabaseFile(unlinked: copy)
            defer { withExtendedLifetime(own) {} }
            let connection = own.connection
            let pragma = check == .quick ? "quick_check" : "integrity_check"
            let look = try connection.prepare("PRAGMA \(pragma)(1)")
            guard try look.step() else { return "no answer" }
            let finding = look.string(0)
            look.reset()
            guard finding == "ok" else {
                if let error = misread(finding) { throw error }
                return finding.replacing("\n", with: " ")
            }
            if try connection.prepare("PRAGMA foreign_key_check").step() { return "a foreign key leads nowhere" }
            try Migrations.check(connection)
            let found = Int(try connection.firstInt64("PRAGMA user_version") ?? 0)
            return found == version ? nil : "schema version \(found) in place of \(version)"
        }
        let fault: String
        switch findings {
        case .success(nil): return
        case .success(let finding?): fault = finding
        case .failure(let error):
            let reason = StoreError(error)
            if reason.isTemporary {
                throw StoreError(reason.code, "The copy cannot be checked, and has not been kept: \(reason.message)")
            }
            fault = reason.message
        }
        throw StoreError(
            .corrupt,
            "The copy does not stand SQLite's checks (\(fault)), so \(path) is damaged, or the disk of the copy; nothing "
                + "has been kept")
    }

    /// The temporary error behind a finding of SQLite's checks, which report an unreadable page as a finding
    /// (`Page 7: unable to get the page. error code=266`). Nil if the page is damaged.
    static func misread(_ finding: String) -> StoreError? {
        guard let words = finding.firstRange(of: "error code="),
            let code = Int32(finding[words.upperBound...].prefix { $0.isNumber })
        else { return nil }
        let error = StoreError(result: code, detail: finding.replacing("\n", with: " "))
        return error.isTemporary ? error : nil
    }

    private static func failure(
        _ error: StoreError, of path: String, to destination: String, _ watch: CopyWatch
    ) -> StoreError {
        switch error.code {
        case .interrupted where watch.isLogTooLong:
            StoreError(
                .busy,
                "So much has been written to \(path) meanwhile that its write-ahead log has become too long; nothing has "
                    + "been kept, try again when less is going on")
        case .full:
            StoreError(
                .full,
                "The disk of \(destination) is full; nothing has been kept there: free some space, then try again")
        case .io, .cannotOpen:
            StoreError(.io, "\(destination) cannot be written, nothing has been kept there: \(error.message)")
        default: StoreError(error.code, "\(path): \(error.message)")
        }
    }

    private static func naming<T>(_ path: String, _ body: () throws -> T) throws(StoreError) -> T {
        do throws(StoreError) {
            return try reporting(body)
        } catch {
            throw StoreError(error.code, "\(path): \(error.message)")
        }
    }

    /// The schema version and the bytes of a copy; throws for a foreign, newer or empty database.
    private static func examine(_ connection: Connection) throws -> (version: Int, bytes: Int64) {
        try Migrations.check(connection)
        func value(_ pragma: String) throws -> Int64 { try connection.firstInt64("PRAGMA \(pragma)") ?? 0 }
        let version = Int(try value("user_version"))
        guard version > 0 else { throw StoreError(.notADatabase, "The database is empty; there is nothing to copy") }
        return (version, try value("page_size") * (value("page_count") - value("freelist_count")))
    }
}

/// Watches the size of the copy and of the write-ahead log while SQLite works.
private final class CopyWatch {
    private let file: PartialFile
    private let log: String
    private let longestLog: Int64
    private let progress: (Int64) -> Void
    private(set) var isLogTooLong = false

    /// SQLite VM steps between two checks, about 3 ms (<https://www.sqlite.org/c3ref/progress_handler.html>).
    private static let steps: Int32 = 20_000

    init(of file: PartialFile, log: String, longestLog: Int64, progress: @escaping (Int64) -> Void) {
        self.file = file
        self.log = log
        self.longestLog = longestLog
        self.progress = progress
    }

    /// Runs `body` under watch; it fails with `interrupted` when the log is too long.
    func during(_ source: DatabaseFile, _ body: (Connection) throws -> Void) throws {
        let handle = source.connection.handle
        let callback: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context else { return 0 }
            return Unmanaged<CopyWatch>.fromOpaque(context).takeUnretainedValue().look() ? 0 : 1
        }
        sqlite3_progress_handler(handle, Self.steps, callback, Unmanaged.passUnretained(self).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        try body(source.connection)
    }

    private func look() -> Bool {
        progress(file.size)
        isLogTooLong = DatabasePath.size(of: log) > longestLog
        return !isLogTooLong
    }
}
