public import Foundation
public import Model
public import Settings
public import Store

/// The facts that `visiventd health` judges: the configuration, the database, and the machine around it.
public struct HealthFacts: Sendable {
    /// Whether the city table at the configured path can be used.
    public enum Table: Sendable, Hashable {
        /// The table can be used; the time is that of its seeding (wall time).
        case seeded(Date)
        /// There is no table yet at the configured path.
        case missing
        /// The table cannot be used; the reason is for people.
        case unusable(String)
    }

    /// Facts stored in the database, read at one check.
    public struct Stored: Sendable {
        /// All stored sources, including those no longer configured; none by default.
        public var sources: [SourceRecord] = []
        /// When the daemon last applied all settings, at a start or by a reload that changed more than sources; nil:
        /// never.
        public var begun: Date?
        /// When the daemon added or changed sources since then, by name.
        public var renewed: [String: Date] = [:]
        /// When a truncation run last finished; nil: never.
        public var lastTruncation: Date?
        /// The last wall time that was trusted; nil: none yet.
        public var lastTrusted: Date?
        /// Numbers and ages of the events and questions that wait for a place; none by default.
        public var queue = QueueAges()
        /// Requests made to services so far, by service; one without requests may be missing.
        public var usage: [GeocodeProvider: ProviderUsage] = [:]
        /// Why services are not asked at present, in words for people, by service; none by default.
        public var troubles: [GeocodeProvider: String] = [:]
        /// Whether the daemon has refused a configuration since one came into force; default false.
        public var hasRefusedConfiguration = false
        /// Counts of events, polls and changes; nil: not counted.
        public var counters: StoreCounters?
        /// The configuration that a daemon could not put into force; nil, the default: none, or it is not asked for.
        public var refused: RefusedConfiguration?
        /// How the targets of messages are; none by default.
        public var targets: [TargetState] = []
        /// The polls that a daemon has planned last; nil, the default: none, or they are not asked for.
        public var plan: PollPlan?
    }

    /// Wall time of the check, as the machine's clock gives it.
    public var now: Date
    /// The configuration on the disk, which a daemon may not have applied yet. With `configurationFaults` only the
    /// paths and `disk` count; an empty `database` is not known.
    public var settings: Settings
    /// The faults of the configuration on the disk, one line each; none by default.
    public var configurationFaults: [String] = []
    /// When a file of the configuration was last changed; nil: unknown.
    public var configurationChanged: Date?
    /// Whether a daemon holds the database's lock; nil: this user may not ask.
    public var isRunning: Bool?
    /// Whether a daemon listens on the configured socket but has another database open; default false.
    public var hasOtherDatabase = false
    /// Whether this user may not read the database, its lock or its folder; default false.
    public var isForbidden = false
    /// How far the running daemon's clock is from that of the server that answered last, in seconds (server minus
    /// ours); nil, the default, unless it is known to be wrong.
    public var clockError: Int?
    /// Why the running daemon does not poll, in its words; nil: nothing keeps it from polling, or it does not say.
    public var pause: String?
    /// Why the running daemon cannot be asked whether it polls, with the remedy; nil, the default: it was asked.
    public var silence: String?
    /// Facts stored in the database, or the error for which it cannot be read.
    public var stored: Result<Stored, StoreError>
    /// Whether the city table can be used; default: missing.
    public var table = Table.missing
    /// Free bytes for unprivileged programs in the database's folder; nil: unknown.
    public var freeBytes: Int64?
    /// The figures of the pictures, or why their file cannot be read; nil, the default: none are kept.
    public var pictures: Result<PictureStatistics, StoreError>?
    /// What the daemon's process uses; nil, the default: none runs, or it is not known.
    public var process: ProcessFigures?
    /// The newest backup; nil, the default: there is none, or no folder was asked for.
    public var backup: Backup?
    /// Bytes of the database file without its WAL; 0 if there is none.
    public var databaseBytes: Int64 = 0
    /// Bytes of the write-ahead log; 0 if there is none.
    public var walBytes: Int64 = 0

    /// The least free bytes there (`disk.minimum_free`).
    var freeBytesFloor: Int64 { Int64(settings.disk.minimumFreeBytes) }
}
