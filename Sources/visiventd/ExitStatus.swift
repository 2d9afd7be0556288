import ArgumentParser
import Control
import Files
import Foundation
import Gazetteer
import HTTPService
import Model
import Settings
import Store

/// Exit codes of sysexits.h; `health` uses those of monitoring plugins.
enum ExitStatus {
    static let warning = ExitCode(1)
    static let failed = ExitCode(2)
    static let unknown = ExitCode(3)
    static let usage = ExitCode(64)
    static let data = ExitCode(65)
    static let unavailable = ExitCode(69)
    static let internalError = ExitCode(70)
    static let cannotCreate = ExitCode(73)
    static let inputOutput = ExitCode(74)
    static let temporary = ExitCode(75)
    static let configuration = ExitCode(78)
}

extension SettingsErrors {
    /// Prints the faults on standard error and returns their exit code.
    func printed() -> ExitCode {
        for fault in faults { Terminal.printError("\(fault)") }
        return isTransient ? ExitStatus.temporary : ExitStatus.configuration
    }
}

/// Runs a command's work and turns its errors into a message on standard error and an exit code.
/// - Parameter hints: The command's options, to be added to commands in messages.
func reporting<Result>(_ hints: Hints = Hints(), _ work: () async throws -> Result) async throws -> Result {
    do {
        return try await work()
    } catch let error as SettingsErrors {
        throw error.printed()
    } catch let error as StoreError {
        Terminal.printError("visiventd: \(hints.completed(error.message))")
        if error.code == .cannotCreate { throw ExitStatus.cannotCreate }
        throw error.isTemporary && error.code != .cannotOpen ? ExitStatus.temporary : ExitStatus.unavailable
    } catch let error as FileError {
        Terminal.printError("visiventd: \(hints.completed(error.message))")
        throw error.code == .cannotCreate ? ExitStatus.cannotCreate : ExitStatus.temporary
    } catch let error as DaemonError {
        // Other messages name the running command, which had its options.
        let message = if case .unreachable = error { hints.completed("\(error)") } else { "\(error)" }
        Terminal.printError("visiventd: \(message)")
        throw ExitStatus.unavailable
    } catch let error as HTTPServiceError {
        Terminal.printError("visiventd: \(error)")
        if error.isFinal { throw ExitStatus.configuration }
        throw error == .schemaMoved ? ExitStatus.temporary : ExitStatus.unavailable
    } catch let error as GazetteerError {
        Terminal.printError("visiventd: \(hints.completed(error.message))")
        switch error.code {
        case .unknownFormat: throw ExitStatus.data
        case .unreadableInput: throw ExitStatus.inputOutput
        case .cannotWrite: throw ExitStatus.cannotCreate
        case .notSeeded, .notATable, .unreadable: throw ExitStatus.unavailable
        }
    } catch let error as Failure {
        Terminal.printError("visiventd: \(error)")
        switch error.fault {
        case .feed: throw ExitStatus.data
        case .network: throw ExitStatus.temporary
        // A missing document will not be back in a minute.
        case .server: throw [403, 404, 410].contains(error.status) ? ExitStatus.unavailable : ExitStatus.temporary
        // URLs of the configuration were checked when it was read, so this one is from the command line.
        case .operator: throw error.hasCode(.badURL) ? ExitStatus.usage : ExitStatus.configuration
        case .ours: throw ExitStatus.unavailable
        }
    } catch let error as ValidationError {
        // ArgumentParser would print the usage of the whole program.
        Terminal.printError("visiventd: \(error.message)")
        throw ExitStatus.usage
    } catch let error as UnreadableInput {
        Terminal.printError("visiventd: \(error.message)")
        throw ExitStatus.inputOutput
    } catch let error as CocoaError {
        let file = error.filePath.map { "\($0): " } ?? ""
        Terminal.printError("visiventd: \(file)\(error.localizedDescription)")
        throw ExitStatus.unavailable
    }
}
