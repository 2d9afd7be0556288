import ArgumentParser
import Control
import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import Operations
import Pictures
import SQLite
import Settings
import Store

/// The options that name the configuration.
struct ConfigurationOptions: ParsableArguments {
    /// The default path of the configuration.
    static let standardPath = "/etc/visiventd/visiventd.yaml"

    @Option(name: .shortAndLong, help: "The configuration file.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The SQLite file, instead of the configured one.", completion: .file())
    var database: String?

    /// Reads and validates the configuration, kinds included; `--database` replaces the configured database, and moves
    /// the socket and the city table that are beside it.
    func load() throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        let (settings, sources) = try SettingsReader.read(
            path: config, environment: ProcessInfo.processInfo.environment)
        return (try completed(settings), sources)
    }

    /// The settings of the file with `--database` applied.
    func completed(_ settings: Settings) throws(SettingsErrors) -> Settings {
        guard let database else {
            try settings.refuseEarlierDefault()
            return settings
        }
        var settings = settings
        let socketFollows = settings.controlSocket == Settings.controlSocket(of: settings.database)
        settings.database = database
        if socketFollows { settings.controlSocket = Settings.controlSocket(of: database) }
        if settings.gazetteer.isBesideDatabase { settings.gazetteer.path = GazetteerSettings(database: database).path }
        return settings
    }
}

extension ConfigurationOptions {
    /// Refuses to work on the configured database while the daemon at the configured socket has another one open: an
    /// edit of `database` takes effect at the daemon's next start. `--database` is not checked.
    func refuseBesideOtherDatabase(_ settings: Settings) throws(DaemonError) {
        if database == nil { try settings.refuseOtherDatabase() }
    }
}

/// The options that name the database.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The configuration file that names the database.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The SQLite file; then no configuration is read.", completion: .file())
    var database: String?

    /// The settings for a command that only reads, and the sources of the configuration. Without one there are no
    /// sources, the city table and the control socket are beside the database, and all else is as by default.
    /// - Throws: `ExitCode` for an unusable configuration, after printing its faults; `DaemonError.refused` if the
    ///   daemon has another database open than the configured one.
    func load() throws -> (settings: Settings, sources: [EngineSource]?) {
        if let database { return (Settings(database: database, sources: []), nil) }
        let read: (settings: Settings, sources: [EngineSource])
        do throws(SettingsErrors) {
            read = try SettingsReader.read(path: config, environment: ProcessInfo.processInfo.environment)
            try read.settings.refuseEarlierDefault()
        } catch {
            let status = error.printed()
            Terminal.printError("visiventd: with --database PATH this command reads no configuration")
            throw status
        }
        try read.settings.refuseOtherDatabase()
        return read
    }

    /// The settings of `load()`.
    func settings() throws -> Settings { try load().settings }

    /// The path of the database.
    /// - Throws: As `settings()`.
    func path() throws -> String { try settings().database }

    /// Refuses an output file that is the configuration or the city table.
    /// - Throws: As `settings()`; `StoreError` with `cannotCreate`.
    func refuse(replacing file: String) throws {
        for (name, path) in try [("configuration", config), ("city table", settings().gazetteer.path)]
        where DatabasePath.isOneFile(file, path) {
            throw StoreError(.cannotCreate, "\(file) is the \(name); choose another name")
        }
    }

    /// Opens the database read-only.
    /// - Throws: As `settings()`; `StoreError`.
    func store() throws -> EventStore { try EventStore(path: path(), mode: .readOnly) }

    /// The record of a source in the database.
    /// - Throws: `ValidationError` that names the known ones if there is no such source; `StoreError`.
    func record(of source: String, in store: EventStore) throws -> SourceRecord {
        let records = try store.sources()
        if let record = records.first(where: { $0.name == source }) { return record }
        let names = records.map(\.name).sorted()
        let known = names.isEmpty ? "none" : names.joined(separator: ", ")
        let hint = NearestWord.hint(for: source, among: names)
        throw ValidationError("the database has no source named '\(source)'; it has \(known)\(hint)")
    }

    /// Opens the database read-only for a filter, and makes its query. Its sources, categories and providers must be known
    /// to the configuration, the database or the kinds of feed. Prints a note if words of the filter look like operators.
    /// - Throws: As `store()` and `centre(_:in:)`; `ValidationError` for an unknown name.
    func opened(for filter: EventOptions, now: Date) throws -> (store: EventStore, query: EventQuery) {
        let settings = try settings()
        let store = try EventStore(path: settings.database, mode: .readOnly)
        do {
            try KnownNames(configured: settings.sources).check(
                sources: filter.source, categories: filter.category.map(Model.Category.init(rawValue:)),
                providers: filter.provider, in: store)
        } catch let unknown as KnownNames.Unknown {
            throw ValidationError(unknown.words)
        }
        if let note = filter.noteOnText { Terminal.printError(note) }
        var query = try filter.query(now: now)
        if query.near == nil, let near = filter.near {
            query.near = EventQuery.Circle(
                centre: try centre(near, in: store), kilometres: try AreaOptions.kilometres(filter.radius))
        }
        return (store, query)
    }
}

