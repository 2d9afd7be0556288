public import Model

/// The whole configuration, validated, with every default filled in.
public struct Settings: Sendable, Hashable {
    /// The file it was read from, as messages name it.
    public var file: String
    /// Path of the SQLite file; default `$STATE_DIRECTORY/visiventd.sqlite`, else `visiventd.sqlite` beside the file.
    public var database: String
    /// Whether the database is beside the file because nothing names another place.
    public var isDatabaseBeside: Bool
    /// Path of the control socket; default `$RUNTIME_DIRECTORY/control.sock`, else the database's path and `.sock`.
    /// The reader always sets it.
    public var controlSocket: String?
    /// Whom a server's operator can reach, such as a mail address; goes into the User-Agent.
    public var contact: String?
    /// Whether titles and texts are indexed, for `events --text`; default true.
    public var hasFullText: Bool
    /// Whether an edit of the file takes effect by itself, without `visiventd reload`; default true.
    public var reloadsOnEdit: Bool
    /// What is logged, and how.
    public var log: LogSettings
    /// How requests are made.
    public var fetch: FetchSettings
    /// When expired events are removed.
    public var truncation: TruncationSettings
    /// How much of the disk is left alone.
    public var disk: DiskSettings
    /// Where the city table is.
    public var gazetteer: GazetteerSettings
    /// Which services are asked about places, and how.
    public var geocoding: GeocodingSettings
    /// The sources, in the order of the file; never empty, names differ.
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

    /// Where commands reach the daemon of a database if neither configuration nor systemd says: beside it.
    public static func controlSocket(of database: String) -> String { database + ".sock" }
}

/// What is logged, and how.
public struct LogSettings: Sendable, Hashable {
    /// How serious a line must be to be written.
    public enum Level: String, Sendable, CaseIterable {
        /// Every step, for tracing a fault.
        case trace
        /// Every poll's start and end, for trying things out.
        case debug
        /// What goes on in the ordinary way.
        case info
        /// What has changed, such as a source that begins to fail.
        case notice
        /// What may need attention.
        case warning
        /// What went wrong.
        case error
        /// What stops the daemon.
        case critical
    }

    /// How a line is written.
    public enum Format: String, Sendable, CaseIterable {
        /// `journal` under systemd's journal, otherwise `logfmt`.
        case auto
        /// `key=value` with a time, for people.
        case logfmt
        /// One JSON object a line.
        case json
        /// logfmt with a journal priority and without a time.
        case journal
    }

    /// The least serious level written; default `info`.
    public var level: Level
    /// How lines are written; default `auto`.
    public var format: Format

    /// Creates settings; what is left out takes the documented default.
    public init(level: Level = .info, format: Format = .auto) {
        self.level = level
        self.format = format
    }
}

/// How requests are made, for all sources.
public struct FetchSettings: Sendable, Hashable {
    /// Requests under way at the same time, 1…1024; default 64.
    public var concurrency: Int
    /// Requests to one host under way at the same time, 1…64; default 1.
    public var perHostConcurrency: Int
    /// Least time between the starts of two requests to one host, 0s…1h; default 1 s.
    public var perHostGap: Duration
    /// Time for name look-up, connection and TLS, 100ms…10m; default 10 s.
    public var connectTimeout: Duration
    /// Time for one request as a whole, 100ms…24h; default 120 s.
    public var totalTimeout: Duration
    /// Time without a byte after which a request is given up, 100ms…1h; default 30 s.
    public var stallTimeout: Duration
    /// Bytes of a body after content decoding, 1KiB…2GiB; default 64 MiB.
    public var maximumBodyBytes: Int
    /// Bytes of a body as transferred, 1KiB…2GiB; default 32 MiB.
    public var maximumTransferBytes: Int
    /// Redirects followed for one request, 0…20; default 5.
    public var maximumRedirects: Int

    /// Creates settings; what is left out takes the documented default.
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

/// When expired events are removed.
public struct TruncationSettings: Sendable, Hashable {
    /// Time from the start of the daemon to the first truncation, 0s…30d; default 300 s.
    public var first: Duration
    /// Time from one truncation to the next, 10s…30d; default 1 h.
    public var interval: Duration

    /// Creates settings; what is left out takes the documented default.
    public init(first: Duration = .seconds(300), interval: Duration = .seconds(3600)) {
        self.first = first
        self.interval = interval
    }
}

/// How much of the disk is left alone.
public struct DiskSettings: Sendable, Hashable {
    /// Bytes free where the database is, below which no poll begins; below twice as many nothing is read that costs
    /// money. 0…1024GiB; default 256 MiB; 0: no matter.
    public var minimumFreeBytes: Int

    /// Creates settings; what is left out takes the documented default.
    public init(minimumFreeBytes: Int = 256 << 20) { self.minimumFreeBytes = minimumFreeBytes }
}
