import ArgumentParser
import Control
import Daemon
import Foundation
import SQLite
import Settings
import Store

/// `visiventd reset`
struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forget a source's state, so that its next request is unconditional.",
        discussion:
            "Validators, since_id, failures and what was left to ask are forgotten; events stay, unless asked for.")

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(name: .customLong("events"), help: "Forget the events too that no other source has.")
    var includingEvents = false

    @Argument(help: "Name of the source.", completion: Completions.sources)
    var name: String

    func run() async throws {
        try await reporting(configuration.hints) {
            let (settings, _) = try configuration.load()
            try FolderOwner.become(ofFolderOf: settings.database)
            try configuration.refuseBesideOtherDatabase(settings)
            try DatabasePath.mustExist(settings.database)
            try DatabasePath.mustBeUsable(settings.database)
            do {
                let lock = try DatabaseLock(database: settings.database)
                defer { withExtendedLifetime(lock) {} }
                let store = try EventStore(path: settings.database)
                guard try store.sources().contains(where: { $0.name == name }) else {
                    guard settings.sources.contains(where: { $0.name == name }) else {
                        throw settings.noSource(named: name)
                    }
                    return Terminal.print("\(name): has not been polled yet, so there is nothing to forget")
                }
                let count = try store.reset(source: name, includingEvents: includingEvents, at: Date())
                Terminal.print(Daemon.resetMessage(name, count, includingEvents))
            } catch DaemonError.isRunning {
                guard settings.sources.contains(where: { $0.name == name }) else {
                    throw settings.noSource(named: name)
                }
                try ControlClient.carryOut(
                    ControlRequest(.reset, sources: [name], includingEvents: includingEvents),
                    to: settings.socket, database: settings.database)
            }
        }
    }
}
