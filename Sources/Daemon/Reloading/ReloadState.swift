import Engine
import Foundation
import Operations
import Settings

/// What the shell keeps of the configuration from one step of a reload to the next.
struct ReloadState: Sendable {
    /// The configuration in force.
    var settings: Settings
    /// Its sources, bound to their kinds.
    var sources: [EngineSource]
    /// What was read last, if it may come into force.
    var draft: ReadConfiguration?
    /// The locator that goes on when the draft comes into force; nil: the one that is there.
    var locator: Locator?
    /// Whether the service manager knows of the reload.
    var isTold = false
    /// What the file held when it was last read, or why it could not be.
    private var contents: Result<Data, FileReadingError>?
    /// Its number.
    private(set) var content = 0

    /// Begins with the configuration of the start.
    init(settings: Settings, sources: [EngineSource], contents: Result<Data, FileReadingError>?) {
        self.settings = settings
        self.sources = sources
        self.contents = contents
    }

    /// The file holds this now.
    mutating func note(_ contents: Result<Data, FileReadingError>) {
        guard self.contents != contents else { return }
        self.contents = contents
        content += 1
    }

    /// Keeps what was read, as a draft for the engine.
    mutating func take(_ read: ReadConfiguration) -> ConfigurationDraft {
        draft = read
        let new = read.settings.keepingFixed(of: settings)
        return ConfigurationDraft(
            configuration: EngineConfiguration(
                sources: read.engineSources(), limits: new.engineLimits, truncation: new.truncationPlan),
            unread: read.unread)
    }
}
