public import Foundation
public import Model
public import Settings
public import Store

/// What is known when `visiventd health` judges: the configuration, what is stored, and the machine around it.
public struct HealthFacts: Sendable {
    /// The city table, as far as it matters here.
    public enum Table: Sendable, Hashable {
        /// It can be used; it was seeded then.
        case seeded(Date)
        /// There is none yet.
        case missing
        /// There is a file, but it cannot be used; the reason in words.
        case unusable(String)
    }

    /// What the database says.
    public struct Stored: Sendable {
        /// All sources it knows.
        public var sources: [SourceRecord]
        /// When the daemon last took all settings up: at its start, or when more than sources had changed.
        public var begun: Date?
        /// When it took sources up that were added or changed since then, by name.
        public var renewed: [String: Date]
        /// When truncation last came to its end.
        public var lastTruncation: Date?
        /// The last wall time that a server confirmed.
        public var lastTrusted: Date?
        /// What waits for a place.
        public var queue: QueueAges
        /// What services have been asked.
        public var usage: [GeocodeProvider: ProviderUsage]
        /// Why services are not asked at present.
        public var troubles: [GeocodeProvider: String]
        /// What is stored and has been done; nil: not counted.
        public var counters: StoreCounters?

        /// Creates what a database says; by default that it is new.
        public init(
            sources: [SourceRecord] = [], begun: Date? = nil, renewed: [String: Date] = [:],
            lastTruncation: Date? = nil, lastTrusted: Date? = nil, queue: QueueAges = QueueAges(),
            usage: [GeocodeProvider: ProviderUsage] = [:], troubles: [GeocodeProvider: String] = [:],
            counters: StoreCounters? = nil
        ) {
            self.sources = sources
            self.begun = begun
            self.renewed = renewed
            self.lastTruncation = lastTruncation
            self.lastTrusted = lastTrusted
            self.queue = queue
            self.usage = usage
            self.troubles = troubles
            self.counters = counters
        }
    }

    /// Wall time.
    public var now: Date
    /// The configuration as it is on the disk; a daemon may not have taken it up yet.
    public var settings: Settings
    /// When that file was last changed; nil: not known.
    public var configurationChanged: Date?
    /// Whether a daemon holds the database's lock; nil: this user may not ask.
    public var isRunning: Bool?
    /// Whether a daemon listens where the configuration says, but has another database open.
    public var hasOtherDatabase = false
    /// What keeps the running daemon from polling, in its words; nil: nothing does, or it does not say.
    public var pause: String?
    /// What the database says, or why it cannot be read.
    public var stored: Result<Stored, StoreError>
    /// The city table.
    public var table: Table
    /// Bytes that the service's user can still write in the database's folder; nil: not known.
    public var freeBytes: Int64?
    /// Size of the database file in bytes; 0 when there is none.
    public var databaseBytes: Int64
    /// Size of its write-ahead log in bytes; 0 when there is none.
    public var walBytes: Int64

    /// Bytes that must be free there (`disk.minimum_free`).
    var freeBytesFloor: Int64 { Int64(settings.disk.minimumFreeBytes) }

    /// Creates facts.
    public init(
        now: Date, settings: Settings, configurationChanged: Date? = nil, isRunning: Bool?,
        stored: Result<Stored, StoreError>, table: Table = .missing, freeBytes: Int64?,
        databaseBytes: Int64 = 0, walBytes: Int64 = 0
    ) {
        self.now = now
        self.settings = settings
        self.configurationChanged = configurationChanged
        self.isRunning = isRunning
        self.stored = stored
        self.table = table
        self.freeBytes = freeBytes
        self.databaseBytes = databaseBytes
        self.walBytes = walBytes
    }
}
