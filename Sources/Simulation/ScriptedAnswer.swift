package import Fetching
package import Foundation
package import Model

/// A scripted server's answer to one request.
package enum ScriptedAnswer {
    /// 200 with a whole body, which the feed decodes; `etag` and `lastModified` are its validators, nil: none.
    /// `headers` are by name in lower case.
    case body(Data, etag: String? = nil, lastModified: String? = nil, headers: [String: String] = [:])
    /// 304, as if the validators of the request still held.
    case notModified
    /// 301 or 308 if it `isPermanent`, else 302, 303 or 307, to an absolute URL.
    case redirect(to: String, isPermanent: Bool)
    /// 200, held open: pieces, each at its time. The request must be one for a stream.
    case live(LiveStream)
    /// What a request to a real server has brought.
    case fetched(FetchOutcome)
    /// Any failure: of the network, or with an HTTP status. It has no Date header.
    case failure(Failure)
}
