package import Engine
package import Foundation
import Model

/// Serves documents by URL, each with a strong ETag, and answers 304 to a request with that ETag. Not safe for several
/// threads.
package final class ScriptedSite {
    /// Documents by URL, made anew for each request. A key without query serves all queries for which there is no
    /// whole URL.
    package var documents: [String: (FetchOrder) -> Data] = [:]
    /// Whole URLs whose requests fail at once with code `timeout`.
    package var failing: Set<String> = []
    /// Whether a matching ETag is answered 304; otherwise the whole body is sent again. Default true.
    package var isConditional = true
    /// URLs of the requests answered 304, in order.
    package private(set) var notModified: [String] = []

    /// Creates a site of documents by URL that stay the same.
    package init(_ documents: [String: Data] = [:]) {
        for (url, document) in documents { self.documents[url] = { _ in document } }
    }

    /// Serves a document at a URL from now on, in place of the former one.
    package func serve(_ document: Data, at url: String) { documents[url] = { _ in document } }

    /// The answer to a request, 404 where there is no document; for `InProcessDaemon.network`.
    package func answer(_ order: FetchOrder) -> ScriptedAnswer {
        if failing.contains(order.url) { return .failure(Failure(.network, .timeout, "no answer")) }
        guard let document = documents[order.url] ?? documents[String(order.url.prefix { $0 != "?" })] else {
            return .failure(Failure(.server, "http_404", "not found", status: 404))
        }
        let body = document(order)
        let etag = Self.etag(of: body)
        if isConditional, order.fetch.validators.etag == etag {
            notModified.append(order.url)
            return .notModified
        }
        return .body(body, etag: etag)
    }

    /// A strong ETag: FNV-1a of the bytes, in hexadecimal (1…16 digits) and quotes.
    package static func etag(of body: Data) -> String {
        let hash = body.withUnsafeBytes { FNV64.hash($0) }
        return "\"\(String(hash, radix: 16))\""
    }
}
