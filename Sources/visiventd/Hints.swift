import Foundation

/// The commands that messages recommend: with the same configuration, so that they can be given as they stand.
enum Hints {
    /// ` --config FILE` as this command was given it; empty where it was not.
    private static let configuration = option(of: ProcessInfo.processInfo.arguments)

    /// The message, with this command's `--config` in the commands that it recommends.
    static func completed(_ message: String) -> String {
        guard !configuration.isEmpty else { return message }
        return ["run", "poll", "seed cities", "seed volcanoes"].reduce(message) { message, command in
            message.replacingOccurrences(
                of: "visiventd \(command)", with: "visiventd \(command)\(configuration)")
        }
    }

    private static func option(of arguments: [String]) -> String {
        let options = arguments.prefix { $0 != "--" }
        let names: [Substring] = ["-c", "--config"]
        let index = options.lastIndex { option in names.contains(option.prefix { $0 != "=" }) }
        guard let index else { return "" }
        let parts = options[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let file = parts.count == 2 ? String(parts[1]) : options[(index + 1)...].first else { return "" }
        let isPlain = file.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-+".utf8.contains(byte)
        }
        return " --config " + (isPlain ? file : "'" + file.replacingOccurrences(of: "'", with: "'\\''") + "'")
    }
}
