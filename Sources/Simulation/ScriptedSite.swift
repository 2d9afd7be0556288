package import Engine
package import Foundation
import Model

/// Documents by URL, with a strong ETag each: 304 to a request that echoes it.
package final class ScriptedSite {
    /// What is served now, made anew for each request.
    package var documents: [String: (FetchOrder) -> Data] = [:]
    /// URLs that do not answer.
    package var failing: Set<String> = []
    /// Whether an ETag that matches is answered 304; otherwise the whole body is sent again.
    package var isConditional = true
    /// Requests answered 304.
    package private(set) var notModified: [String] = []

    /// Serves documents.
    package init(_ documents: [String: Data] = [:]) {
        for (url, document) in documents { self.documents[url] = { _ in document } }
    }

    /// Serves this from now on.
    package func serve(_ document: Data, at url: String) { documents[url] = { _ in document } }

    /// The answer to a request; for `InProcessDaemon.network`.
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

    /// A strong ETag: FNV-1a of the bytes.
    package static func etag(of body: Data) -> String {
        let hash = body.withUnsafeBytes { FNV64.hash($0) }
        return "\"\(String(hash, radix: 16))\""
    }
}
