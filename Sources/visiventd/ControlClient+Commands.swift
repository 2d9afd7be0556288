import ArgumentParser
import Control
import Files
import Store

extension ControlClient {
    /// Has the running daemon carry out a request, and tells its replies; throws the exit status of a failure.
    static func carryOut(_ request: ControlRequest, to socket: String, database: String) throws {
        var isTemporary = false
        let isSuccess = try send(request, to: socket, database: database) { reply in
            isTemporary = isTemporary || reply.isTemporary == true
            Terminal.tell(reply.message, isSuccess: reply.isSuccess)
        }
        if !isSuccess { throw isTemporary ? ExitStatus.temporary : ExitStatus.unavailable }
    }

    /// Has the running daemon read its configuration again, and tells its replies in the words that `words` makes of
    /// them; throws the exit status of a failure.
    static func reload(
        at socket: String, database: String?, words: (String) -> String = { $0 }
    ) throws {
        var isFault = false
        let isSuccess = try send(ControlRequest(.reload), to: socket, database: database) { reply in
            isFault = isFault || reply.isConfigurationFault == true
            let message = words(reply.message)
            if reply.isSuccess { Terminal.print(message) } else { Terminal.printError(message) }
        }
        if !isSuccess { throw isFault ? ExitStatus.configuration : ExitStatus.temporary }
    }
}
