import Fetching
import Foundation
import Model
import Synchronization

/// The connections of messages, which no poll uses; each is opened with the first message.
///
/// Mails have a thread of their own: libcurl waits in it until a server has taken a mail.
final class MessageNetwork: Sendable {
    private let limits: FetchLimits
    private let now: @Sendable () -> Date
    /// By whether they send mails.
    private let fetchers = Mutex<[Bool: Fetcher]>([:])

    /// - Parameter now: Wall time.
    init(limits: FetchLimits, now: @escaping @Sendable () -> Date) { (self.limits, self.now) = (limits, now) }

    /// Sends a message.
    @Sendable func fetch(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        let isMail = request.mail != nil
        let fetcher = try fetchers.withLock { (fetchers: inout [Bool: Fetcher]) throws(Failure) -> Fetcher in
            if let fetcher = fetchers[isMail] { return fetcher }
            let fetcher = try Fetcher(limits: limits, now: now)
            fetchers[isMail] = fetcher
            return fetcher
        }
        return try await fetcher.fetch(request)
    }

    /// Ends all connections.
    func shutdown() { for fetcher in fetchers.withLock({ $0.values }) { fetcher.shutdown() } }
}
