import ArgumentParser
import Control
import Daemon
import Engine
import Foundation
import Model
import Operations
import Settings

/// `visiventd poll`
struct Poll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Poll sources once, now.",
        discussion: """
            Where a daemon works on the database it makes the polls; otherwise this command does. It stores what comes, \
            but looks no places up: events that come without a coordinate wait for the next daemon.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Poll all sources that are enabled.")
    var all = false

    @Argument(help: "Names of sources, as configured.", completion: Completions.sources)
    var names: [String] = []

    func validate() throws {
        if !all, names.isEmpty { throw ValidationError("expected names of sources, or --all") }
        guard all, !names.isEmpty else { return }
        throw ValidationError(
            "--all and names exclude each other: visiventd poll --all polls all sources that are enabled, "
                + "visiventd poll \(names.joined(separator: " ")) these alone")
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, sources) = try configuration.load()
            var seen: Set<String> = []
            let names =
                all ? settings.sources.filter(\.isEnabled).map(\.name) : names.filter { seen.insert($0).inserted }
            let known = Set(settings.sources.map(\.name))
            for name in names where !known.contains(name) { throw settings.noSource(named: name) }
            try FolderOwner.become(ofFolderOf: settings.database)
            let isSuccess = try await poll(names, settings, sources)
            if !isSuccess { throw ExitStatus.temporary }
        }
    }

    private func poll(_ names: [String], _ settings: Settings, _ sources: [EngineSource]) async throws -> Bool {
        let hints = configuration.hints
        try configuration.refuseBesideOtherDatabase(settings)
        do {
            let secrets = SecretReader(environment: ProcessInfo.processInfo.environment)
            let daemon = try Daemon(
                settings: settings, sources: sources, secrets: secrets,
                seed: UInt64.random(in: .min ... .max),
                onDemandOnly: true, logger: settings.logger(level: LogLevel(.warning), hints: hints))
            let outcomes = await daemon.poll(names)
            for (name, outcome) in zip(names, outcomes) {
                let report: PollReport
                switch outcome {
                case .success(let done): report = done
                case .failure(let reason):
                    Terminal.print(hints.completed(reason.notPolled(name)))
                    continue
                }
                Terminal.print(hints.completed(report.summary))
                guard let failure = report.end.failure, failure.fault == .operator else { continue }
                let source = sources.first { $0.settings.name == report.source }
                for fault in source?.faults(secrets, besides: failure) ?? [] {
                    Terminal.printError("\(report.source): \(fault)")
                }
            }
            let reports = outcomes.compactMap { try? $0.get() }
            let failures = reports.compactMap { $0.end.failure }
            if failures.count > 1, failures.count == names.count, failures.allSatisfy({ $0.fault == .network }) {
                Terminal.printError("visiventd: no source could be reached; is there a network?")
            }
            return reports.count == names.count && reports.allSatisfy { $0.end.failure == nil }
        } catch DaemonError.isRunning {
            var isSuccess = true
            for start in stride(from: 0, to: names.count, by: ControlServer.maximumNames) {
                let some = Array(names[start..<min(start + ControlServer.maximumNames, names.count)])
                isSuccess =
                    try ControlClient.send(
                        ControlRequest(.poll, sources: some), to: settings.socket, database: settings.database
                    ) { Terminal.print(hints.completed($0.message)) } && isSuccess
            }
            return isSuccess
        }
    }
}

extension EngineSource {
    /// The faults of the credentials that the failure does not mention.
    fileprivate func faults(_ secrets: SecretReader, besides failure: Failure) -> [String] {
        var source = self
        // Faults of a disabled source are left out, but this one was polled by name.
        source.settings.isEnabled = true
        return source.readSecrets(secrets).faults.map(\.message).filter { !failure.message.contains($0) }
    }
}
