import Reading
import Serving
import Store

/// A request that is answered without a query, as problem+json (RFC 9457).
struct Refusal: Sendable {
    let status: Int
    /// The last part of the problem's type.
    let type: String
    let title: String
    let detail: String
    var headers: [(name: String, value: String)] = []

    var answer: APIAnswer {
        var body = JSONWriter()
        body.member("type", "/problems/\(type)")
        body.member("title", title)
        body.member("status", status)
        body.member("detail", detail)
        var fields: [(name: String, value: String)] = [
            (name: "Content-Type", value: "application/problem+json"), (name: "Cache-Control", value: "no-store"),
        ]
        fields += headers
        return APIAnswer(status: status, headers: fields, body: .whole(Array(body.finish().utf8)))
    }

    /// A Host that the service does not answer for, with the remedy.
    static func host(_ host: String) -> Refusal {
        let shown = String(String.UnicodeScalarView(host.unicodeScalars.prefix(100)))
        return Refusal(
            status: 421, type: "host", title: "Not a name of this service",
            detail: "The request is for the host \"\(shown)\", which may be a foreign page's. If it is a name of this "
                + "machine, add it to serve.hosts in visiventd.yaml and restart visiventd serve; else use localhost or "
                + "the numeric address.")
    }

    static let noHost = Refusal(
        status: 400, type: "request", title: "Bad request", detail: "The request needs exactly one Host header.")

    static let target = Refusal(
        status: 400, type: "request", title: "Bad request", detail: "The target of a request is a path.")

    static let method = Refusal(
        status: 405, type: "method", title: "Method not allowed", detail: "The record is read only: use GET or HEAD.",
        headers: [(name: "Allow", value: "GET, HEAD")])

    static let body = Refusal(
        status: 413, type: "body", title: "No body accepted", detail: "Requests have no body here.")

    /// The database cannot be read at the moment.
    static func unavailable(_ error: any Error) -> Refusal {
        let error = error as? StoreError
        let isBusy = error?.code == .busy
        return Refusal(
            status: 503, type: isBusy ? "busy" : "unavailable",
            title: isBusy ? "Too many requests wait" : "The database cannot be read",
            detail: error.map { reason($0) } ?? "The answer failed; the log of visiventd serve says why.",
            headers: [(name: "Retry-After", value: isBusy ? "1" : "10")])
    }

    /// Words without paths of this machine, which are nobody else's business.
    private static func reason(_ error: StoreError) -> String {
        switch error.code {
        case .busy: "Requests wait for readers of the database: try again."
        case .cannotOpen: "The database is not there yet: it comes with the first start of visiventd run."
        case .olderSchema: "The database is of an older version: visiventd run migrates it at its start."
        case .newerSchema: "The database is of a newer version than visiventd serve: upgrade and restart it."
        default: "The log of visiventd serve says why."
        }
    }
}
