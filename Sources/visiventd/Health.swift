import ArgumentParser
import Foundation
import Model
import Operations

/// `visiventd health`
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell whether all is well, for monitoring.",
        discussion: """
            One line for each check, the worst first. Exit codes are those of monitoring plugins: 0 all is well, 1 a \
            warning (a source, truncation or the search for places is late, the clock is wrong, the daemon cannot be \
            asked), 2 it has failed (no daemon runs, its polls pause, the database cannot be read, the disk is nearly \
            full). With --prometheus it is 0 when the metrics could be written, since they hold the verdicts.

            Reads beside a running daemon, as a member of its group, asks it whether its polls pause, and makes no file.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print metrics in Prometheus' text format, for the node exporter's textfile collector.")
    var prometheus = false

    func validate() throws {
        if json && prometheus { throw ValidationError("expected --json or --prometheus, not both") }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, _) = try configuration.load()
            let facts = HealthFacts.gathered(
                settings, configuration: configuration.config, now: Date(), isCounting: prometheus)
            let report = HealthReport(facts)
            var output = Output(endsWithReader: false)
            if prometheus {
                return output.add(Data(report.metrics(of: facts).utf8))
            }
            if json {
                output.line(report.json(at: facts.now) { configuration.hints.completed($0) })
            } else {
                for verdict in report.verdicts {
                    output.line(Self.words(verdict, configuration.hints), headed: Self.heading(verdict.level))
                }
            }
            output.flush()
            switch report.level {
            case .ok: break
            case .warning: throw ExitStatus.warning
            case .failed: throw ExitStatus.failed
            }
        }
    }

    private static func heading(_ level: HealthReport.Level) -> String {
        switch level {
        case .ok: "ok       "
        case .warning: Terminal.styled("WARNING", "33") + "  "
        case .failed: Terminal.styled("FAILED", "31") + "   "
        }
    }

    private static func words(_ verdict: HealthReport.Verdict, _ hints: Hints) -> String {
        let name = verdict.check == .cityTable ? "city table" : verdict.check.rawValue
        return "\(name)\(verdict.source.map { " \($0)" } ?? ""): \(hints.completed(verdict.reason))"
    }
}
