import Foundation
import HTTPTypes
import Serving

/// The headers of every answer: those of the API, and those that restrict browsers.
struct ResponseHeaders: Sendable {
    private let base: [HTTPField]
    private let origins: Set<String>

    /// - Parameter origins: The origins whose pages may read the answers, in lower case.
    init(origins: [String]) {
        self.origins = Set(origins)
        base = Self.all.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }
    }

    /// No answer may load or run anything, be framed, be taken for another type, or tell where its links were found;
    /// the map page has a policy of its own.
    private static let all = [
        ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private static let frameOptions = HTTPField.Name("X-Frame-Options")

    /// - Parameters:
    ///   - origin: The request's Origin.
    ///   - now: Wall time, for the field Date (RFC 9110 §6.6.1).
    func fields(of answer: APIAnswer, origin: String?, now: Date) -> HTTPFields {
        var fields = HTTPFields()
        // As in `Sun, 01 Mar 2026 00:00:00 GMT` (RFC 9110 §5.6.7).
        fields[.date] = now.utc("%a, %d %b %Y %H:%M:%S GMT")
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        // X-Frame-Options can name no origin; browsers that know frame-ancestors pass over it (CSP 3 §6.4.2.2).
        let policy = answer.header("content-security-policy")
        let mayBeFramed = policy.map { !$0.contains("frame-ancestors 'none'") } ?? false
        for field in base where !fields.contains(field.name) {
            if mayBeFramed, field.name == Self.frameOptions { continue }
            fields.append(field)
        }
        guard !origins.isEmpty else { return fields }
        fields.append(HTTPField(name: .vary, value: "Origin"))
        if let origin, allows(origin) {
            fields[.accessControlAllowOrigin] = origin
            fields[.accessControlExposeHeaders] = "As-Of, Complete, ETag, Link, Near, Retry-After, Seq"
        }
        return fields
    }

    private func allows(_ origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    // MARK: - Preflights

    /// Whether a browser asks, for the page of a configured origin, what a GET or HEAD of it may carry (Fetch,
    /// CORS-preflight request).
    func isPreflight(_ head: HTTPRequest) -> Bool {
        guard head.method == .options, allows(head.headerFields[.origin]) else { return false }
        let method = head.headerFields[.accessControlRequestMethod]
        return method == "GET" || method == "HEAD"
    }

    /// The answer to a preflight, which browsers keep for ten minutes. It grants no credentials, and no page of a
    /// public network a way into a private one.
    static let preflight = APIAnswer(
        status: 204,
        headers: [
            ("access-control-allow-methods", "GET, HEAD"),
            (
                "access-control-allow-headers",
                "Accept, Content-Type, If-Modified-Since, If-None-Match, Last-Event-ID"
            ),
            ("access-control-max-age", "600"),
        ])
}
