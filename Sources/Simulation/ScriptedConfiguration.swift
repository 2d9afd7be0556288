import Engine
package import Model

/// The configuration file of a simulation, and the secrets that it names.
package struct ScriptedConfiguration {
    /// What stands in the file's place.
    package enum Content: Equatable {
        /// Valid settings.
        case good([SourceSettings])
        /// A text with faults.
        case faulty
        /// No file at all.
        case gone
    }

    /// What stands in the file's place.
    package private(set) var content: Content
    /// Its number.
    package private(set) var number = 0
    /// Sources whose secrets cannot be read just now.
    package private(set) var withheld: Set<String> = []
    /// When any of it has changed last, as uptime.
    package private(set) var changed = Duration.zero
    /// By source, then by the name polls know them by.
    private let secrets: [String: [String: Secret]]

    init(_ settings: [SourceSettings], secrets: [String: [String: Secret]]) {
        content = .good(settings)
        self.secrets = secrets
    }

    mutating func write(_ content: Content, at now: Moment) {
        guard content != self.content else { return }
        self.content = content
        number += 1
        changed = now.uptime
    }

    mutating func withhold(_ names: Set<String>, at now: Moment) {
        guard names != withheld else { return }
        withheld = names
        changed = now.uptime
    }

    /// The secrets of a source, as far as they can be read.
    func secrets(of name: String) -> [String: Secret] { withheld.contains(name) ? [:] : secrets[name] ?? [:] }

    /// The sources of some settings whose secrets cannot be read just now.
    package func unread(of settings: [SourceSettings]) -> Set<String> {
        withheld.intersection(settings.map(\.name)).filter { secrets[$0] != nil }
    }
}
