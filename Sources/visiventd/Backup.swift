import ArgumentParser
import Foundation
import Model
import SQLite
import Store

/// `visiventd backup`
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the database, also while the daemon runs, and check the copy.",
        discussion: """
            The copy is one file, without free pages and without a write-ahead log. It takes its name when it is whole, \
            checked and on the disk; until then a file that has the name stays. Who may read the database may do this. \
            The city table is not in it.

            With - the copy goes to standard output, once it is whole and checked; its size is told on standard error. \
            Until then it is in the folder of TMPDIR, by default /var/tmp, which needs room for it.

            Examples:
              visiventd backup /backup/visiventd-$(date +%F).sqlite
              visiventd backup --force /backup/visiventd.sqlite
              visiventd backup - | zstd | ssh backup@host 'cat > visiventd.sqlite.zst'
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Argument(help: "The copy to make; - for standard output.", completion: .file())
    var file: String

    func validate() throws {
        if file == "-", force { throw ValidationError("--force replaces a file, and - is standard output") }
    }

    func run() async throws {
        try await reporting(database.hints) {
            let isPiped = file == "-"
            if isPiped, isatty(STDOUT_FILENO) == 1 {
                throw ValidationError("a copy is nothing for a terminal: name a file, or visiventd backup - > FILE")
            }
            let path = try database.path()
            if !isPiped { try database.refuse(replacing: file) }
            let passing = try isPiped ? PassingCopy() : nil
            defer { passing?.remove() }
            // Exceeding a file size limit is then an error like a full disk.
            signal(SIGXFSZ, SIG_IGN)
            let stops = SignalStop {
                UnfinishedFiles.removeAll()
                passing?.remove()
                return "stopped; nothing has been kept"
            }
            defer { stops.end() }
            let begun = ContinuousClock.now
            let line = ProgressLine()
            defer { line.clear() }
            let copy = try DatabaseCopy.make(
                of: path, to: passing?.path ?? file, isReplacing: force, progress: { line.show($0.words) })
            line.clear()
            try passing?.pour()
            let facts =
                "schema version \(copy.schemaVersion), checked, in \((ContinuousClock.now - begun).compact)"
            guard isPiped else { return Terminal.print("\(copy.path): \(copy.bytes.asSize()), \(facts)") }
            Terminal.show("standard output: \(copy.bytes) bytes (\(copy.bytes.asSize())), \(facts)\n")
        }
    }
}

/// A copy on its way to standard output, in a folder that only this user may enter.
private struct PassingCopy: Sendable {
    private let folder: String

    /// Makes the folder, in that of `TMPDIR` or in /var/tmp: /tmp is often memory.
    /// - Throws: `StoreError.cannotCreate`.
    init() throws(StoreError) {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let parent = named.isEmpty ? "/var/tmp" : named
        var template = Array("\(parent)/visiventd-backup-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let reason = String(cString: strerror(errno))
            throw StoreError(.cannotCreate, "\(parent) takes no folder for the copy (TMPDIR names another): \(reason)")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Where the copy is to be made.
    var path: String { folder + "/copy.sqlite" }

    /// Writes the copy to standard output. It loses its name first, so that its space is free even after kill -9.
    func pour() throws {
        let input = try openedInput(path)
        remove()
        while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty {
            do {
                try FileHandle.standardOutput.write(contentsOf: piece)
            } catch {
                let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
                Terminal.printError(
                    "visiventd: standard output cannot be written, so what it has got is no copy: "
                        + cause.localizedDescription)
                throw ExitStatus.inputOutput
            }
        }
    }

    /// Removes the copy and its folder; errors are ignored.
    func remove() {
        unlink(path)
        rmdir(folder)
    }
}

extension DatabaseCopy.Progress {
    fileprivate var words: String {
        switch self {
        case .copying(let part): "copying: \(Int(clamping: part * 100)) %"
        case .checking: "checking the copy"
        }
    }
}
