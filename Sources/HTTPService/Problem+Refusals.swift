import NIOHTTP1
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
            + "origin that serve.cors names; serve.frame_ancestors lets pages frame the map")

    private static func bad(_ detail: String) -> Problem {
        Problem(status: 400, type: "/problems/request", title: "Bad request", detail: detail)
    }

    static let noHost = bad("the request needs exactly one Host")

    static let target = bad("the target of a request is a path, or an address with http and a host")

    static let coding = bad("the end of the body is not known, since its last transfer coding is not chunked")

    static let method = Problem(
        status: 405, type: "/problems/method", title: "Method not allowed",
        detail: "the record is read only: use GET or HEAD, in capital letters")

    /// A head of more than so many bytes.
    static func head(_ most: Int) -> Problem {
        Problem(
            status: 431, type: "/problems/request", title: "Request too large",
            detail: "the head of a request, its target included, has at most \(most) bytes here")
    }

    static let surplus = Problem(
        status: 503, type: "/problems/busy", title: "Busy",
        detail: "this client has its share of the connections already; send several requests over one of them")

    /// A request that the parser cannot read.
    static func unreadable(_ fault: HTTPParserError) -> Problem {
        switch fault {
        case .invalidMethod: return .method
        case .invalidURL:
            return bad("the target has a character that must be percent-encoded (RFC 3986 §2.1), such as é as %C3%A9")
        case .invalidConstant:
            return bad("the first line is a method, a target without spaces (%20) and HTTP/1.1")
        case .invalidVersion: return bad("the version of the request is HTTP/1.1, or HTTP/1.0")
        case .invalidHeaderToken:
            return bad("a field of the head has a name or value that no field may have (RFC 9110 §5)")
        case .headerOverflow: return bad("the head has too many fields, or too long ones")
        default: return bad("this is no request by RFC 9112 (HTTP/1.1)")
        }
    }

    /// The answer as it goes over a connection that is closed afterwards.
    var message: String {
        var text = "HTTP/1.1 \(status) \(title)\r\n"
        for (name, value) in answer.headers { text += "\(name): \(value)\r\n" }
        return text + "connection: close\r\ncontent-length: \(json.utf8.count)\r\n\r\n" + json
    }

    static let body = Problem(
        status: 413, type: "/problems/body", title: "No body accepted", detail: "requests have no body here")
}
