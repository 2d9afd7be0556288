import Model

/// A position in the configuration file; positions compare by line, then column.
public struct SettingsPosition: Sendable, Hashable, Comparable {
    /// Line, from 1.
    public var line: Int
    /// Column, from 1, counted in Unicode scalars.
    public var column: Int

    /// Creates a position; both numbers start at 1, which is not checked.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position right after the beginning of a file.
    init(after beginning: Substring) {
        line = beginning.reduce(1) { $0 + ($1.endsLine ? 1 : 0) }
        column = beginning.reversed().prefix { !$0.endsLine }.reduce(1) { $0 + $1.unicodeScalars.count }
    }

    /// Whether `left` stands before `right`: on an earlier line, or in an earlier column of the same line.
    public static func < (left: SettingsPosition, right: SettingsPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A fault of the configuration, printed on one line:
/// `visiventd.yaml:14:5: sources[1].refresh_intervall: unknown key; did you mean refresh_interval?`
///
/// It never contains a value that may be a secret.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as given to the reader.
    public var file: String
    /// The position; nil for a fault of the whole file.
    public var position: SettingsPosition?
    /// Path of the key, such as `sources[2].refresh_interval`; empty for a fault without a key.
    public var key: String
    /// What was found, as a phrase: `found "5s"`, `unknown key`, `missing`. A value that may be a secret is not quoted.
    public var found: String
    /// The accepted values, as a phrase, such as `a name of its own`; may be empty, as when `suggestion` suffices.
    public var accepted: String
    /// The accepted value that was probably meant, without quotes; nil if none is near.
    public var suggestion: String?
    /// Whether the fault is transient and this machine's: the file cannot be read at the moment, so try again. Default
    /// false.
    public var isTransient = false

    /// Line, from 1; 0 for a fault of the whole file.
    public var line: Int { position?.line ?? 0 }
    /// Column, from 1; 0 for a fault of the whole file.
    public var column: Int { position?.column ?? 0 }

    /// Creates a fault with these values, which is not transient; nothing is checked.
    public init(
        file: String, position: SettingsPosition? = nil, key: String = "", found: String, accepted: String = "",
        suggestion: String? = nil
    ) {
        self.file = file
        self.position = position
        self.key = key
        self.found = found
        self.accepted = accepted
        self.suggestion = suggestion
    }

    /// The fault on one line: `FILE:LINE:COLUMN: KEY: FOUND; accepted: ACCEPTED; did you mean SUGGESTION?`, without the
    /// parts that are nil or empty. Unsafe characters of the key become spaces.
    public var description: String {
        var text = file
        if let position { text += ":\(position.line):\(position.column)" }
        text += ": "
        if !key.isEmpty { text += "\(onOneLine(key)): " }
        text += found
        if !accepted.isEmpty { text += "; accepted: \(accepted)" }
        if let suggestion { text += "; did you mean \(suggestion)?" }
        return text
    }
}

/// All faults of a configuration; nothing of it takes effect.
public struct SettingsErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file after file, those of a whole file first, then by line and column; from `SettingsReader` never
    /// empty.
    public let faults: [SettingsFault]

    /// Creates the error and sorts the faults; the files, and faults of one position, keep their order.
    public init(faults: [SettingsFault]) {
        var files: [String: Int] = [:]
        for fault in faults where files[fault.file] == nil { files[fault.file] = files.count }
        // The offset keeps faults of one position in the order of discovery.
        let places = faults.enumerated().map { offset, fault in
            [files[fault.file, default: 0], fault.line, fault.column, offset]
        }
        self.faults = faults.indices.sorted { places[$0].lexicographicallyPrecedes(places[$1]) }.map { faults[$0] }
    }

    /// Whether the file could not be read for a transient reason; its content may then be right, so try again.
    public var isTransient: Bool { faults.contains { $0.isTransient } }

    /// All faults in their order, one line each, without a line feed at the end.
    public var description: String { faults.map { $0.description }.joined(separator: "\n") }
}

/// The faults found so far in one file, and what its keys accept.
final class FaultList {
    /// The path of the file, as given to the reader.
    let file: String
    private(set) var faults: [SettingsFault] = []
    /// What each key that was looked for accepts, by path, as a phrase, also without a fault; empty unless listed.
    private(set) var accepted: [String: String] = [:]
    /// Whether `accepted` is listed.
    let listsAccepted: Bool

    init(file: String, listsAccepted: Bool = false) {
        self.file = file
        self.listsAccepted = listsAccepted
    }

    /// Takes faults over that were found elsewhere.
    func add(_ others: [SettingsFault]) { faults += others }

    /// Records what a key accepts; the first phrase counts.
    func note(_ key: String, accepts words: String) { if accepted[key] == nil { accepted[key] = words } }

    /// Whether a fault of the key, or of an item of its list, was noted.
    func speaks(of key: String) -> Bool { faults.contains { $0.key == key || $0.key.hasPrefix("\(key)[") } }

    func note(
        _ key: String, at position: SettingsPosition?, _ found: String, accepted: String = "",
        suggestion: String? = nil
    ) {
        faults.append(
            SettingsFault(
                file: file, position: position, key: key, found: found, accepted: accepted, suggestion: suggestion))
    }
}

extension Character {
    /// Whether editors count the character as a line break; vertical tab and form feed are not.
    var endsLine: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}

/// A value quoted for messages: on one line, cut to 80 characters, and withheld if it looks like a secret.
func shown(_ text: String) -> String {
    guard !looksSecret(text) else { return "a value that is not shown" }
    var quoted = "\""
    quoted += onOneLine(String(text.unicodeScalars.prefix(80)))
    return quoted + (text.unicodeScalars.count > 80 ? "…\"" : "\"")
}

/// The text with `\n` for line feeds, and a blank for every other character that a terminal may interpret.
private func onOneLine(_ text: String) -> String {
    text.replacing { scalar, line in
        guard scalar.isUnsafeToShow else { return false }
        line += (scalar == "\n" ? "\\n" : " ").utf8
        return true
    }
}

/// Whether a key or value contains a word such as key, token or password.
package func looksSecret(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["key", "secret", "token", "passw", "authoriz", "bearer"].contains { text.contains($0) }
}
