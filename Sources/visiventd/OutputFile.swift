import ArgumentParser
import Files
import Foundation
import SQLite
import Store

/// The file of `--output`. It is written beside its destination and renamed when it is complete.
final class OutputFile {
    private let file: PartialFile
    private let destination: String
    private let stops: SignalStop

    /// - Parameter database: The path of the database that is read; the file must not replace it.
    /// - Throws: `FileError` or `StoreError`, with `cannotCreate` if the file cannot be created.
    init(_ path: String, besides database: String) throws {
        let destination = try PartialFile.destination(path)
        try DatabaseCopy.refuse(destination, besides: DatabasePath.resolved(database), isReplacing: true)
        file = try PartialFile(of: destination, mode: 0o666)
        // The new file is for the same readers as the replaced one.
        var status = stat()
        if stat(destination, &status) == 0 { fchmod(file.descriptor, status.st_mode & 0o777) }
        self.destination = destination
        // Exceeding a file size limit is then an error like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        stops = SignalStop {
            UnfinishedFiles.removeAll()
            return "stopped; nothing has been kept"
        }
    }

    deinit { stops.end() }

    /// Refuses `--output` with options that exclude it, and a GeoPackage without it.
    /// - Throws: `ValidationError`.
    static func check(_ path: String?, _ format: EventFormat, isFollowing: Bool) throws {
        guard let path else {
            if format == .gpkg {
                throw ValidationError("--format gpkg makes a file: name it with --output, such as --output events.gpkg")
            }
            return
        }
        if isFollowing { throw ValidationError("--output does nothing with --follow, which has no end") }
        if path == "-" || path.isEmpty {
            throw ValidationError("--output takes a file, found '\(path)'; without it, events go to standard output")
        }
        if format == .table {
            throw ValidationError(
                "--output does nothing with --format table; ndjson, geojson, geojsonseq, csv and gpkg make files")
        }
        if format == .gpkg, !path.lowercased().hasSuffix(".gpkg") {
            throw ValidationError("--output takes a file whose name ends in .gpkg with --format gpkg, found '\(path)'")
        }
    }

    /// The descriptor, open for writing.
    var descriptor: Int32 { file.descriptor }

    /// Runs `body` with the path of the unfinished file; exits if it throws.
    @discardableResult
    func writing<Result>(_ body: (String) throws -> Result) -> Result {
        do { return try body(file.path) } catch {
            giveUp((error as? SQLiteError).map { StoreError($0).code } == .full ? "the disk is full" : "\(error)")
        }
    }

    /// Renames the file to its destination.
    func finish() { writing { _ in try file.replace(destination) } }

    /// Exits because the file cannot be written; the destination stays unchanged.
    func giveUp(_ reason: String) -> Never {
        UnfinishedFiles.removeAll()
        Terminal.printError("visiventd: \(destination) cannot be written, and nothing has been changed: \(reason)")
        exit(ExitStatus.inputOutput.rawValue)
    }
}
