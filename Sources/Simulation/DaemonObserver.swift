package import Engine
package import Foundation
package import Model
package import Store

/// Looks on while `InProcessDaemon` carries effects out; what it throws ends the run.
package protocol DaemonObserver: AnyObject {
    /// A request is made.
    func sending(_ sent: InProcessDaemon.Sent, at now: Moment) throws
    /// The outcome of a request reaches the engine.
    func landed(_ id: FetchID, _ input: Input, at now: Moment) throws
    /// A request is given up; its outcome will not be heard of.
    func cancelled(_ id: FetchID)
    /// Lines of a stream reach the engine, without the blank ones.
    func heard(_ id: FetchID, _ lines: Data, at now: Moment) throws
    /// The engine has given a poll of the source up, or does not begin one that it was asked for.
    func abandoned(_ source: String, at now: Moment)
    /// A write is in the store; `id` names the request whose answer it brings, if it brings one.
    func wrote(_ content: StoreWrite, answering id: FetchID?, _ result: StoreResult, at now: Moment) throws
    /// A write has failed, and with it its poll.
    func writeFailed(_ content: StoreWrite, answering id: FetchID?, _ error: StoreError, at now: Moment) throws
    /// A source was reset, or the store could not do it.
    func wasReset(_ source: String, includingEvents: Bool, _ error: StoreError?, at now: Moment) throws
    /// Truncation has ended, by an error or well.
    func truncated(asOf: Date, _ error: StoreError?, at now: Moment) throws
    /// The configuration has been read.
    func reads(_ reading: ConfigurationReading, by daemon: InProcessDaemon, at now: Moment) throws
    /// This has come of it.
    func reloaded(_ report: ReloadReport, by daemon: InProcessDaemon, at now: Moment) throws
    /// The engine says something.
    func noticed(_ notice: Notice, at now: Moment) throws
}
