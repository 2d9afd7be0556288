public import Foundation
public import Model

/// The reason for a reload; the raw value is for people.
public enum ReloadCause: String, Sendable, Hashable {
    /// A command, which waits for the report; every command is reported.
    case command = "visiventd reload"
    /// A signal to the process; nobody waits.
    case signal = "SIGHUP"
    /// The file may have been edited, or is retried; nobody waits.
    case edit = "the file was edited"
    /// The file was removed; set by the engine, never requested. The outcome is `refused`.
    case removal = "the file is gone"
    /// The file is unchanged, but a secret has become readable; set by the engine, never requested.
    case secret = "a secret can be read again"
}

/// What reloads need to know of the configuration at the engine's start.
public struct ReloadPlan: Sendable {
    /// Whether edits of the file take effect by themselves; otherwise only a command or a signal reloads it.
    public var watchesEdits: Bool
    /// The content number of the file (`ConfigurationReading.content`); default 0.
    public var content: Int
    /// Why secrets could not be read (`ConfigurationDraft.faults`); empty: all could.
    public var faults: [Failure]
    /// What the locator was made from.
    public var locator: LocatorPlan

    /// Creates a plan with these values; by default all secrets could be read, and there is no locator.
    public init(
        watchesEdits: Bool, content: Int = 0, faults: [Failure] = [], locator: LocatorPlan = LocatorPlan()
    ) {
        self.watchesEdits = watchesEdits
        self.content = content
        self.faults = faults
        self.locator = locator
    }
}

/// An input about the configuration, sent by the shell; ignored while the engine stops.
public enum ReloadInput: Sendable {
    /// Requests a reading, for `command`, `signal` or `edit`. Each command gets its own report.
    case look(ReloadCause)
    /// The result of a reading, faulty or not; answers `ReloadStep.read`.
    case read(ConfigurationReading)
    /// The preparation succeeded, so the engine stores the configuration; answers `ReloadStep.prepare`.
    case prepared
    /// The preparation failed, so the configuration in force stays; answers `ReloadStep.prepare`. After a transient
    /// failure (`Failure.isTransient`) it is retried after 1 s to 60 s.
    case notPrepared(Failure)
}

/// A step of a reload that the engine asks of the shell. Each but `ended` is answered before the next one.
public enum ReloadStep: Sendable {
    /// Read the configuration, off the engine's thread. Answered by `ReloadInput.read`, whatever is found.
    case read(ReadingOrder)
    /// Prepare what may fail, because the last reading is about to come into force: another locator if it needs one
    /// (`relocating`). Answered by `prepared` or `notPrepared`.
    case prepare(relocating: Bool)
    /// The outcome of a reload. With `inForce` the last reading is in force, and the prepared locator is to be used.
    case ended(ReloadReport)
}

/// What is to be read: the file, secrets, or both.
public struct ReadingOrder: Sendable, Hashable {
    /// The condition for loading the file.
    public enum File: Sendable, Hashable {
        /// The file is loaded, also if it is unchanged.
        case always
        /// The file is loaded unless its content still has this number (`ConfigurationReading.content`).
        case unless(content: Int)
        /// The file is left alone; only secrets are read.
        case never
    }

    /// When the file is loaded.
    public var file: File
    /// Whether the secrets of the configuration in force are read if the file is not loaded.
    public var readsSecrets: Bool
}

/// The result of reading the configuration.
public struct ConfigurationReading: Sendable {
    /// What a reading found; only `good` and a draft of `unchanged` can come into force.
    public enum Outcome: Sendable {
        /// The file is unchanged or was left alone. The draft is the configuration in force with its secrets read
        /// again; nil if that was not ordered.
        case unchanged(ConfigurationDraft?)
        /// The file is valid; the draft may come into force.
        case good(ConfigurationDraft)
        /// The file has faults, at least one, so the configuration in force stays. A missing file (`isGone`) is one,
        /// too. If one is transient (`Failure.isTransient`), the engine has the file read again after 1 s to 60 s.
        case faulty([Failure], isGone: Bool)
    }

    /// The number of the file's content, or of the reason why it cannot be read; it grows when these change. Nil if the
    /// file was left alone.
    public var content: Int?
    /// What the reading found: a draft or faults.
    public var outcome: Outcome

    /// Creates a reading with these values.
    public init(content: Int?, outcome: Outcome) {
        self.content = content
        self.outcome = outcome
    }
}

/// A valid configuration that was read but is not in force yet.
public struct ConfigurationDraft: Sendable {
    /// The configuration for the engine, without unreadable secrets.
    public var configuration: EngineConfiguration
    /// Why secrets could not be read; empty: all could. The configuration waits up to 60 s for those with a transient
    /// failure (`Failure.isTransient`); the others count as missing at once. All are read again after 1 s to 60 s.
    public var faults: [Failure]
    /// What the locator for this configuration is made from.
    public var locator: LocatorPlan

    /// Creates a draft with these values; by default all secrets could be read, and there is no locator.
    public init(
        configuration: EngineConfiguration, faults: [Failure] = [], locator: LocatorPlan = LocatorPlan()
    ) {
        self.configuration = configuration
        self.faults = faults
        self.locator = locator
    }
}

/// The report of a reload that has ended; each command gets one.
public struct ReloadReport: Sendable {
    /// How a reload ended; only `inForce` has an effect.
    public enum Outcome: Sendable, Hashable {
        /// The new configuration is stored and in force, with these changes of sources, which may be none.
        case inForce(SourceChanges)
        /// The new configuration has faults, one line each; the old one stays in force.
        case refused([String])
        /// The file or a secret is temporarily unreadable, for these reasons; the old one stays in force.
        case unread([String])
        /// The preparation or the store failed; the old one stays in force. A transient reason may pass by itself.
        case failed(reason: String, isTransient: Bool)

        /// Whether a retry may succeed without a change of the file; false for `inForce`.
        public var isTransient: Bool {
            switch self {
            case .inForce, .refused: false
            case .unread: true
            case .failed(_, let isTransient): isTransient
            }
        }
    }

    /// What the reload was begun for.
    public var cause: ReloadCause
    /// How the reload ended, and why.
    public var outcome: Outcome
    /// Wall time at which this outcome, or an obstacle of the same kind, began.
    public var since: Date
    /// Whether the log reports it; false for an unsuccessful retry, which would only repeat an earlier report.
    public var isSaid: Bool
    /// Whether it concerns the file, so that `status` shows it; false for `secret` alone.
    public var isNoted: Bool { cause != .secret }
}
