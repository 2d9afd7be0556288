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

            Examples:
              visiventd backup /backup/visiventd-$(date +%F).sqlite
              visiventd backup --force /backup/visiventd.sqlite
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Argument(help: "The copy to make.", completion: .file())
    var file: String

    func run() async throws {
        try await reporting(database.hints) {
            let path = try database.path()
            try database.refuse(replacing: file)
            // Exceeding a file size limit is then an error like a full disk.
            signal(SIGXFSZ, SIG_IGN)
            let stops = SignalStop {
                UnfinishedFiles.removeAll()
                return "stopped; nothing has been kept"
            }
            defer { stops.end() }
            let begun = ContinuousClock.now
            let line = CopyProgressLine()
            defer { line.clear() }
            let copy = try DatabaseCopy.make(of: path, to: file, isReplacing: force, progress: { line.show($0) })
            line.clear()
            Terminal.print(
                "\(copy.path): \(copy.bytes.asSize()), schema version \(copy.schemaVersion), checked, in "
                    + "\((ContinuousClock.now - begun).compact)")
        }
    }
}

/// Shows the progress of a copy on standard error if that is a terminal.
private final class CopyProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = ""

    func show(_ progress: DatabaseCopy.Progress) {
        guard isTerminal else { return }
        let text =
            switch progress {
            case .copying(let part): "copying: \(Int(clamping: part * 100)) %"
            case .checking: "checking the copy"
            }
        guard text != shown else { return }
        shown = text
        write("\r\u{1B}[K" + text)
    }

    func clear() {
        if !shown.isEmpty { write("\r\u{1B}[K") }
        shown = ""
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
