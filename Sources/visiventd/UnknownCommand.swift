import ArgumentParser
import Settings

/// A word in a command's place that is none: the argument parser says no more than that it is unexpected.
enum UnknownCommand {
    /// What is wrong with an option before the command, or with the words before the first option, and which command was
    /// perhaps meant; nil when nothing is.
    static func complaint(about arguments: ArraySlice<String>) -> String? {
        if let option = arguments.first, option.hasPrefix("-"), !ownOptions.contains(option.prefix { $0 != "=" }) {
            let command = arguments.first { word in
                Visiventd.configuration.subcommands.contains { name(of: $0) == word }
            }
            if let command { return "options stand after the command: visiventd \(command) \(option) …" }
        }
        var words = arguments.prefix { !$0.hasPrefix("-") }
        if words.first == "help" { words = words.dropFirst() }
        var path = ""
        var commands = Visiventd.configuration.subcommands
        while let word = words.popFirst(), !commands.isEmpty {
            guard let command = commands.first(where: { name(of: $0) == word }) else {
                let meant = NearestWord.to(word, among: commands.map { name(of: $0) })
                return "there is no command '\(path)\(word)'; "
                    + (meant.map { "did you mean '\(path)\($0)'? See" } ?? "see") + " visiventd \(path)--help"
            }
            path += "\(word) "
            commands = command.configuration.subcommands
        }
        return nil
    }

    /// What the program takes without a command; the last two are the argument parser's own.
    private static let ownOptions: Set<Substring> = [
        "-h", "-help", "--help", "--version", "--generate-completion-script", "---completion",
        "--experimental-dump-help",
    ]

    /// What a command is called: a name that is not given is the type's, in one word.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
