import ArgumentParser
import Control
import Foundation
import Settings

/// `visiventd reload`
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the running daemon read its configuration again.",
        discussion: """
            Sources that have not changed go on undisturbed. A configuration with faults is refused with all its \
            faults (exit code 78); the one before stays in force. Secrets are read again, too; the sources and \
            services that lack one, or no longer do, are named. What needs a restart is named: database, \
            control_socket, full_text, log.format, reload_on_edit.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: "The daemon's control socket; then no configuration is read here.", completion: .file())
    var socket: String?

    /// The control socket, and the database if known. Under systemd the socket is known without the configuration: one
    /// with faults is for the daemon to refuse, in its log and in `status`.
    private func target() throws(SettingsErrors) -> (socket: String, database: String?) {
        if let socket { return (socket, nil) }
        do throws(SettingsErrors) {
            let (settings, _) = try configuration.load()
            return (settings.socket, settings.database)
        } catch {
            guard let folder = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] else { throw error }
            return (folder + "/control.sock", nil)
        }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let (path, database) = try target()
            try ControlClient.reload(at: path, database: database)
        }
    }
}
