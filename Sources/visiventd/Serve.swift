import ArgumentParser
import Daemon
import Files
import Foundation
import HTTPService
import Logging
import Model
import Operations
import ServiceLifecycle
import Serving
import Settings
import Store

/// `visiventd serve`
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the record over HTTP, read only, until stopped.",
        discussion: """
            It reads the database beside the daemon, or without one, and needs no secret. By default it listens at \
            127.0.0.1:8423, for this machine alone; TLS is a proxy's. SIGTERM and SIGINT stop it when its answers are \
            finished, after 3 seconds at most. It ends with 75 when a newer visiventd has migrated the database: start \
            it again.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(
        help: ArgumentHelp(
            "Listen here instead of at the configured addresses; may be given several times (\(ListenAddress.accepted)).",
            valueName: "address"))
    var listen: [String] = []

    func validate() throws {
        for text in listen where ListenAddress(text) == nil {
            throw ValidationError("--listen takes \(ListenAddress.accepted), found '\(text)'")
        }
    }

    func run() async throws {
        // A Unix socket has its mode from the start; nothing else is created here.
        umask(0o117)
        try await reporting(database.hints) {
            let limits = try Self.limits()
            let settings = try load()
            let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
            let pool = ReaderPool(path: settings.database)
            defer { pool.close() }
            let files = PageFiles(folder: settings.serve.page ?? PageFiles.standardFolder)
            let requests = RequestCounts()
            let api = ReadAPI(
                program: Version.ofBuild, feeds: settings.sources, map: MapPage(settings, files: files),
                configuration: configurationAccess(settings), cityTable: settings.gazetteer.path,
                pictures: settings.pictureStore, requests: requests,
                targets: settings.serve.showsWatches ? settings.tellingPlan.targets.map(\.id) : [])
            let service = HTTPService(
                settings: settings.serve, pool: pool, limits: limits, now: { Date() },
                logger: settings.logger(level: LogLevel(settings.log.loggerLevel), hints: database.hints),
                requests: requests,
                preparing: { request, now in api.prepare(request, now: now) },
                whenListening: { addresses in
                    manager.ready("listening at \(addresses.map { $0.description }.joined(separator: ", "))")
                })
            // Looks that come while one is under way are one.
            let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let watcher = DatabaseWatcher(path: settings.database) { change.yield() }
            // What is there already is no change.
            change.yield()
            let looking = Task { for await _ in changes { await service.databaseMayHaveChanged() } }
            defer {
                looking.cancel()
                withExtendedLifetime(watcher) {}
            }
            var configuration = ServiceGroupConfiguration.running(service)
            configuration.maximumGracefulShutdownDuration = .seconds(3)
            try await ServiceGroup(configuration: configuration).run()
        }
    }

    /// Descriptors for all but connections: the readers of the database, the watcher, the program itself.
    private static let otherDescriptors = 64

    /// The bounds, with no more connections than there are descriptors for: without a free one, no connection could be
    /// accepted and no database opened. The soft limit, often 1 024, is raised as far as needed and allowed.
    private static func limits() throws(HTTPServiceError) -> ServiceLimits {
        var limits = ServiceLimits()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let wanted = rlim_t(limits.connections + otherDescriptors)
        var files = rlimit()
        guard getrlimit(resource, &files) == 0, files.rlim_cur < wanted else { return limits }
        files.rlim_cur = min(wanted, files.rlim_max)
        guard setrlimit(resource, &files) == 0, getrlimit(resource, &files) == 0 else { return limits }
        let most = Int(files.rlim_cur) - otherDescriptors
        guard most > 0 else {
            throw .tooFewDescriptors(limit: Int(files.rlim_cur), least: otherDescriptors + 1)
        }
        limits.connections = min(limits.connections, most)
        return limits
    }

    /// The settings; with `--database` no configuration is read.
    private func load() throws(SettingsErrors) -> Settings {
        var settings: Settings
        if let path = database.database {
            settings = Settings(database: path, sources: [])
        } else {
            settings = try SettingsReader.read(
                path: database.config, environment: ProcessInfo.processInfo.environment
            ).settings
            try settings.refuseEarlierDefault()
        }
        if !listen.isEmpty { settings.serve.listen = listen.compactMap { ListenAddress($0) } }
        return settings
    }

    /// Whether `/configuration` shows the file.
    private func configurationAccess(_ settings: Settings) -> ConfigurationAccess {
        if database.database != nil { return .hidden("with --database visiventd serve reads none") }
        guard settings.serve.showsConfiguration else { return .hidden("configuration: true below serve shows it") }
        let isStandard = database.config == ConfigurationOptions.standardPath
        let option = isStandard ? "" : " --config \(database.config.shellQuoted)"
        return .shown(
            ServedConfiguration(
                path: database.config, environment: ProcessInfo.processInfo.environment,
                command: "visiventd set\(option)"))
    }
}
