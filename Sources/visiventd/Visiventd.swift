import ArgumentParser
import CSQLiteSettings
import Foundation
import Operations

/// The program.
@main
enum Program {
    @MainActor static func main() async {
        // syslog(3), which we do not use, keeps to warnings and worse, LOG_UPTO(LOG_WARNING): libdispatch would log
        // each thread that may not raise its priority. This must precede the first thread.
        setlogmask((1 << (LOG_WARNING + 1)) - 1)
        // `Output` notices a closed pipe itself and ends the program cleanly.
        signal(SIGPIPE, SIG_IGN)
        // If it were refused, SQLite would only be slower.
        _ = leaveMemoryUncounted()
        if let complaint = UnknownCommand.complaint(about: CommandLine.arguments.dropFirst()) {
            Terminal.printError("visiventd: \(complaint)")
            Visiventd.exit(withError: ExitStatus.usage)
        }
        await carryOut()
    }

    /// Like `AsyncParsableCommand.main`, which does not check that help and version can be written.
    private static func carryOut() async {
        do {
            var command = try await Visiventd.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error where Visiventd.exitCode(for: error).isSuccess {
            var output = Output()
            output.add(Data((Visiventd.fullMessage(for: error) + "\n").utf8))
        } catch {
            Visiventd.exit(withError: error)
        }
    }
}

/// The `visiventd` command.
struct Visiventd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "visiventd",
        abstract: "Keep a local, queryable record of what happens on Earth, from feeds.",
        discussion: """
            Exit codes: 0 success, 64 usage, 65 unusable data, 69 unavailable (the database or a daemon cannot be \
            reached), 70 internal, 73 a file cannot be created, 74 input or output cannot be read or written, 75 \
            temporary failure (try again), 78 configuration; of health, 1 a warning, 2 failed, 3 unknown.
            """,
        version: Version.ofBuild,
        subcommands: [
            Run.self, Serve.self, Init.self, Check.self, SetKeys.self, Import.self, Export.self, Seed.self, Poll.self,
            Geocode.self, Decode.self, Events.self, Show.self, CorrectPlace.self, Authors.self, Volcanoes.self,
            Watches.self, WatchCommand.self, Deliveries.self, Resend.self, Status.self, Refused.self, Health.self,
            Reset.self, Reload.self, Truncate.self, Backup.self,
        ])
}
