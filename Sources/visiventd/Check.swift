import ArgumentParser
import Daemon
import Engine
import Fetching
import Files
import Foundation
import Gazetteer
import Model
import Operations
import SQLite
import Settings
import Store

/// `visiventd check`
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validate the configuration and show what it makes happen.",
        discussion: """
            Warns first: of hosts whose sources are due together, of windows that are too short, of secrets and files \
            that cannot be read, of secrets that others can read, of a watch that may hear late, of a max_age that \
            differs from the one in force, of a listener of serve that others reach, of a disk with less space than \
            polls need, and of what the installed units do not allow, as systemd shows them: folders that the service \
            may not write, ports, credentials. The files of conf.d are named, each with the number of its sources. \
            Then each source has a line: how often it is polled, how long its events are kept, and when it is due if \
            the daemon starts now, by the due time that is stored where the database exists. With --hours every poll \
            and truncation to come is listed, too. A line says how much each source may add to the database, and how \
            many paid reads it may make in a month. Where pictures are kept, a line says of how many hosts, and in \
            which file.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Validate only: print nothing but faults.")
    var quiet = false

    @Option(
        parsing: .unconditional, help: "List each poll and truncation of so many hours to come, too (1…168).",
        transform: { try AreaOptions.wholeNumber($0, "a whole number from 1 to 168") })
    var hours: Int?

    func validate() throws {
        if let hours, !(1...168).contains(hours) {
            throw ValidationError("--hours takes 1 to 168, found \(hours)")
        }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, sources) = try configuration.load()
            if quiet { return }
            let now = TimeSource.live.now()
            let store = try settings.existingStore()
            let records = try store?.sources() ?? []
            let ages = try store?.ageChanges(under: settings.sources, asOf: now.wall).words ?? []
            let engine = Engine(
                sources: sources.map { source in
                    var source = source
                    source.record = records.first { $0.name == source.settings.name } ?? source.record
                    return source
                },
                limits: settings.engineLimits, truncation: settings.truncationPlan, seed: 0, at: now)
            let forecast = engine.forecast(for: .seconds((hours ?? 24) * 3600), at: now)
            let (daemon, serving) = units()
            let free = FreeSpace.bytes(at: DatabasePath.folder(of: DatabasePath.resolved(settings.database)))
            let places = settings.unitAdvice(daemon: daemon, serving: serving) + settings.diskAdvice(free: free)
            let warnings =
                settings.advice + places + Self.unreadable(settings, sources, daemon)
                + Self.unknownHomes(settings) + Self.unproved(records, sources) + ages + settings.geocoding.advice
                + settings.serve.advice
                + Self.advice(sources, forecast, gap: settings.fetch.perHostGap)
            for warning in warnings { Terminal.printError("warning: \(warning)") }
            var output = Output()
            output.line("\(configuration.config): \(Self.sum(settings.sources, warnings.count))")
            for fragment in settings.fragments { output.line("\(fragment.file): \(fragment.sources) of these") }
            output.line("")
            output.table(Self.plan(sources, engine, settings.truncation, at: now), width: nil)
            for words in Self.budgets(settings.sources) { output.line(words) }
            for source in sources where source.settings.isEnabled {
                guard let reads = source.feed.paidReads else { continue }
                output.line("\(source.settings.name): \(reads.allowance(every: source.settings.refreshInterval))")
            }
            if let words = Self.pictures(settings) { output.line(words) }
            if hours != nil {
                output.line("")
                output.table(Self.timetable(forecast, sources), width: nil)
            }
            output.flush()
        }
    }

    /// The installed units of this configuration; nil: none, or not known. With `--database` they have another one.
    private func units() -> (daemon: InstalledUnit?, serving: InstalledUnit?) {
        guard configuration.database == nil else { return (nil, nil) }
        func unit(_ name: String) -> InstalledUnit? { Systemctl.unit(name, configuration: configuration.config) }
        return (unit("visiventd.service"), unit("visiventd-serve.service"))
    }

    /// For example `2 sources (1 disabled), no faults, 1 warning`.
    private static func sum(_ sources: [SourceSettings], _ warnings: Int) -> String {
        let disabled = sources.count(where: { !$0.isEnabled })
        return sources.count.counted("source") + (disabled > 0 ? " (\(disabled) disabled)" : "") + ", no faults"
            + (warnings > 0 ? ", " + warnings.counted("warning") : "")
    }

    /// One row for each source and one for truncation.
    private static func plan(
        _ sources: [EngineSource], _ engine: Engine, _ truncation: TruncationSettings, at now: Moment
    ) -> TextTable {
        let dues = Dictionary(engine.dues.map { ($0.source, $0.at) }, uniquingKeysWith: { first, _ in first })
        var table = TextTable(["SOURCE", "KIND", "EVERY", "KEPT FOR", "NEXT (UTC)"])
        for source in sources {
            let settings = source.settings
            table.add([
                settings.name, settings.kind,
                source.feed.stream == nil ? settings.refreshInterval.compact : "stream", settings.maxAge.compact,
                dues[settings.name].map { now.wall(at: max($0, now.uptime)).wholeSeconds } ?? "disabled",
            ])
        }
        table.add([
            "truncation", "", truncation.interval.compact, "",
            now.wall(at: now.uptime + truncation.first).wholeSeconds,
        ])
        return table
    }

    /// What sources may add to the database, a line for each budget.
    private static func budgets(_ sources: [SourceSettings]) -> [String] {
        var names: [(budget: SourceBudget, sources: [String])] = []
        for source in sources {
            if let known = names.firstIndex(where: { $0.budget == source.budget }) {
                names[known].sources.append(source.name)
            } else {
                names.append((source.budget, [source.name]))
            }
        }
        return names.map { budget, sources in
            "\(names.count == 1 ? "each source" : sources.joined(separator: ", ")) may add \(budget.words)"
        }
    }

    /// What is kept of pictures, and where; nil: none are.
    private static func pictures(_ settings: Settings) -> String? {
        let (pictures, file) = (settings.pictures, settings.pictureStore.path)
        guard !pictures.hosts.isEmpty else { return nil }
        return "pictures of \(pictures.hosts.count.counted("host")) are kept in \(file), up to "
            + "\(Int64(pictures.maximumBytes).asSize()), \(pictures.requestsPerDay.counted("request")) a day"
    }

    /// One row for each coming poll and truncation; a stream is opened once.
    private static func timetable(_ forecast: [Forecast], _ sources: [EngineSource]) -> TextTable {
        let streams = Set(sources.filter { $0.feed.stream != nil }.map { $0.settings.name })
        var table = TextTable(["TIME (UTC)", "WHAT"])
        for entry in forecast {
            let what = entry.source.map { streams.contains($0) ? "stream \($0)" : "poll \($0)" }
            table.add([entry.at.wholeSeconds, what ?? "truncation"])
        }
        return table
    }

    /// Homes whose region the city table does not have; none without a table with regions, which may be seeded later.
    private static func unknownHomes(_ settings: Settings) -> [String] {
        guard let table = try? CityTable(path: settings.gazetteer.path), !table.regions.isEmpty else { return [] }
        return settings.sources.compactMap { source in
            guard source.home.region != nil, let code = source.home.code, table.regions[code] == nil else { return nil }
            return "\(source.name): home: the city table has no region \(code)"
        }
    }

    /// Claims in the last answers that no source's authority covers, with the line that would give it.
    private static func unproved(_ records: [SourceRecord], _ sources: [EngineSource]) -> [String] {
        let authorities = sources.authorities
        return sources.filter(\.settings.isEnabled).compactMap { source in
            let name = source.settings.name
            let claims = (records.first { $0.name == name }?.unproved ?? [:]).filter { provider, _ in
                if case .holds? = authorities[name]?.verdict(on: provider) { false } else { true }
            }
            guard !claims.isEmpty else { return nil }
            let names = claims.keys.sorted()
            let list = (source.settings.trustedFor.sorted() + names).map(\.jsonQuoted).joined(separator: ", ")
            let items = claims.values.reduce(0) { $0 + $1.items }.counted("item")
            let losses = names.compactMap { provider in
                claims[provider]?.holders.map { "; \($0) would lose \(provider) unless it is written there, too" }
            }
            return "\(name): \(items) under its own identity, in the name of \(names.joined(separator: ", ")); "
                + "if it may speak for it, write: trusted_for: [\(list)]\(losses.joined())"
        }
    }

    /// Faults of secrets, certificates and files, and a warning if no source is enabled.
    private static func unreadable(
        _ settings: Settings, _ sources: [EngineSource], _ unit: InstalledUnit?
    ) -> [String] {
        let secrets = SecretReader(environment: ProcessInfo.processInfo.environment)
        /// Whether only the service is passed what is missing here, as far as it is known.
        func isOfService(_ failure: Failure) -> Bool {
            failure.missingCredential.map { unit?.passes($0) != false } ?? false
        }
        var warnings = sources.flatMap { source in
            source.readSecrets(secrets).faults.filter { !isOfService($0) }
                .map { "\(source.settings.name): \($0.message)" }
        }
        for (owner, file) in settings.secretFiles {
            do throws(Failure) {
                _ = try secrets.read(file)
            } catch {
                guard !isOfService(error) else { continue }
                warnings.append("\(owner): \(error.message)")
            }
        }
        warnings += settings.exposedSecrets(sources, secrets)
        if !settings.sources.contains(where: \.isEnabled) {
            warnings.append("no source is enabled, so nothing is polled")
        }
        for source in sources where source.settings.isEnabled {
            if let file = source.settings.certificateAuthorityFile, access(file, R_OK) != 0 {
                let reason = String(cString: strerror(errno))
                warnings.append("\(source.settings.name): \(file) cannot be read: \(reason)")
            }
            warnings += source.files.compactMap { file -> String? in
                if let obstacle = LocalFile.obstacle(at: file) { return "\(source.settings.name): \(obstacle.message)" }
                let age = Date().timeIntervalSince(changed(file) ?? Date())
                guard age > source.settings.maxAge.seconds else { return nil }
                return "\(source.settings.name): \(file) has not changed for longer than max_age "
                    + "(\(source.settings.maxAge.compact)): what it holds may be refused as expired"
            }
        }
        return warnings + unreadable(settings.serve)
    }

    /// Files of the map page that cannot be read.
    private static func unreadable(_ serve: ServeSettings) -> [String] {
        var files: [(key: String, path: String)] = []
        if let page = serve.page { files.append((key: "serve.page", path: page + "/index.html")) }
        for map in serve.basemaps {
            if case .file(let path) = map.tiles { files.append((key: "serve.basemaps: \(map.name)", path: path)) }
        }
        for overlay in serve.overlays {
            files.append((key: "serve.overlays: \(overlay.name)", path: overlay.file))
        }
        return files.compactMap { key, path -> String? in
            guard access(path, R_OK) != 0 else { return nil }
            return "\(key): \(path) cannot be read: \(String(cString: strerror(errno)))"
        }
    }

    /// When a file was last modified; nil if stat(2) fails.
    private static func changed(_ file: String) -> Date? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
    }

    /// Advice of the kinds, and polls of one host that are closer together than its gap.
    private static func advice(_ sources: [EngineSource], _ forecast: [Forecast], gap: Duration) -> [String] {
        let warnings = sources.filter(\.settings.isEnabled).flatMap { source in
            source.feed.advice.map { "\(source.settings.name): \($0)" }
        }
        let hosts = Dictionary(
            sources.map { ($0.settings.name, Origin($0.settings.url).host) },
            uniquingKeysWith: { first, _ in first })
        var queues: [String: HostQueue] = [:]
        for entry in forecast {
            guard let source = entry.source, let host = hosts[source], !host.isEmpty else { continue }
            queues[host, default: HostQueue()].take(source, at: entry.at, gap: gap.seconds)
        }
        return warnings + queues.sorted { $0.key < $1.key }.compactMap { host, queue in queue.warning(of: host) }
    }
}

/// The polls of one host in order of time, each at least a gap after the one before.
private struct HostQueue {
    /// Sources that wait for each other.
    private var sources: Set<String> = []
    /// When the first of them has to wait.
    private var first: Date?
    /// The longest wait, in seconds.
    private var longest = 0.0
    private var last: String?
    /// When the last poll of each source is sent.
    private var sent: [String: Date] = [:]
    private var free = Date.distantPast

    /// Adds the next poll in order of time. As in the engine, a source whose last poll still waits is not polled again.
    mutating func take(_ source: String, at time: Date, gap: Double) {
        if let before = sent[source], time.timeIntervalSince(before) < 0.001 { return }
        let wait = free.timeIntervalSince(time)
        if wait >= 0.001, let last, last != source {
            sources.formUnion([last, source])
            longest = max(longest, wait)
            first = first ?? time
        }
        last = source
        let start = max(free, time)
        sent[source] = start
        free = start.addingTimeInterval(gap)
    }

    /// The warning about this host; nil if no source waits.
    func warning(of host: String) -> String? {
        guard let first else { return nil }
        let names = sources.count <= 3 ? sources.sorted().joined(separator: ", ") : sources.count.counted("source")
        return "\(names) of \(host) are due together, first at \(first.wholeSeconds); the last waits "
            + "\(Duration(clampingSeconds: longest).compact): give them other offsets"
    }
}

extension EngineSource {
    /// The files that the source reads instead of asking a server.
    fileprivate var files: [String] {
        feed.requests(for: PollContext(now: Date())).compactMap { request in
            URL(string: request.url).flatMap { $0.isFileURL ? $0.path : nil }
        }
    }
}
