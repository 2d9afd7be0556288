package import Engine
package import Foundation
package import Model
package import Store

/// Observes `InProcessDaemon` while it carries effects out, on its thread. An error thrown by a method ends the run
/// and comes out of the call that moved it.
package protocol DaemonObserver: AnyObject {
    /// A request is made; the network has not answered yet.
    func sending(_ order: FetchOrder, at now: Moment) throws
    /// The outcome of a request is about to reach the engine: an answer, 304, a redirect, an open stream or a failure;
    /// also the end of an open stream.
    func landed(_ id: FetchID, _ input: Input, at now: Moment) throws
    /// A request is cancelled. Its outcome does not reach the engine; an open stream still reports its end.
    func cancelled(_ id: FetchID)
    /// Lines of a stream are about to reach the engine: complete ones with their line feeds, without the blank ones.
    func heard(_ id: FetchID, _ lines: Data, at now: Moment) throws
    /// The engine has given up a poll of the source, or does not begin a requested one; nothing of it is stored.
    func abandoned(_ source: String, at now: Moment)
    /// A write is in the store, with its result. `id` is the request whose answer it stores; nil: none.
    func wrote(_ content: StoreWrite, answering id: FetchID?, _ result: StoreResult, at now: Moment) throws
    /// A write, and with it its poll, has failed. `id` is the request whose answer is lost; nil: none.
    func writeFailed(_ content: StoreWrite, answering id: FetchID?, _ error: StoreError, at now: Moment) throws
    /// A source was reset; with an `error`, perhaps in part. `includingEvents`: its events were to go, too.
    func wasReset(_ source: String, includingEvents: Bool, _ error: StoreError?, at now: Moment) throws
    /// Truncation has ended: events expired at `asOf` are gone. `error` is nil on success, else some of them may be
    /// left.
    func truncated(asOf: Date, _ error: StoreError?, at now: Moment) throws
    /// The configuration was read, perhaps with faults; the engine does not know the result yet.
    func reads(_ reading: ConfigurationReading, by daemon: InProcessDaemon, at now: Moment) throws
    /// The engine reports the outcome of the last reading: in force, refused or failed.
    func reloaded(_ report: ReloadReport, by daemon: InProcessDaemon, at now: Moment) throws
    /// The engine emits a notice for the log.
    func noticed(_ notice: Notice, at now: Moment) throws
}
