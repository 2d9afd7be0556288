public import Model

/// The whole configuration, validated, with every default filled in.
public struct Settings: Sendable, Hashable {
    /// The path of the file it was read from, as messages show it.
    public var file: String
    /// Path of the SQLite file; default `$STATE_DIRECTORY/visiventd.sqlite`, else `visiventd.sqlite` beside the file.
    public var database: String
    /// Whether the database is beside the file because neither the file nor systemd names a path.
    public var isDatabaseBeside: Bool
    /// Path of the control socket; default `$RUNTIME_DIRECTORY/control.sock`, else the database's path and `.sock`.
    /// The reader always sets it.
    public var controlSocket: String?
    /// How operators of polled servers can reach the user, such as a mail address; sent in the User-Agent. 1 to 200
    /// ASCII characters without parentheses and backslashes; nil, the default: not sent.
    public var contact: String?
    /// Whether titles and texts are indexed for `events --text`; default true.
    public var hasFullText: Bool
    /// Whether an edit of the file takes effect without `visiventd reload`; default true.
    public var reloadsOnEdit: Bool
    /// Level and format of the log.
    public var log: LogSettings
    /// Limits of requests.
    public var fetch: FetchSettings
    /// Schedule of truncation, the removal of expired events.
    public var truncation: TruncationSettings
    /// Disk space that stays free.
    public var disk: DiskSettings
    /// Location of the city table.
    public var gazetteer: GazetteerSettings
    /// The geocoding services.
    public var geocoding: GeocodingSettings
    /// The sources, in the order of the file; never empty, with distinct names.
    public var sources: [SourceSettings]

    /// Creates settings; without `gazetteer` the city table is beside the database.
    public init(
        file: String = "visiventd.yaml", database: String, isDatabaseBeside: Bool = false,
        controlSocket: String? = nil, contact: String? = nil, hasFullText: Bool = true, reloadsOnEdit: Bool = true,
        log: LogSettings = LogSettings(),
        fetch: FetchSettings = FetchSettings(), truncation: TruncationSettings = TruncationSettings(),
        disk: DiskSettings = DiskSettings(), gazetteer: GazetteerSettings? = nil,
        geocoding: GeocodingSettings = GeocodingSettings(), sources: [SourceSettings]
    ) {
        self.file = file
        self.database = database
        self.isDatabaseBeside = isDatabaseBeside
        self.controlSocket = controlSocket
        self.contact = contact
        self.hasFullText = hasFullText
        self.reloadsOnEdit = reloadsOnEdit
        self.log = log
        self.fetch = fetch
        self.truncation = truncation
        self.disk = disk
        self.gazetteer = gazetteer ?? GazetteerSettings(database: database)
        self.geocoding = geocoding
        self.sources = sources
    }

    /// The default path of the control socket: `.sock` appended to the database's path.
    public static func controlSocket(of database: String) -> String { database + ".sock" }
}

/// Level and format of the log.
public struct LogSettings: Sendable, Hashable {
    /// The severity of a line.
    public enum Level: String, Sendable, CaseIterable {
        /// Every step, for diagnosing a fault.
        case trace
        /// Start and end of every poll.
        case debug
        /// Ordinary operation.
        case info
        /// A change, such as a source that begins to fail.
        case notice
        /// A condition that may need attention.
        case warning
        /// A failure.
        case error
        /// A failure that stops the daemon.
        case critical
    }

    /// The form of a line.
    public enum Format: String, Sendable, CaseIterable {
        /// `journal` under systemd's journal, otherwise `logfmt`.
        case auto
        /// `key=value` pairs with a time, for people.
        case logfmt
        /// One JSON object per line.
        case json
        /// logfmt with a journal priority and without a time.
        case journal
    }

    /// The lowest level written; default `info`.
    public var level: Level
    /// The form of the lines; default `auto`.
    public var format: Format

    /// Creates settings with the documented defaults.
    public init(level: Level = .info, format: Format = .auto) {
        self.level = level
        self.format = format
    }
}

/// Limits of requests, the same for all sources.
public struct FetchSettings: Sendable, Hashable {
    /// Concurrent requests, 1…1024; default 64. Those older than 2 s do not count, up to eight times as many in all.
    public var concurrency: Int
    /// Concurrent requests to one host, 1…64; default 1.
    public var perHostConcurrency: Int
    /// Least time between the starts of two requests to one host, 0s…1h; default 1 s.
    public var perHostGap: Duration
    /// Time limit for name look-up, connection and TLS, 100ms…10m; default 10 s.
    public var connectTimeout: Duration
    /// Time limit of a whole request, 100ms…24h; default 120 s.
    public var totalTimeout: Duration
    /// Time without a received byte after which a request is aborted, 100ms…1h; default 30 s.
    public var stallTimeout: Duration
    /// Largest body in bytes after content decoding, 1KiB…2GiB; default 64 MiB.
    public var maximumBodyBytes: Int
    /// Largest body in bytes as transferred, 1KiB…2GiB; default 32 MiB.
    public var maximumTransferBytes: Int
    /// Most redirects followed for one request, 0…20; default 5.
    public var maximumRedirects: Int

    /// Creates settings with the documented defaults.
    public init(
        concurrency: Int = 64, perHostConcurrency: Int = 1, perHostGap: Duration = .seconds(1),
        connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(120),
        stallTimeout: Duration = .seconds(30), maximumBodyBytes: Int = 64 << 20, maximumTransferBytes: Int = 32 << 20,
        maximumRedirects: Int = 5
    ) {
        self.concurrency = concurrency
        self.perHostConcurrency = perHostConcurrency
        self.perHostGap = perHostGap
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.stallTimeout = stallTimeout
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumTransferBytes = maximumTransferBytes
        self.maximumRedirects = maximumRedirects
    }
}

/// Schedule of truncation, the removal of expired events.
public struct TruncationSettings: Sendable, Hashable {
    /// Time from the start of the daemon to the first truncation, 0s…30d; default 300 s.
    public var first: Duration
    /// Time from one truncation to the next, 10s…30d; default 1 h.
    public var interval: Duration

    /// Creates settings with the documented defaults.
    public init(first: Duration = .seconds(300), interval: Duration = .seconds(3600)) {
        self.first = first
        self.interval = interval
    }
}

/// Disk space that stays free.
public struct DiskSettings: Sendable, Hashable {
    /// Free bytes on the database's file system below which no poll begins; below twice as many, no paid request is
    /// made. 0…1024GiB, default 256 MiB; 0 disables the check.
    public var minimumFreeBytes: Int

    /// Creates settings with the documented default.
    public init(minimumFreeBytes: Int = 256 << 20) { self.minimumFreeBytes = minimumFreeBytes }
}