/// The options that name the city table.
struct TableOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The configuration file that names the city table.", completion: .file())
    var config = ConfigurationOptions.standardPath

    @Option(help: "The city table; then no configuration is read.", completion: .file())
    var table: String?

    /// The path of the table and the limits of a download.
    func load() throws(SettingsErrors) -> (path: String, limits: FetchLimits) {
        if let table { return (table, .unconfigured) }
        let settings = try SettingsReader.read(
            path: config, environment: ProcessInfo.processInfo.environment
        ).settings
        try settings.refuseEarlierDefault()
        return (settings.gazetteer.path, settings.fetchLimits)
    }
}

extension Settings {
    /// The path of the daemon's control socket.
    var socket: String { controlSocket ?? Self.controlSocket(of: database) }

    /// The database, read-only; nil where there is none, or one with an older schema, which the daemon migrates later.
    func existingStore() throws(StoreError) -> EventStore? {
        guard FileManager.default.fileExists(atPath: database) else { return nil }
        do throws(StoreError) {
            return try EventStore(path: database, mode: .readOnly)
        } catch {
            guard case .olderSchema = error.code else { throw error }
            return nil
        }
    }

    /// Throws if the daemon at the configured socket has another database open than the configured one.
    func refuseOtherDatabase() throws(DaemonError) {
        guard ControlClient.isHeard(at: socket, besides: database) else { return }
        throw .refused(
            "the daemon that listens at \(socket) has another database than \(database) open: restart it, since an edit "
                + "of database takes effect then; until then --database names the one that it has")
    }

    /// The former default path of the database, relative to the current folder.
    static let earlierDefault = "visiventd.sqlite"

    /// Whether the former default exists and `database` does not.
    static func isEarlierDefault(insteadOf database: String) -> Bool {
        !FileManager.default.fileExists(atPath: database) && FileManager.default.fileExists(atPath: earlierDefault)
    }

    /// Refuses to create a database beside the configuration while the former default exists.
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

    /// The error for an unknown source.
    func noSource(named name: String) -> ValidationError {
        let known = sources.map(\.name).sorted()
        let hint = NearestWord.hint(for: name, among: known)
        return ValidationError("no source named '\(name)'; configured are \(known.joined(separator: ", "))\(hint)")
    }

    /// A logger in the configured format.
    /// - Parameter hints: The command's options, to be added to commands in log lines.
    func logger(level: LogLevel, hints: Hints) -> Logger {
        let environment = ProcessInfo.processInfo.environment
        let automatic = LogFormat.automatic(environment: environment)
        let format = LogFormat(rawValue: log.format.rawValue) ?? automatic
        let hints = hints.forLog
        return Logger(label: "visiventd") { _ in
            LineLogHandler(
                format: format, isJournal: automatic == .journal, level: level, now: { Date() },
                completing: { hints.completed($0) })
        }
    }
}
