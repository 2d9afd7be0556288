import Engine
import Fetching
package import Foundation
package import Model

/// The script of a connection that a server holds open: what arrives when, and how it ends.
package struct LiveStream {
    /// Pieces of the body in order, with the uptime of their arrival, which must not fall. Keep-alives between them,
    /// which only the shell would notice, are left out.
    package var pieces: [(at: Duration, bytes: Data)]
    /// Response headers, with names in lower case.
    package var headers: [String: String]
    /// Uptime and reason of its end; nil: it stays open until the client closes it.
    package var end: (at: Duration, failure: Failure)?

    /// Creates a script with these values, which are not checked; by default the server never ends the stream.
    package init(
        _ pieces: [(at: Duration, bytes: Data)], headers: [String: String] = [:],
        end: (at: Duration, failure: Failure)? = nil
    ) {
        self.pieces = pieces
        self.headers = headers
        self.end = end
    }
}

/// An open stream.
struct HeldStream {
    let order: FetchOrder
    let body: FetchedStream
    /// What has not arrived yet.
    var pieces: ArraySlice<(at: Duration, bytes: Data)>
    let end: (at: Duration, failure: Failure)?
    /// Whether something has arrived since its last batch.
    var holdsLines = false

    /// Uptime of the next piece or of the end; nil: never.
    var next: Duration? { [pieces.first?.at, end?.at].compactMap { $0 }.min() }
}
