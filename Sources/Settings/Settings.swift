public import Model
public import Telling

/// The whole configuration with every default filled in. `SettingsReader` checks what the ranges promise; values that
/// are set otherwise are not checked.
public struct Settings: Sendable, Hashable {
    /// The path of the file it was read from, as given to the reader and shown in messages.
    public var file: String
    /// Path of the SQLite file; default `visiventd.sqlite` in the first folder of `$STATE_DIRECTORY`, else beside the
    /// file. A path from the file is absolute.
    public var database: String
    /// Whether the database is beside the file because neither the file nor systemd names a path; default false.
    public var isDatabaseBeside = false
    /// Path of the control socket, at most 107 bytes (unix(7)); default `control.sock` in the first folder of
    /// `$RUNTIME_DIRECTORY`, else the database's path and `.sock`. The reader always sets it; nil means that last path.
    public var controlSocket: String?
    /// How operators of polled servers can reach the user, such as a mail address; sent in the User-Agent. 1 to 200
    /// ASCII characters without parentheses and backslashes; nil, the default: not sent.
    public var contact: String?
    /// Whether titles and texts are indexed for `events --text`; default true. A change takes effect at the next start.
    public var hasFullText = true
    /// Whether an edit of the file takes effect by itself; default true. If false, `visiventd reload` or SIGHUP is
    /// needed.
    public var reloadsOnEdit = true
    /// Level and format of the log; default `info` and `auto`.
    public var log = LogSettings()
    /// Limits of requests, the same for all sources.
    public var fetch = FetchSettings()
    /// Schedule of truncation, the removal of expired events.
    public var truncation = TruncationSettings()
    /// Disk space that stays free; default 256 MiB.
    public var disk = DiskSettings()
    /// Location of the city table; default beside the database.
    public var gazetteer: GazetteerSettings
    /// The geocoding services for places that the city table does not know; default none.
    public var geocoding = GeocodingSettings()
    /// Which pictures of authors and volcanoes are kept; default none.
    public var pictures = PictureSettings()
    /// Where `visiventd serve` listens and whom it answers; default 127.0.0.1:8423.
    public var serve = ServeSettings()
    /// What is watched, in the order of the file; default nothing. Their sources and targets are configured ones.
    public var watches: [Watch] = []
    /// Who can be told, in the order of the file, disabled ones included; default nobody.
    public var deliver: [DeliverySettings] = []
    /// The sources, in the order of the files, disabled ones included; from the reader with distinct names, and not
    /// empty unless that was asked for.
    public var sources: [SourceSettings]

    /// The files of `conf.d` that were read, in order; default none. Their sources are the last ones of `sources`, in
    /// the same order.
    public var fragments: [Fragment] = []

    /// A file of `conf.d`.
    public struct Fragment: Sendable, Hashable {
        /// The path of the file.
        public var file: String
        /// How many sources it has.
        public var sources: Int
    }

    /// Creates settings with these values, which are not checked; the city table is beside the database, and all else
    /// is as by default.
    public init(
        file: String = "visiventd.yaml", database: String, controlSocket: String? = nil, sources: [SourceSettings]
    ) {
        self.file = file
        self.database = database
        self.controlSocket = controlSocket
        self.sources = sources
        gazetteer = GazetteerSettings(database: database)
    }

    /// The default path of the control socket: `.sock` appended to the database's path. Its length is not checked.
    public static func controlSocket(of database: String) -> String { database + ".sock" }
}

/// Level and format of the log.
public struct LogSettings: Sendable, Hashable {
    /// The severity of a line, lowest first; the raw value is the word of the file. A level writes its own lines and
    /// those above.
    public enum Level: String, Sendable, CaseIterable {
        /// Nothing is written at this level, so it is the same as `debug`.
        case trace
        /// The start of each poll, and what was odd in documents.
        case debug
        /// What goes on in the ordinary way: each poll, each truncation.
        case info
        /// A change: started, stopped, or a source that begins to fail or has recovered.
        case notice
        /// Something that will need attention.
        case warning
        /// Nothing is stored or polled until somebody acts or a disk heals.
        case error
        /// Nothing is written at this level, so it silences the log.
        case critical
    }

    /// The form of a line; the raw value is the word of the file. `docs/logs.md` describes each.
    public enum Format: String, Sendable, CaseIterable {
        /// `journal` if standard error is connected to systemd's journal (`JOURNAL_STREAM`), otherwise `logfmt`.
        case auto
        /// Time in UTC, level, message and `key=value` pairs, for people.
        case logfmt
        /// One JSON object per line, with all facts.
        case json
        /// `logfmt` without a time, after a journal priority such as `<5>` (sd-daemon(3)).
        case journal
    }

    /// The lowest level written; default `info`.
    public var level = Level.info
    /// The form of the lines; default `auto`. A change takes effect at the next start.
    public var format = Format.auto
}

/// Limits of requests, the same for all sources.
public struct FetchSettings: Sendable, Hashable {
    /// Concurrent requests, 1…1024; default 64. Those older than 2 s do not count, up to eight times as many in all.
    public var concurrency = 64
    /// Concurrent requests to one host, 1…64; default 1. Others wait in the host's queue.
    public var perHostConcurrency = 1
    /// Least time between two requests to one host, 0s…1h; default 1 s. It counts from the sending of the first
    /// request; while that answer is awaited, from the request's turn.
    public var perHostGap = Duration.seconds(1)
    /// Time limit for name look-up, connection and TLS, 100ms…10m; default 10 s. Beyond it the fetch fails with code
    /// `connect_timeout`.
    public var connectTimeout = Duration.seconds(10)
    /// Time limit of a whole request, 100ms…24h; default 120 s. Beyond it the fetch fails with code `timeout`.
    public var totalTimeout = Duration.seconds(120)
    /// Time without a received byte after which a request fails with code `stalled`, 100ms…1h; default 30 s.
    public var stallTimeout = Duration.seconds(30)
    /// Largest body in bytes after content decoding, 1KiB…2GiB; default 64 MiB. A larger one fails with code
    /// `too_large`.
    public var maximumBodyBytes = 64 << 20
    /// Largest body in bytes as transferred, 1KiB…2GiB; default 32 MiB. A larger one fails with code `too_large`.
    public var maximumTransferBytes = 32 << 20
    /// Most redirects followed for one request, 0…20; default 5. One more fails with code `too_many_redirects`.
    public var maximumRedirects = 5
}

/// Schedule of truncation, the removal of expired events.
public struct TruncationSettings: Sendable, Hashable {
    /// Time from the start of the daemon to the first truncation, 0s…30d; default 300 s.
    public var first = Duration.seconds(300)
    /// Time from one truncation to the next, 10s…30d; default 1 h.
    public var interval = Duration.seconds(3600)
}

/// Disk space that stays free on the file system of the database.
public struct DiskSettings: Sendable, Hashable {
    /// Free bytes below which no poll begins; below twice as many, no paid request is made. Each resumes at an eighth
    /// above its limit. 0…1024GiB, default 256 MiB; 0 disables the check.
    public var minimumFreeBytes: Int

    /// Creates settings, by default those above; the value is not checked.
    public init(minimumFreeBytes: Int = 256 << 20) { self.minimumFreeBytes = minimumFreeBytes }
}
