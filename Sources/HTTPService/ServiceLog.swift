import Logging
import Operations
import Settings
import Store
import Synchronization

/// The log lines of `visiventd serve`; docs/logs.md describes each. What lasts is logged when it begins and ends.
final class ServiceLog: Sendable {
    private let logger: Logger
    /// The faults of the database since it was last read.
    private let faults = Mutex<Set<StoreError.Code>>([])

    init(_ logger: Logger) { self.logger = logger }

    func serving(_ addresses: [ListenAddress]) {
        logger.notice(
            "serving", metadata: ["listen": "\(addresses.map { $0.description }.joined(separator: ","))"])
    }

    func stopping() { logger.notice("stopping") }

    func stopped() { logger.notice("stopped") }

    /// A request could not read the database. Each kind of fault is logged once until the database is read.
    func cannotRead(_ error: StoreError) {
        // A migration passes through several versions.
        let kind: StoreError.Code =
            switch error.code {
            case .olderSchema: .olderSchema(found: 0, known: 0)
            case .newerSchema: .newerSchema(found: 0, known: 0)
            default: error.code
            }
        let isNew = faults.withLock { $0.insert(kind).inserted }
        if isNew { logger.warning("database cannot be read", metadata: [LogKey.detail: "\(error)"]) }
    }

    /// A request has read the database.
    func hasRead() {
        let hadFaults = faults.withLock { faults in
            defer { faults = [] }
            return !faults.isEmpty
        }
        if hadFaults { logger.notice("database is read again") }
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
