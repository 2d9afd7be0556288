import Foundation

/// The commands that messages recommend: with the files that this command was given, so that they can be given as they
/// stand.
struct Hints: Sendable {
    /// What is inserted behind `visiventd COMMAND`, by command.
    private let options: [(command: String, words: String)]

    /// For messages of this command.
    private static let own = Hints(ProcessInfo.processInfo.arguments, in: nil)
    /// For the log, which is read elsewhere: with absolute paths.
    private static let logged = Hints(
        ProcessInfo.processInfo.arguments, in: FileManager.default.currentDirectoryPath)

    /// Commands that take the database's path, and those that take the city table's.
    private static let ofDatabase = [
        "run", "check", "poll", "status", "health", "reset", "reload", "truncate", "seed volcanoes",
    ]
    private static let ofTable = ["seed cities", "seed regions"]

    /// The message, with this command's `--config`, `--database` and `--table` in the commands that it recommends.
    static func completed(_ message: String) -> String { own.inserted(into: message) }

    /// The same for the log.
    static func completedForLog(_ message: String) -> String { logged.inserted(into: message) }

    /// - Parameters:
    ///   - arguments: Those of the program.
    ///   - folder: Where relative paths begin; nil: they stay as they are.
    private init(_ arguments: [String], in folder: String?) {
        func value(_ names: Substring...) -> String? {
            guard let file = Self.value(of: names, among: arguments) else { return nil }
            guard let folder, !file.hasPrefix("/") else { return file }
            return folder + "/" + file
        }
        let config = value("-c", "--config").flatMap { $0 == ConfigurationOptions.standardPath ? nil : $0 }
        func words(_ option: String, _ file: String?) -> String { file.map { " \(option) " + Self.quoted($0) } ?? "" }
        let first = words("--config", config)
        let ofDatabase = first + words("--database", value("--database"))
        let ofTable = first + words("--table", value("--table"))
        options =
            Self.ofDatabase.map { (command: $0, words: ofDatabase) }
            + Self.ofTable.map { (command: $0, words: ofTable) }
    }

    private func inserted(into message: String) -> String {
        guard message.contains("visiventd ") else { return message }
        return options.reduce(message) { message, option in
            message.replacingOccurrences(
                of: "visiventd \(option.command)", with: "visiventd \(option.command)\(option.words)")
        }
    }

    /// The last value of an option, as the argument parser takes it; nil where it is not given.
    private static func value(of names: [Substring], among arguments: [String]) -> String? {
        let options = arguments.prefix { $0 != "--" }
        let index = options.lastIndex { option in names.contains(option.prefix { $0 != "=" }) }
        guard let index else { return nil }
        let parts = options[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[1]) : options[(index + 1)...].first
    }

    /// The path as a shell takes it for one word.
    private static func quoted(_ file: String) -> String {
        let isPlain = file.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-+".utf8.contains(byte)
        }
        return isPlain && !file.isEmpty ? file : "'" + file.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
