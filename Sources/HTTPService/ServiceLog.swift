import Logging
import Operations
import Settings
import Store
import Synchronization

/// The log lines of `visiventd serve`; docs/logs.md describes each. What lasts is logged when it begins and ends.
final class ServiceLog: Sendable {
    private let logger: Logger
    private let isUnreadable = Mutex(false)

    init(_ logger: Logger) { self.logger = logger }

    func serving(_ addresses: [ListenAddress]) {
        logger.notice(
            "serving", metadata: ["listen": "\(addresses.map { $0.description }.joined(separator: ","))"])
    }

    func stopping() { logger.notice("stopping") }

    func stopped() { logger.notice("stopped") }

    /// A request could not read the database.
    func cannotRead(_ error: StoreError) {
        let isFirst = isUnreadable.withLock { isUnreadable in
            defer { isUnreadable = true }
            return !isUnreadable
        }
        if isFirst { logger.warning("database cannot be read", metadata: [LogKey.detail: "\(error)"]) }
    }

    /// A request has read the database.
    func hasRead() {
        let wasUnreadable = isUnreadable.withLock { isUnreadable in
            defer { isUnreadable = false }
            return isUnreadable
        }
        if wasUnreadable { logger.notice("database is read again") }
    }

    func schemaHasMoved() { logger.notice("database has a newer schema") }

    func tooManyConnections(_ most: Int) {
        logger.warning("too many connections", metadata: ["connections": .number(most)])
    }

    func closedSlowClient() { logger.debug("slow client was closed") }

    func headIsTooLarge() { logger.debug("request is too large") }

    func answered(_ method: String, _ path: String, status: Int) {
        logger.debug(
            "request answered", metadata: ["method": "\(method)", "path": "\(path)", "status": .number(status)])
    }

    /// An answer ended after its head was sent.
    func brokeOff(_ path: String, _ error: any Error) {
        logger.warning("answer broke off", metadata: ["path": "\(path)", LogKey.detail: "\(error)"])
    }
}
