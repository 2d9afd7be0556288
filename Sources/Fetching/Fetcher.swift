public import Foundation
public import Model
import Synchronization

/// Makes HTTP requests with libcurl: conditional, bounded, without following redirects.
///
/// It keeps up to 64 idle connections and uses HTTP/2 where TLS offers it. The caller decides how many fetches run at a
/// time, when a host is asked, and whether to follow a redirect. See `docs/fetching.md`.
public final class Fetcher: Sendable {
    private let limits: Mutex<FetchLimits>
    private let thread: CurlThread

    /// Starts the fetcher's thread, which runs until `shutdown` or until the fetcher is released.
    /// - Parameters:
    ///   - limits: Limits of each fetch, which `use` changes; by default those of `FetchLimits`.
    ///   - bodies: Bytes of all bodies that are in memory at a time, from their first byte until the last copy of
    ///     `FetchedBody.data` is gone; default 64 MiB. Beyond it transfers wait, but one may go on to its own limit.
    ///   - now: Wall time, which `Failure.retryAfter` is computed from; called on the fetcher's thread.
    /// - Throws: `Failure` with fault `ours` and code `out_of_memory` if libcurl cannot be started.
    public init(
        limits: FetchLimits = FetchLimits(), bodies: Int = 64 << 20, now: @escaping @Sendable () -> Date
    ) throws(Failure) {
        self.limits = Mutex(limits)
        thread = try CurlThread(budget: BodyBudget(bodies), now: now)
        thread.begin()
    }

    deinit { thread.close() }

    /// Changes the limits of fetches that start from now on; those in flight keep theirs. From any thread.
    public func use(_ limits: FetchLimits) { self.limits.withLock { $0 = limits } }

    /// Makes one request and waits for its answer, or reads a file; blocks no thread of the cooperative pool.
    ///
    /// When the task is cancelled it returns at once with the failure `cancelled`, even during a name look-up.
    /// - Throws: `Failure` with a code of `docs/fetching.md`. Messages name host and port, never a query.
    public func fetch(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        let address = try Self.address(of: request)
        if request.reachesPublicOnly { return try await send(request, to: address, within: [.open]) }
        guard let home = request.home else { return try await send(request, to: address, within: nil) }
        do throws(Failure) {
            return try await send(request, to: address, within: [.open])
        } catch {
            // The configured host is looked up only if it matters: it may be in the same zone.
            guard error.hasCode(.refusedAddress) else { throw error }
            let zones = await Self.zones(ofHostIn: home)
            guard !zones.isSubset(of: [.open]) else { throw error }
            return try await send(request, to: address, within: zones.union([.open]))
        }
    }

    private func send(
        _ request: FetchRequest, to address: WebAddress, within zones: Set<AddressZone>?
    ) async throws(Failure) -> FetchOutcome {
        if let zones, let zone = address.host.flatMap({ AddressZone(host: $0) }), !zones.contains(zone) {
            throw Failure.refusedHost(address, zone)
        }
        var limits = limits.withLock { $0 }
        if let most = request.maximumBytes {
            limits.maximumBodyBytes = min(limits.maximumBodyBytes, most)
            limits.maximumTransferBytes = min(limits.maximumTransferBytes, most)
        }
        return try await send(Exchange(request, at: address, limits: limits, within: zones))
    }

    /// Performs an exchange and returns its answer.
    func send(_ exchange: Exchange) async throws(Failure) -> FetchOutcome {
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

    /// Ends the thread without waiting for it. HTTP requests in flight, open streams and later requests fail with
    /// `shut_down`; files can still be read.
    public func shutdown() {
        thread.close()
    }

    private static func zones(ofHostIn url: String) async -> Set<AddressZone> {
        await withCheckedContinuation { continuation in
            // A name look-up blocks.
            Thread.detachNewThread { continuation.resume(returning: AddressZone.zones(ofHostIn: url)) }
        }
    }

    private func start(_ exchange: Exchange) {
        if exchange.address.scheme != "file" { return thread.start(exchange) }
        // Reading may block, on a network file system even for long.
        Thread.detachNewThread { [budget = thread.budget] in
            exchange.finish(LocalFile.answer(exchange, within: budget))
        }
    }

    private static func address(of request: FetchRequest) throws(Failure) -> WebAddress {
        guard !request.url.utf8.contains(0), let address = WebAddress(request.url) else {
            throw Failure(
                .operator, .badURL,
                "the URL is not absolute, or it holds a user name, for which there is the authorization file")
        }
        let isMail = request.mail != nil && ["smtp", "smtps"].contains(address.scheme)
        guard isMail || address.isWeb || (address.scheme == "file" && request.allowsFile) else {
            throw Failure(.operator, .badURL, "the URL scheme \"\(address.scheme)\" is not allowed here")
        }
        var status = stat()
        if let file = request.certificateAuthorityFile, stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // libcurl, and so all requests, would wait for the writer of a pipe.
            throw Failure(.operator, .caFile, "the file of certificate authorities \(file) is no ordinary file")
        }
        return address
    }
}
