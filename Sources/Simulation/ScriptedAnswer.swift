package import Foundation
package import Model

/// A scripted server's answer to one request.
package enum ScriptedAnswer {
    /// 200 with a whole body; `etag` and `lastModified` are its validators.
    case body(Data, etag: String? = nil, lastModified: String? = nil, headers: [String: String] = [:])
    /// 304.
    case notModified
    /// 301, 302, 303, 307 or 308.
    case redirect(to: String, isPermanent: Bool)
    /// 200, held open: batches of lines at once, then the reason of its end; nil: it stays open until the client closes
    /// it.
    case stream([Data], end: Failure?)
    /// 200, held open: pieces, each at its time.
    case live(LiveStream)
    /// Any failure: of the network, or with an HTTP status.
    case failure(Failure)
}
