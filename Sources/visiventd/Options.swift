import ArgumentParser
import Control
import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import Operations
import SQLite
import Settings
import Store

/// Where the configuration is.
struct ConfigurationOptions: ParsableArguments {
    /// The file that is read unless another is named.
    static let standardPath = "/etc/visiventd/visiventd.yaml"

    @Option(name: .shortAndLong, help: "The configuration file.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The SQLite file, instead of the configured one.", completion: .file())
    var database: String?

    /// Reads and validates the configuration, kinds included.
    func load() throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        var (settings, sources) = try SettingsReader.read(
            path: config, environment: ProcessInfo.processInfo.environment)
        if let database {
            let socketFollows = settings.controlSocket == Settings.controlSocket(of: settings.database)
            let tableFollows = settings.gazetteer == GazetteerSettings(database: settings.database)
            settings.database = database
            if socketFollows { settings.controlSocket = Settings.controlSocket(of: database) }
            if tableFollows { settings.gazetteer = GazetteerSettings(database: database) }
        } else {
            try settings.refuseEarlierDefault()
        }
        return (settings, sources)
    }
}

extension ConfigurationOptions {
    /// Refuses to work on a database of its own beside a daemon that listens where the configuration says, but has
    /// another one open: an edit of `database` takes effect when the daemon starts again. `--database` is taken as meant.
    func refuseBesideOtherDatabase(_ settings: Settings) throws(DaemonError) {
        if database == nil { try settings.refuseOtherDatabase() }
    }
}

/// Which database to read.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The configuration file that names the database.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The SQLite file; then no configuration is read.", completion: .file())
    var database: String?

    /// What a command that looks at everything needs; without a configuration city table and control socket lie beside
    /// the database, nothing is known of sources and services, and the floor of free space is the default.
    /// - Throws: `ExitCode` where the configuration cannot be used, which has been told then; `DaemonError.refused` where a
    ///   daemon has another database than the configured one open.
    func settings() throws -> (
        database: String, table: String, sources: Set<String>?, services: [GeocodeProvider]?, disk: DiskSettings,
        feeds: [SourceSettings], socket: String
    ) {
        if let database {
            let table = GazetteerSettings(database: database).path
            return (database, table, nil, nil, DiskSettings(), [], Settings.controlSocket(of: database))
        }
        let settings: Settings
        do throws(SettingsErrors) {
            settings = try SettingsReader.read(path: config, environment: ProcessInfo.processInfo.environment).settings
            try settings.refuseEarlierDefault()
        } catch {
            let status = error.printed()
            Terminal.printError("visiventd: with --database PATH this command reads no configuration")
            throw status
        }
        try settings.refuseOtherDatabase()
        return (
            settings.database, settings.gazetteer.path, Set(settings.sources.map { $0.name }),
            settings.geocoding.plans.map { $0.provider }, settings.disk, settings.sources, settings.socket
        )
    }

    /// The path of the database.
    /// - Throws: as `settings()`.
    func path() throws -> String { try settings().database }

    /// Refuses a file to be written that is the configuration or the city table.
    /// - Throws: as `settings()`; `StoreError` with `cannotCreate`.
    func refuse(replacing file: String) throws {
        for (name, path) in try [("configuration", config), ("city table", settings().table)]
        where DatabasePath.isOneFile(file, path) {
            throw StoreError(.cannotCreate, "\(file) is the \(name); choose another name")
        }
    }

    /// Opens the database to read.
    /// - Throws: as `settings()`; `StoreError`.
    func store() throws -> EventStore { try EventStore(path: path(), mode: .readOnly) }

    /// Opens the database to read the events of a filter, whose sources, categories and providers must be such as the
    /// configuration, the database or the kinds of feed have; says it where words of the filter read like operators.
    /// - Throws: as `store()`; `ValidationError` for a name that nobody has.
    func store(knowing filter: EventOptions) throws -> EventStore {
        let settings = try settings()
        let store = try EventStore(path: settings.database, mode: .readOnly)
        func word(_ category: String) -> String { Model.Category(rawValue: category).rawValue }
        try Self.refuseUnknown("source", filter.source) {
            try settings.feeds.map(\.name) + store.sources().map(\.name)
        }
        // Nearest to quake would be ice_quake.
        try Self.refuseUnknown("category", filter.category.map(word), suggesting: false) {
            let configured = settings.feeds.compactMap { $0.options["category"]?.text }
            return try configured.map(word) + FeedRegistry.categories + store.categories()
        }
        // The URL of a feed is the provider of what nobody else vouches for. It is always taken, but shown as known only
        // where an event has it: events of many feeds never do.
        let others = filter.provider.filter { name in !settings.feeds.contains { $0.identity == name } }
        try Self.refuseUnknown("provider", others) {
            try settings.feeds.compactMap(\.provider) + FeedRegistry.providers + store.providers()
        }
        if let note = filter.noteOnText { Terminal.printError(note) }
        return store
    }

    private static func refuseUnknown(
        _ what: String, _ names: [String], suggesting: Bool = true, among all: () throws -> [String]
    ) throws {
        guard !names.isEmpty else { return }
        let known = try Set(all()).sorted()
        for name in names where !known.contains(name) {
            let most = 50
            let others = known.count > most ? " and \(known.count - most) others" : ""
            let shown = known.prefix(most).joined(separator: ", ")
            let hint = suggesting ? NearestWord.hint(for: name, among: known) : ""
            throw ValidationError("no \(what) named '\(name)'; known are \(shown)\(others)\(hint)")
        }
    }
}

