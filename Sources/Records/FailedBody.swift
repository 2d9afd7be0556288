public import Foundation
public import Model

/// A source's last body that could not be used, for `EventStore.failedBody`.
public struct FailedBody: Sendable, Hashable {
    /// Its URL after redirects, without the query, which may have a secret.
    public var url: String
    /// When it was fetched, by wall time and to the millisecond.
    public var at: Date
    /// Why it could not be used, without an excerpt; fault `feed` and code `unknown` if another version of this
    /// program wrote the reason.
    public var failure: Failure
    /// Its first 64 KiB, after content decoding.
    public var body: Data

    /// Creates a body of these values, which are not checked.
    package init(url: String, at: Date, failure: Failure, body: Data) {
        (self.url, self.at, self.failure, self.body) = (url, at, failure, body)
    }
}
