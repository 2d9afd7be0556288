public import Foundation

/// Why the configuration is read again; the raw value is for people.
public enum ReloadCause: String, Sendable, Hashable {
    /// Somebody has asked for it, and waits for the report.
    case command = "visiventd reload"
    /// The process was told to.
    case signal = "SIGHUP"
    /// The file may have been edited, or is to be tried again.
    case edit = "the file was edited"
    /// An edit has removed the file. A look finds that.
    case removal = "the file is gone"
    /// The file is as it was, but a secret can be read that could not be. A look finds that.
    case secret = "a secret can be read again"
}

/// What the engine knows of the configuration in force at its start, so that it can have it read again.
public struct ReloadPlan: Sendable {
    /// Whether edits of the file take effect by themselves; else they wait until somebody asks.
    public var watchesEdits: Bool
    /// The number of what the file held (`ConfigurationReading.content`).
    public var content: Int
    /// Why secrets could not be read just now; they are regarded as missing until they can be.
    public var unread: Set<String>

    /// Creates a plan.
    public init(watchesEdits: Bool, content: Int = 0, unread: Set<String> = []) {
        self.watchesEdits = watchesEdits
        self.content = content
        self.unread = unread
    }
}

/// What the shell tells the engine of the configuration.
public enum ReloadInput: Sendable {
    /// It is to be read again, for `command`, `signal` or `edit`. Each command is answered by a report of its own.
    case look(ReloadCause)
    /// What was found; answers `ReloadStep.read`.
    case read(ConfigurationReading)
    /// What it needs is there; answers `ReloadStep.prepare`.
    case prepared
    /// The same cannot be had, for the reason, which is for people. A transient one may be gone in a moment.
    case notPrepared(reason: String, isTransient: Bool)
}

/// What the engine wants done with the configuration; one step at a time, each but `ended` is answered before the next.
public enum ReloadStep: Sendable {
    /// Read it. Answered by `ReloadInput.read`.
    case read(ReadingOrder)
    /// What was read last is about to come into force: prepare what may fail. Answered by `prepared` or `notPrepared`.
    case prepare
    /// This has come of it. `inForce` is what was read last.
    case ended(ReloadReport)
}

/// What is to be read.
public struct ReadingOrder: Sendable, Hashable {
    /// When the file is read.
    public enum File: Sendable, Hashable {
        /// It is read in any case.
        case always
        /// It is read unless it still holds what has this number.
        case unless(content: Int)
        /// It is left alone.
        case never
    }

    /// When the file is read.
    public var file: File
    /// Whether the secrets of the configuration in force are read where the file is not.
    public var readsSecrets: Bool
}

/// What reading the configuration has found.
public struct ConfigurationReading: Sendable {
    /// What was found.
    public enum Outcome: Sendable {
        /// The file is as it was, or was left alone. With it the configuration in force, its secrets read again; nil where
        /// that was not asked for.
        case unchanged(ConfigurationDraft?)
        /// The file is valid.
        case good(ConfigurationDraft)
        /// The file has faults, one line each; among them that there is none.
        case refused([String], isGone: Bool)
        /// The file cannot be read just now, for these reasons.
        case unread([String])
    }

    /// A number for what the file holds, or for why it cannot be read: another than the last time where that differs.
    /// Nil: it was left alone.
    public var content: Int?
    /// What was found.
    public var outcome: Outcome

    /// Creates a reading.
    public init(content: Int?, outcome: Outcome) {
        self.content = content
        self.outcome = outcome
    }
}

/// A valid configuration that was read and is not in force yet.
public struct ConfigurationDraft: Sendable {
    /// What the engine would work with; secrets that cannot be read are missing.
    public var configuration: EngineConfiguration
    /// Why secrets cannot be read just now.
    public var unread: Set<String>

    /// Creates a draft.
    public init(configuration: EngineConfiguration, unread: Set<String> = []) {
        self.configuration = configuration
        self.unread = unread
    }
}

/// What came of reading the configuration again.
public struct ReloadReport: Sendable {
    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// It is in force.
        case inForce(SourceChanges)
        /// It has faults, one line each; the one before stays in force.
        case refused([String])
        /// It, or a secret, cannot be read just now, for these reasons; the one before stays.
        case unread([String])
        /// The store, or what it needs, refuses; the one before stays. A transient reason may be gone in a moment.
        case failed(reason: String, isTransient: Bool)

        /// Whether it may come into force in a moment although nobody changes it.
        public var isTransient: Bool {
            switch self {
            case .inForce, .refused: false
            case .unread: true
            case .failed(_, let isTransient): isTransient
            }
        }
    }

    /// Why it was read.
    public var cause: ReloadCause
    /// What came of it.
    public var outcome: Outcome
    /// Since when this, or an obstacle of the same kind, keeps it from being in force.
    public var since: Date
    /// Whether the log says so.
    public var isSaid: Bool
    /// Whether it tells of the file, so that `status` shows it.
    public var isNoted: Bool { cause != .secret }
}
