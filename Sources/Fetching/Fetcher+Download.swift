import Foundation
public import Model
import Synchronization

extension Fetcher {
    /// Makes all downloads of this process. It is never released: its thread would free certificates while the process
    /// exits, which OpenSSL does not allow.
    private static let downloading = Result<Fetcher, Failure>(catching: { () throws(Failure) -> Fetcher in
        try Fetcher(now: { Date() })
    })

    /// The most redirects that a download follows.
    private static let maximumRedirects = 5

    /// Starts a download of a large body and returns once the head has come. The caller must close the stream.
    ///
    /// Only the connection and silence have time limits; size has none. Up to 5 redirects are followed: none from https
    /// to http, and none to an address that is not public unless the first server is in the same zone. No content
    /// coding is requested, since large tables are packed files; gzip is passed on undecoded.
    /// - Parameters:
    ///   - url: Absolute http or https URL without a user name.
    ///   - limits: Used are `connectTimeout`, `stallTimeout`, `maximumHeaderBytes` and `userAgent`.
    /// - Throws: `Failure` with a code of `docs/fetching.md`, also for an answer other than 200 and 203. A redirect
    ///   that is not followed has `insecure_redirect`, `refused_address` or, after the fifth, `bad_redirect`.
    public static func download(_ url: String, limits: FetchLimits) async throws(Failure) -> FetchedStream {
        try await download(url, limits: limits, home: nil)
    }

    /// As `download(_:limits:)`, with the same errors.
    /// - Parameter home: The assumed zone of the first server, for tests, which have only one zone; nil: its real zone.
    package static func download(
        _ url: String, limits: FetchLimits, home: AddressZone?
    ) async throws(Failure) -> FetchedStream {
        let fetcher = try downloading.get()
        var request = FetchRequest(url: url)
        request.isDownload = true
        var zones: Set<AddressZone>?
        var redirects = 0
        while true {
            guard !request.url.utf8.contains(0), let address = WebAddress(request.url), address.isWeb else {
                throw Failure(
                    .operator, .badURL, "the URL is not an absolute http or https URL, or it holds a user name")
            }
            let exchange = Exchange(request, at: address, limits: limits, within: zones)
            let outcome = try await fetcher.send(exchange)
            if case .stream(let body) = outcome { return body }
            guard case .redirect(let target, _, _, _) = outcome,
                address.scheme == "http" || target.hasPrefix("https:")
            else {
                throw Failure(
                    .server, .insecureRedirect, "\(address.authority) redirects to something other than https")
            }
            redirects += 1
            guard redirects <= maximumRedirects else {
                throw Failure(.server, .badRedirect, "\(address.authority) redirects too often")
            }
            if zones == nil { zones = [.open, home ?? exchange.peer.withLock { $0 } ?? .open] }
            request.url = target
        }
    }
}
