import ArgumentParser
import Daemon
import Engine
import Foundation
import Model
import Settings
import Store

/// `visiventd check`
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validate the configuration and show what it makes happen.",
        discussion: """
            Prints the polls and truncations of the coming hours as they would follow a start now, with the due times \
            that are stored where the database exists, and warns of collisions and of windows that are too short.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Validate only: print nothing but faults, as the service does before it starts.")
    var quiet = false

    @ArgumentParser.Option(help: "How many hours to foretell (1…168).")
    var hours = 24

    func validate() throws {
        guard (1...168).contains(hours) else { throw ValidationError("--hours takes 1 to 168, found \(hours)") }
    }

    func run() async throws {
        try await reporting {
            let (settings, sources) = try configuration.load()
            if quiet { return }
            let now = TimeSource.live.now()
            let records = try Self.records(settings.database)
            let engine = Engine(
                sources: sources.map { source in
                    EngineSource(
                        settings: source.settings, feed: source.feed,
                        record: records.first { $0.name == source.settings.name }
                            ?? SourceRecord(name: source.settings.name, kind: source.settings.kind))
                },
                limits: settings.engineLimits,
                truncation: TruncationPlan(first: settings.truncation.first, interval: settings.truncation.interval),
                seed: 0, at: now)
            let forecast = engine.forecast(for: .seconds(hours * 3600), at: now)
            var output = Output()
            output.line("\(configuration.config): \(settings.sources.count) sources, all valid")
            output.line("")
            var table = TextTable(["TIME (UTC)", "WHAT"])
            for entry in forecast {
                table.add([entry.at.wholeSeconds, entry.source.map { "poll \($0)" } ?? "truncation"])
            }
            output.table(table, width: nil)
            output.flush()
            let secrets = SecretReader(environment: ProcessInfo.processInfo.environment)
            for source in sources {
                for fault in source.credentials(secrets).faults {
                    Terminal.complain("warning: \(source.settings.name): \(fault)")
                }
            }
            for provider in settings.geocoding.providers {
                guard let file = provider.keyFile else { continue }
                do throws(Failure) {
                    _ = try secrets.read(file)
                } catch {
                    Terminal.complain("warning: geocoding.\(provider.provider.rawValue): \(error.message)")
                }
            }
            if !settings.sources.contains(where: \.isEnabled) {
                Terminal.complain("warning: no source is enabled, so nothing is polled")
            }
            for source in settings.sources where source.isEnabled {
                guard let file = source.certificateAuthorityFile, access(file, R_OK) != 0 else { continue }
                let reason = String(cString: strerror(errno))
                Terminal.complain("warning: \(source.name): \(file) cannot be read: \(reason)")
            }
            for advice in settings.geocoding.advice { Terminal.complain("warning: \(advice)") }
            for warning in Self.warnings(sources, forecast, gap: settings.fetch.perHostGap) {
                Terminal.complain("warning: \(warning)")
            }
        }
    }

    /// What is stored of the sources; nothing where there is no database, or one that the daemon has still to bring up
    /// to date: the service checks its configuration before it starts.
    private static func records(_ database: String) throws -> [SourceRecord] {
        guard FileManager.default.fileExists(atPath: database) else { return [] }
        do throws(StoreError) {
            return try EventStore(path: database, mode: .readOnly).sources()
        } catch {
            guard case .olderSchema = error.code else { throw error }
            return []
        }
    }

    /// What the kinds advise, and polls of one host that fall closer together than its gap.
    private static func warnings(_ sources: [BoundSource], _ forecast: [Forecast], gap: Duration) -> [String] {
        var warnings = sources.filter(\.settings.isEnabled).flatMap { source in
            source.feed.advice.map { "\(source.settings.name): \($0)" }
        }
        let hosts = Dictionary(
            sources.map { ($0.settings.name, URLComponents(string: $0.settings.url)?.host ?? "") },
            uniquingKeysWith: { first, _ in first })
        var collisions: [String: (count: Int, first: Date)] = [:]
        for (number, entry) in forecast.enumerated() {
            for other in forecast[(number + 1)...].prefix(while: { $0.at.timeIntervalSince(entry.at) < gap.seconds }) {
                guard let a = entry.source, let b = other.source, a != b, let host = hosts[a], host == hosts[b],
                    !host.isEmpty
                else { continue }
                let pair = [a, b].sorted().joined(separator: " and ")
                collisions[pair, default: (0, entry.at)].count += 1
            }
        }
        for (pair, collision) in collisions.sorted(by: { $0.key < $1.key }) {
            warnings.append(
                "\(pair) are due together on one host \(collision.count) times, first at \(collision.first.wholeSeconds); "
                    + "their requests will be \(gap.compact) apart: give one another offset")
        }
        return warnings
    }
}

extension Date {
    /// RFC 3339 in UTC without fractions of a second.
    var wholeSeconds: String { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).rfc3339 }
}
