package import Foundation
package import Model

/// What a scripted server says to one request.
package enum ScriptedAnswer {
    /// 200 with a whole body.
    case body(Data, etag: String? = nil, lastModified: String? = nil, headers: [String: String] = [:])
    /// 304.
    case notModified
    /// 301, 302, 303, 307 or 308.
    case redirect(to: String, isPermanent: Bool)
    /// 200 that is held open: batches of lines, then why it ends; nil: it stays open until it is closed.
    case stream([Data], end: Failure?)
    /// 200 that is held open: pieces, each at its time.
    case live(LiveStream)
    /// Anything that went wrong.
    case failure(Failure)
}
