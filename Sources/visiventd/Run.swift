import ArgumentParser
import Control
import Daemon
import Foundation
import Logging
import Operations
import ServiceLifecycle
import Settings

/// `visiventd run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Poll the configured sources until stopped.",
        discussion: "SIGTERM and SIGINT stop it within 5 seconds; what has been received is stored.")

    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        // Before the configuration is loaded SIGHUP has nothing to reload.
        signal(SIGHUP, SIG_IGN)
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        try await reporting(configuration.hints) {
            let (settings, sources) = try configuration.load()
            try FolderOwner.become(ofFolderOf: settings.database)
            let level = LogLevel(settings.log.loggerLevel)
            let logger = settings.logger(level: level, hints: configuration.hints)
            let daemon = try Daemon(
                settings: settings, sources: sources,
                secrets: SecretReader(environment: ProcessInfo.processInfo.environment),
                seed: UInt64.random(in: .min ... .max), manager: manager,
                configuration: ConfigurationFile(path: configuration.config, logLevel: level) {
                    [configuration] () throws(SettingsErrors) in try configuration.load()
                },
                version: Version.ofBuild,
                logger: logger)
            try await ServiceGroup(configuration: .running(daemon)).run()
        }
    }
}

extension ServiceGroupConfiguration {
    /// A group that ends with its service, or by SIGTERM and SIGINT.
    static func running(_ service: any Service) -> ServiceGroupConfiguration {
        let entry = ServiceConfiguration(
            service: service, successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .cancelGroup)
        // The group's own lines add nothing to ours.
        let quiet = Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
        return ServiceGroupConfiguration(
            services: [entry], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    }
}