/// Which city table to use.
struct TableOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The configuration file that names the city table.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The city table; then no configuration is read.", completion: .file())
    var table: String?

    /// The path of the table, and what a download is allowed.
    func load() throws(SettingsErrors) -> (path: String, limits: FetchLimits) {
        if let table { return (table, .unconfigured) }
        let settings = try SettingsReader.read(
            path: config, environment: ProcessInfo.processInfo.environment
        ).settings
        try settings.refuseEarlierDefault()
        return (settings.gazetteer.path, settings.fetchLimits)
    }
}

extension NearestWord {
    /// What a message of an unknown name ends with: `; did you mean news?`, or nothing where none is near.
    static func hint(for name: String, among known: [String]) -> String {
        to(name, among: known).map { "; did you mean \($0)?" } ?? ""
    }
}

extension Settings {
    /// Where commands reach the daemon.
    var socket: String { controlSocket ?? Self.controlSocket(of: database) }

    /// Refuses to speak of the configured database where a daemon that listens has another one open.
    func refuseOtherDatabase() throws(DaemonError) {
        guard ControlClient.isHeard(at: socket, besides: database) else { return }
        throw .refused(
            "the daemon that listens at \(socket) has another database than \(database) open: restart it, since an edit "
                + "of database takes effect then; until then --database names the one that it has")
    }

    /// The database that was the default once, in the current folder.
    static let earlierDefault = "visiventd.sqlite"

    /// Whether the earlier default is there, and `database` is not.
    static func isEarlierDefault(insteadOf database: String) -> Bool {
        !FileManager.default.fileExists(atPath: database) && FileManager.default.fileExists(atPath: earlierDefault)
    }

    /// Refuses to begin a database beside the configuration where the current folder, which was the default once, has one.
    func refuseEarlierDefault() throws(SettingsErrors) {
        guard isDatabaseBeside, Self.isEarlierDefault(insteadOf: database) else { return }
        let name = Self.earlierDefault
        let (beside, earlier) = (DatabasePath.resolved(database), DatabasePath.resolved(name))
        throw SettingsErrors(faults: [
            SettingsFault(
                file: file, key: "database",
                found:
                    "missing, so that it is \(beside), where no file is; but \(earlier) is there, the default before",
                accepted: "database: \(earlier), or \(name)* moved to \(DatabasePath.folder(of: beside))")
        ])
    }

    /// The complaint about a name that no source has.
    func noSource(named name: String) -> ValidationError {
        let known = sources.map(\.name).sorted()
        let hint = NearestWord.hint(for: name, among: known)
        return ValidationError("no source named '\(name)'; configured are \(known.joined(separator: ", "))\(hint)")
    }

    /// A logger as the configuration wants it.
    /// - Parameter hints: The command's options, for the commands that lines recommend.
    func logger(level: LogLevel, hints: Hints) -> Logger {
        let environment = ProcessInfo.processInfo.environment
        let format = LogFormat(rawValue: log.format.rawValue) ?? .automatic(environment: environment)
        let hints = hints.forLog
        return Logger(label: "visiventd") { _ in
            LineLogHandler(format: format, level: level, now: { Date() }, completing: { hints.completed($0) })
        }
    }
}
