import Foundation
import Settings

/// The commands that messages recommend: with the files that this command was given, so that they can be given as they
/// stand.
struct Hints: Sendable {
    /// What is inserted behind commands that take the database's path, and behind those that take the city table's.
    private let ofDatabase, ofTable: String
    /// What stands before it where a command needs a configuration and there is none.
    private let configuration: String
    /// The city table beside the database that was given: its path as messages have it, and what names it to a command.
    private let tableBeside: (path: String, words: String)?

    /// For messages of this command.
    private static let own = Hints(ProcessInfo.processInfo.arguments, in: nil)
    /// For the log, which is read elsewhere: with absolute paths.
    private static let logged = Hints(
        ProcessInfo.processInfo.arguments, in: FileManager.default.currentDirectoryPath)

    /// Commands that take the database's path, and those that take the city table's.
    private static let takingDatabase = ["run", "check", "poll", "health", "reset", "reload", "truncate"]
    /// Those that make do without a configuration where the database is named.
    private static let readers = ["status", "seed volcanoes"]
    private static let takingTable = ["seed cities", "seed regions"]

    /// The message, with this command's `--config`, `--database` and `--table` in the commands that it recommends.
    static func completed(_ message: String) -> String { own.inserted(into: message) }

    /// The same for the log.
    static func completedForLog(_ message: String) -> String { logged.inserted(into: message) }

    /// - Parameters:
    ///   - arguments: Those of the program.
    ///   - folder: Where relative paths begin; nil: they stay as they are.
    private init(_ arguments: [String], in folder: String?) {
        func placed(_ file: String) -> String {
            guard let folder, !file.hasPrefix("/") else { return file }
            return folder + "/" + file
        }
        func value(_ names: Substring...) -> String? { Self.value(of: names, among: arguments).map(placed) }
        let config = value("-c", "--config").flatMap { $0 == ConfigurationOptions.standardPath ? nil : $0 }
        func words(_ option: String, _ file: String?) -> String { file.map { " \(option) " + Self.quoted($0) } ?? "" }
        let first = words("--config", config)
        ofDatabase = first + words("--database", value("--database"))
        ofTable = first + words("--table", value("--table"))
        tableBeside = Self.value(of: ["--database"], among: arguments).map { database in
            let path = GazetteerSettings(database: database).path
            return (path: path, words: words("--table", placed(path)))
        }
        // Who names the database alone may have no configuration where it is looked for.
        let isElsewhere =
            config == nil && !ofDatabase.isEmpty && access(ConfigurationOptions.standardPath, R_OK) != 0
        configuration = isElsewhere ? " --config FILE" : ""
    }

    private func inserted(into message: String) -> String {
        guard message.contains("visiventd ") else { return message }
        // Seeding takes no --database: where the message is of the table beside it, that table is named.
        let beside = tableBeside.flatMap { " \(message)".contains(" \($0.path)") ? $0.words : nil }
        func insert(_ words: String, behind commands: [String], in message: String) -> String {
            commands.reduce(message) { message, command in
                message.replacingOccurrences(of: "visiventd \(command)", with: "visiventd \(command)\(words)")
            }
        }
        let withTable = insert(beside ?? ofTable, behind: Self.takingTable, in: message)
        let withReaders = insert(ofDatabase, behind: Self.readers, in: withTable)
        return insert(configuration + ofDatabase, behind: Self.takingDatabase, in: withReaders)
    }

    /// The last value of an option, as the argument parser takes it; nil where it is not given.
    static func value(of names: [Substring], among arguments: [String]) -> String? {
        let options = arguments.prefix { $0 != "--" }
        let index = options.lastIndex { option in names.contains(option.prefix { $0 != "=" }) }
        guard let index else { return nil }
        let parts = options[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[1]) : options[(index + 1)...].first
    }

    /// The path as a shell takes it for one word.
    static func quoted(_ file: String) -> String {
        let isPlain = file.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-+".utf8.contains(byte)
        }
        return isPlain && !file.isEmpty ? file : "'" + file.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
