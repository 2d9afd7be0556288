import Model

/// A place in the configuration file.
public struct SettingsPosition: Sendable, Hashable, Comparable {
    /// Line, from 1.
    public var line: Int
    /// Column, from 1, counted in Unicode scalars.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place behind the beginning of a text.
    init(after beginning: Substring) {
        line = beginning.reduce(1) { $0 + ($1.endsLine ? 1 : 0) }
        column = beginning.reversed().prefix { !$0.endsLine }.reduce(1) { $0 + $1.unicodeScalars.count }
    }

    public static func < (left: SettingsPosition, right: SettingsPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// One thing that is wrong with the configuration, on one line:
/// `visiventd.yaml:14:5: sources[1].refresh_intervall: unknown key; did you mean refresh_interval?`
///
/// Values that may hold a secret are never part of it.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The file, as it was named to the reader.
    public var file: String
    /// Where; nil when the fault is the file as a whole.
    public var position: SettingsPosition?
    /// Path of the key, such as `sources[2].refresh_interval`; empty when the fault belongs to no key.
    public var key: String
    /// What was found, as a phrase: `found "5s"`, `unknown key`, `missing`.
    public var found: String
    /// What would be accepted, as a phrase; may be empty where `suggestion` says it all.
    public var accepted: String
    /// The nearest thing that would have been right.
    public var suggestion: String?
    /// Whether it is this machine's and may pass: the file cannot be read just now.
    public var isTransient = false

    /// Line, from 1; 0 when the fault is the file as a whole.
    public var line: Int { position?.line ?? 0 }
    /// Column, from 1; 0 when the fault is the file as a whole.
    public var column: Int { position?.column ?? 0 }

    /// Creates a fault.
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

/// Everything that is wrong with a configuration, in the order of the file.
public struct SettingsErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, by line and column; never empty.
    public let faults: [SettingsFault]

    /// Sorts the faults by line and column.
    public init(faults: [SettingsFault]) {
        // The index keeps faults of one place in the order they were found.
        self.faults = faults.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map { $0.element }
    }

    /// Whether nothing is wrong with the configuration, as far as is known: it cannot be read just now.
    public var isTransient: Bool { faults.contains { $0.isTransient } }

    /// One line for each fault.
    public var description: String { faults.map { $0.description }.joined(separator: "\n") }
}

/// The faults found so far in one file.
final class FaultList {
    /// The file, as it was named to the reader.
    let file: String
    private(set) var faults: [SettingsFault] = []

    init(file: String) { self.file = file }

    /// Whether a fault of the key, or of an item of its list, has been noted.
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
    /// Whether editors count it as the end of a line; a vertical tab or a form feed is none.
    var endsLine: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}

/// A value as messages quote it: on one line, cut to 80 characters, and not at all when it looks like a secret.
func shown(_ text: String) -> String {
    guard !looksSecret(text) else { return "a value that is not shown" }
    var quoted = "\""
    quoted += onOneLine(String(String.UnicodeScalarView(text.unicodeScalars.prefix(80))))
    return quoted + (text.unicodeScalars.count > 80 ? "…\"" : "\"")
}

/// The text with `\n` in place of line feeds, and blanks in place of whatever else a terminal might obey.
private func onOneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if scalar == "\n" {
            line.append(contentsOf: "\\n".unicodeScalars)
        } else {
            line.append(scalar.isUnsafeToShow ? " " : scalar)
        }
    }
    return String(line)
}

/// Whether a key or value speaks of a key, token or password.
func looksSecret(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["key", "secret", "token", "passw", "authoriz", "bearer"].contains { text.contains($0) }
}
