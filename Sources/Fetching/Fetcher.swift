public import Foundation
public import Model

/// Fetches over HTTP with libcurl: conditional, bounded, one hop at a time.
///
/// It keeps up to 64 connections open for reuse and speaks HTTP/2 where TLS offers it. How many fetches run at a time,
/// which host is asked when, and where redirects lead is for its caller to decide. See `docs/fetching.md`.
public final class Fetcher: Sendable {
    private let limits: FetchLimits
    private let thread: CurlThread

    /// Starts the fetcher's thread, which runs until `shutdown` or until the fetcher is released.
    /// - Parameters:
    ///   - limits: what each fetch is allowed.
    ///   - now: wall time, from which Retry-After is reckoned.
    /// - Throws: `Failure` with the fault `ours` when libcurl cannot be started.
    public init(limits: FetchLimits = FetchLimits(), now: @escaping @Sendable () -> Date) throws(Failure) {
        self.limits = limits
        thread = try CurlThread(limits: limits, now: now)
        thread.begin()
    }

    deinit { thread.close() }

    /// Makes one request and waits for its answer.
    ///
    /// Cancelling the task returns at once with the failure `cancelled`, also while a name is looked up.
    /// - Throws: `Failure` with a code of the table in `docs/fetching.md`; messages name host and port, never a query.
    public func fetch(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        let address = try Self.address(of: request)
        let exchange = Exchange(request, at: address)
        let answer: Exchange.Answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Exchange.Answer, Never>) in
                exchange.wait(continuation)
                start(exchange)
            }
        } onCancel: {
            exchange.finish(.failure(.cancelled))
            thread.drop(exchange)
        }
        return try answer.get()
    }

    /// Ends the thread; what is in flight and what is asked later fails with `shut_down`.
    public func shutdown() {
        thread.close()
    }

    private func start(_ exchange: Exchange) {
        if exchange.address.isWeb { return thread.start(exchange) }
        // Reading may block, on a network file system even for long.
        Thread.detachNewThread { [limits] in exchange.finish(LocalFile.answer(exchange, limits: limits)) }
    }

    private static func address(of request: FetchRequest) throws(Failure) -> WebAddress {
        guard !request.url.utf8.contains(0), let address = WebAddress(request.url) else {
            throw Failure(
                .operator, "bad_url",
                "the URL is not absolute, or it holds a user name, for which there is the authorization file")
        }
        guard address.isWeb || (address.scheme == "file" && request.allowsFile) else {
            throw Failure(.operator, "bad_url", "the URL scheme \"\(address.scheme)\" is not allowed here")
        }
        return address
    }
}
