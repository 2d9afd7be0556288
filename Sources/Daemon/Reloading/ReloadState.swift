import Engine
import Foundation
import Operations
import Settings
import Store

/// The shell's state of the configuration between two steps of a reload.
struct ReloadState: Sendable {
    /// The configuration in force.
    var settings: Settings
    /// The sources in force, bound to their kinds.
    var sources: [EngineSource]
    /// The reasons why secrets are missing in the configuration in force (`ReadConfiguration.missingSecrets`).
    var missingSecrets: [String: [String]]
    /// The last reading, if it may come into force.
    var draft: ReadConfiguration?
    /// The locator for the draft; nil if the present one continues.
    var locator: Locator?
    /// What other ages of the draft mean for what is stored (`AgeChanges.words`).
    var ages: [String] = []
    /// Why the last faulty file cannot come into force.
    var obstacle = RefusedConfiguration.Obstacle.faults
    /// Whether the service manager was told of the reload.
    var isTold = false
    /// The content of the files at the last reading, or why they could not be read.
    private var contents: Result<SettingsFiles, SettingsErrors>?
    /// The number of the content (`ConfigurationReading.content`).
    private(set) var content = 0

    /// Whether a file could not be read at the last reading.
    var isUnreadable: Bool { if case .failure? = contents { true } else { false } }

    /// Creates the state at the start, with the configuration in force.
    init(_ read: ReadConfiguration, contents: Result<SettingsFiles, SettingsErrors>?) {
        settings = read.settings
        sources = read.sources
        missingSecrets = read.missingSecrets
        self.contents = contents
    }

    /// Notes the present content of the files; a difference gets the next number.
    mutating func note(_ contents: Result<SettingsFiles, SettingsErrors>) {
        guard self.contents != contents else { return }
        self.contents = contents
        content += 1
    }

    /// Keeps a reading, and returns it as a draft for the engine.
    mutating func take(_ read: ReadConfiguration) -> ConfigurationDraft {
        draft = read
        let new = read.settings.keepingFixed(of: settings)
        return ConfigurationDraft(
            configuration: EngineConfiguration(
                sources: read.engineSources(), limits: new.engineLimits, truncation: new.truncationPlan),
            faults: read.faults, locator: read.locatorPlan(new))
    }
}
