import Foundation
import Model
import Settings

/// Adds the options of this command to the commands that a message recommends, so that they can be copied.
///
/// Messages come from targets that know no command line, and some are stored before `status` shows them. So the options
/// are inserted into the finished text.
struct Hints: Sendable {
    /// The paths as given; nil stands for the default.
    private let config, database, table: String?
    /// The folder of relative paths; nil leaves them relative.
    private var folder: String?

    /// Takes the options of a command; none by default.
    init(config: String = ConfigurationOptions.standardPath, database: String? = nil, table: String? = nil) {
        self.config = config == ConfigurationOptions.standardPath ? nil : config
        self.database = database
        self.table = table
    }

    /// The same with absolute paths, for the log, whose reader is in another folder.
    var forLog: Hints {
        var hints = self
        hints.folder = FileManager.default.currentDirectoryPath
        return hints
    }

    /// The message with `--config`, `--database` and `--table` in the commands that it recommends.
    func completed(_ message: String) -> String {
        guard message.contains("visiventd ") else { return message }
        let first = words("--config", config)
        let ofDatabase = first + words("--database", database)
        // Seeding takes no --database: a message about the table beside it names that table.
        let beside = database.map { GazetteerSettings(database: $0).path }
        let isOfBeside = beside.map { " \(message)".contains(" \($0)") } ?? false
        let ofTable = isOfBeside ? words("--table", beside) : first + words("--table", table)
        // With --database alone there may be no configuration at the default path.
        let isElsewhere = config == nil && database != nil && access(ConfigurationOptions.standardPath, R_OK) != 0
        let options: [(commands: [String], words: String)] = [
            (["seed cities", "seed regions"], ofTable),
            // These commands need no configuration if the database is named.
            (["status", "seed volcanoes"], ofDatabase),
            (
                ["run", "check", "poll", "health", "reset", "reload", "truncate"],
                (isElsewhere ? " --config FILE" : "") + ofDatabase
            ),
        ]
        // In one pass, so that what is inserted is not looked at again.
        let parts = message.components(separatedBy: "visiventd ")
        var text = parts[0]
        for (before, part) in zip(parts, parts.dropFirst()) {
            text += "visiventd "
            var rest = part[...]
            for (commands, words) in options where !Self.isOfWord(before.last) {
                let command = commands.first { command in
                    part.hasPrefix(command) && !Self.isOfWord(part.dropFirst(command.count).first)
                }
                guard let command else { continue }
                text += command + words
                rest = part.dropFirst(command.count)
            }
            text += rest
        }
        return text
    }

    /// Whether a character beside a command makes it part of a longer word or of a path.
    private static func isOfWord(_ character: Character?) -> Bool {
        guard let character else { return false }
        return character.isLetter || character.isNumber || "/-_".contains(character)
    }

    /// An option with its file, as appended to a command; empty without a file.
    private func words(_ option: String, _ file: String?) -> String {
        guard let file else { return "" }
        let path = file.hasPrefix("/") ? file : folder.map { "\($0)/\(file)" } ?? file
        return " \(option) \(path.shellQuoted)"
    }
}

extension ConfigurationOptions {
    /// The options for messages of a command.
    var hints: Hints { Hints(config: config, database: database) }
}

extension DatabaseOptions {
    /// The options for messages of a command.
    var hints: Hints { Hints(config: config, database: database) }
}

extension TableOptions {
    /// The options for messages of a command.
    var hints: Hints { Hints(config: config, table: table) }
}
