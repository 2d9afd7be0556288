import ArgumentParser
import Settings

/// Reports unknown commands, which ArgumentParser only calls unexpected.
enum UnknownCommand {
    /// The fault of an option before the command, or of the words before the first option, with the nearest command;
    /// nil without a fault.
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

    /// The options of the program itself; the last two are ArgumentParser's own.
    private static let ownOptions: Set<Substring> = [
        "-h", "-help", "--help", "--version", "--generate-completion-script", "---completion",
        "--experimental-dump-help",
    ]

    /// The name of a command; by default its type's name in lower case.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
