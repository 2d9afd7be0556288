import Serving

/// The reasons to refuse a request without a look into the database.
extension Problem {
    /// A Host that the service does not answer for, with the remedy.
    static func host(_ host: String) -> Problem {
        let shown = String(host.unicodeScalars.prefix(100))
        return Problem(
            status: 421, type: "/problems/host", title: "Not a name of this service",
            detail: "the request is for the host \"\(shown)\", which may be a foreign page's; if it is a name of this "
                + "machine, add it to serve.hosts in visiventd.yaml and restart visiventd serve; else use localhost or "
                + "the numeric address")
    }

    static let foreignPart = Problem(
        status: 403, type: "/problems/foreign-part", title: "Not a part of other pages",
        detail:
            "no page of another origin may load this as a part of it; open it by itself, or read it by CORS from an "
            + "origin that serve.cors names")

    static let noHost = Problem(
        status: 400, type: "/problems/request", title: "Bad request", detail: "the request needs exactly one Host")

    static let target = Problem(
        status: 400, type: "/problems/request", title: "Bad request",
        detail: "the target of a request is a path, or an address with http and a host")

    static let coding = Problem(
        status: 400, type: "/problems/request", title: "Bad request",
        detail: "the end of the body is not known, since its last transfer coding is not chunked")

    static let method = Problem(
        status: 405, type: "/problems/method", title: "Method not allowed",
        detail: "the record is read only: use GET or HEAD")

    static let body = Problem(
        status: 413, type: "/problems/body", title: "No body accepted", detail: "requests have no body here")
}
