import ArgumentParser
import Foundation
import SQLite
import Store

/// The file of `--output`, which takes its name when it is whole; until then it is one beside it.
final class OutputFile {
    private let file: PartialFile
    private let destination: String
    private let stops: SignalStop

    /// - Parameter database: The path of the one that is read, which must stay what it is.
    /// - Throws: `cannotCreate` where no such file can be made.
    init(_ path: String, besides database: String) throws(StoreError) {
        let destination = DatabasePath.resolved(path)
        try DatabaseCopy.refuse(destination, besides: DatabasePath.resolved(database), isReplacing: true)
        file = try PartialFile(of: destination, mode: 0o666)
        // What is replaced was meant for the same readers.
        var status = stat()
        if stat(destination, &status) == 0 { fchmod(file.descriptor, status.st_mode & 0o777) }
        self.destination = destination
        // A limit on the size of files is then an error like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        stops = SignalStop {
            UnfinishedFiles.removeAll()
            return "stopped; nothing has been kept"
        }
    }

    deinit { stops.end() }

    /// Refuses options that do not go together.
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

    /// The file, open to be written.
    var descriptor: Int32 { file.descriptor }

    /// Does what writes the file, whose path it is handed; the program ends where it cannot.
    @discardableResult
    func writing<Result>(_ body: (String) throws -> Result) -> Result {
        do { return try body(file.path) } catch {
            giveUp((error as? SQLiteError).map { StoreError($0).code } == .full ? "the disk is full" : "\(error)")
        }
    }

    /// Gives the file its name.
    func finish() { writing { _ in try file.replace(destination) } }

    /// Ends the program since the file cannot be written; what has its name stays as it was.
    func giveUp(_ reason: String) -> Never {
        UnfinishedFiles.removeAll()
        Terminal.printError("visiventd: \(destination) cannot be written, and nothing has been changed: \(reason)")
        exit(ExitStatus.inputOutput.rawValue)
    }
}
