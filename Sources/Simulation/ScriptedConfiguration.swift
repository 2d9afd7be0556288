import Engine
package import Model

/// The configuration file of a simulation and its secrets, in memory.
package struct ScriptedConfiguration {
    /// The content of the file.
    package enum Content: Equatable {
        /// Valid settings; a reading puts them into force.
        case good([SourceSettings])
        /// A text with faults; a reading is refused.
        case faulty
        /// No file at all; a reading is refused.
        case gone
    }

    /// The present content, at first good.
    package private(set) var content: Content
    /// Number of changes of `content` so far; it identifies the content for the engine.
    package private(set) var number = 0
    /// Names of sources whose secrets cannot be read now.
    package private(set) var withheld: Set<String> = []
    /// Uptime of the last change of content or secrets; 0: none yet.
    package private(set) var changed = Duration.zero
    /// Secrets by source, then by the name that polls use.
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

    /// The secrets of a source; empty while they cannot be read.
    func secrets(of name: String) -> [String: Secret] { withheld.contains(name) ? [:] : secrets[name] ?? [:] }

    /// Names of those of the settings' sources that have secrets which cannot be read now.
    package func unread(of settings: [SourceSettings]) -> Set<String> {
        withheld.intersection(settings.map(\.name)).filter { secrets[$0] != nil }
    }

    /// Why secrets of the settings' sources cannot be read now; the messages are the names of `unread`.
    func faults(of settings: [SourceSettings]) -> [Failure] {
        unread(of: settings).sorted().map { Failure(.ours, .secret, $0) }
    }
}
