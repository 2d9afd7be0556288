import ArgumentParser
import Control
import Foundation
import Operations
import Settings
import Store

/// `visiventd set`
struct SetKeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change keys of a source in the configuration file.",
        discussion: """
            The file in which the source stands, also one of conf.d, is edited in place: comments, order and layout \
            stay. The edited file is validated first; with faults it is refused as by check (exit code 78), and \
            nothing is written. Of another max_age it says how many stored events go by it, or what of the past stays \
            away. KEY= takes a key away, so that its default counts. What says which server is asked, and as whom, is \
            for an editor: name, kind, url, headers, proxy, ca_file and the places of secrets. A running daemon takes \
            the edit up at once, unless reload_on_edit is off.

            Examples:
              visiventd set quakes refresh_interval=10m
              visiventd set world-news 'keywords=[volcan*, erupt*]' max_age=
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Show the lines that would change; write nothing.")
    var dryRun = false

    @Argument(help: "Name of the source.", completion: Completions.sources)
    var name: String

    @Argument(help: ArgumentHelp("Keys with their new values; a list is [a, b].", valueName: "key=value"))
    var changes: [String]

    func validate() throws {
        for text in changes where SettingsEdit.Change(text) == nil {
            throw ValidationError("expected KEY=VALUE, or KEY= to take a key away, found '\(text)'")
        }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let environment = ProcessInfo.processInfo.environment
            let files = try SettingsFiles(reading: configuration.config, files: .ordinary)
            // Faults of the files are told by the edit.
            if let known = try? SettingsReader.parse(files, environment: environment).settings,
                !known.sources.contains(where: { $0.name == name })
            {
                throw known.noSource(named: name)
            }
            let edit = SettingsEdit(source: name, changes: changes.compactMap { SettingsEdit.Change($0) })
            let edited = try edit.validated(files, environment: environment)
            let path = edited.file.path
            // Refusals come before anything is written.
            let settings = try configuration.completed(edited.settings)
            guard edited.new != edited.old else { return Terminal.print("\(name): nothing to change in \(path)") }
            let difference = LineDifference(from: edited.old, to: edited.new)
            for line in difference.lines(file: path) { Terminal.print(line) }
            if edit.changes.contains(where: { $0.key == "max_age" }) { tellAge(settings) }
            if dryRun { return }
            try ConfigurationReplacement.replace(path, having: edited.file.content, with: Data(edited.new.utf8))
            try bringIntoForce(settings, path)
        }
    }

    /// Tells what another `max_age` means for what is stored. The edit does not depend on the database.
    private func tellAge(_ settings: Settings) {
        let source = settings.sources.filter { $0.name == name }
        do {
            let changes = try settings.existingStore()?.ageChanges(under: source, asOf: Date())
            for words in changes?.words ?? [] { Terminal.print(words) }
        } catch {
            Terminal.printError("visiventd: the database does not tell what the new max_age changes: \(error)")
        }
    }

    /// Waits until a running daemon has taken the written file up, and tells its answer.
    private func bringIntoForce(_ settings: Settings, _ path: String) throws {
        guard settings.reloadsOnEdit else {
            let words = "\(path) is written; reload_on_edit is off, so visiventd reload brings it into force"
            return Terminal.print(configuration.hints.completed(words))
        }
        do {
            try ControlClient.reload(at: settings.socket, database: settings.database) { reply in
                "\(path) is written; the daemon: \(reply)"
            }
        } catch DaemonError.unreachable(_, let number) where [ENOENT, ENOTDIR, ECONNREFUSED].contains(number) {
            Terminal.print("\(path) is written; no daemon runs, so it takes effect at the next start")
        } catch let error as DaemonError {
            Terminal.printError("visiventd: \(path) is written, but the daemon cannot be asked whether it is in force")
            throw error
        }
    }
}
