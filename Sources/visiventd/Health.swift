import ArgumentParser
import Foundation
import Model
import Operations
import Settings

/// `visiventd health`
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell whether all is well, for monitoring.",
        discussion: """
            A summary with figures, then one line for each check, the worst first. Exit codes are those of monitoring \
            plugins: 0 all is well, 1 a warning (a source or a part of it, truncation or the search for places is \
            late, the clock is wrong, the configuration is refused, the daemon cannot be asked), 2 it has failed (no \
            daemon runs, its polls pause, the database cannot be read, the disk is nearly full), 3 unknown (this user \
            may not look, or nothing says which database). With --strict a warning ends with 2. With --prometheus it \
            is 0 when the metrics could be written, since they hold the verdicts.

            Reads beside a running daemon, as a member of its group, asks it whether its polls pause, and makes no \
            file. Where the configuration has faults, the other checks go by what is stored.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print metrics in Prometheus' text format, for the node exporter's textfile collector.")
    var prometheus = false

    @Flag(help: "Count a warning as failed.")
    var strict = false
    @Option(
        help: "With --prometheus, also tell when the newest copy (*.sqlite) in this folder was made.",
        completion: .directory)
    var backups: String?

    func validate() throws {
        if backups != nil, !prometheus { throw ValidationError("--backups does nothing without --prometheus") }
        if json && prometheus { throw ValidationError("expected --json or --prometheus, not both") }
        if strict && prometheus { throw ValidationError("--strict does nothing with --prometheus") }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, faults) = configuration.read()
            let facts = HealthFacts.gathered(
                settings, configuration: configuration.config, faults: faults, now: Date(), isCounting: prometheus,
                backups: backups)
            let report = HealthReport(facts)
            var output = Output(endsWithReader: false)
            if prometheus {
                return output.add(Data(report.metrics(of: facts, program: Version.ofBuild).utf8))
            }
            if json {
                output.line(report.json(at: facts.now, isStrict: strict) { configuration.hints.completed($0) })
            } else {
                output.line(report.summary(of: facts, isStrict: strict) { configuration.hints.completed($0) })
                for verdict in report.verdicts {
                    let words = "\(verdict.title): \(configuration.hints.completed(verdict.reason))"
                    output.line(words.withoutBars, headed: Self.heading(verdict.level))
                }
            }
            output.flush()
            switch report.level(isStrict: strict) {
            case .ok: break
            case .warning: throw ExitStatus.warning
            case .failed: throw ExitStatus.failed
            case .unknown: throw ExitStatus.unknown
            }
        }
    }

    private static func heading(_ level: HealthReport.Level) -> String {
        switch level {
        case .ok: "ok       "
        case .warning: Terminal.styled("WARNING", "33") + "  "
        case .failed: Terminal.styled("FAILED", "31") + "   "
        case .unknown: Terminal.styled("UNKNOWN", "35") + "  "
        }
    }
}

extension ConfigurationOptions {
    /// The configuration, or what can be read of one with faults: the paths and the disk, with `--database` applied.
    /// The database is empty where nothing names it.
    fileprivate func read() -> (settings: Settings, faults: [String]) {
        do throws(SettingsErrors) {
            return (try load().settings, [])
        } catch {
            let faults = error.faults.map(\.description)
            let rest = SettingsReader.rest(path: config, environment: ProcessInfo.processInfo.environment)
            if let rest, let settings = try? completed(rest) { return (settings, faults) }
            let database = database ?? ""
            let socket = Settings.controlSocket(of: database)
            return (Settings(file: config, database: database, controlSocket: socket, sources: []), faults)
        }
    }
}
