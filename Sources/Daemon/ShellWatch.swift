package import Engine
package import Foundation
package import Model
package import Store

/// What a simulation sees of the shell. Each function is called where the thing happens, on any thread; by default it
/// does nothing.
package struct ShellWatch: Sendable {
    /// The engine takes an input next.
    package var takes: @Sendable (Input) -> Void = { _ in }
    /// The engine has answered an input with effects, which are carried out next.
    package var gives: @Sendable (Input, [Effect]) -> Void = { _, _ in }
    /// A write has ended.
    package var wrote: @Sendable (WriteID, StoreWrite, Result<StoreResult, StoreError>) -> Void = { _, _, _ in }
    /// Lines of a stream were cut into a batch, whose answer is the engine's next input of this request.
    package var cut: @Sendable (FetchID, Data) -> Void = { _, _ in }
    /// A truncation as of a time has ended, with an error or without.
    package var truncated: @Sendable (Date, StoreError?) -> Void = { _, _ in }

    /// Creates one that sees nothing.
    package init() {}
}

/// What a simulation sees of a locator, as by `ShellWatch`.
package struct LocatorWatch: Sendable {
    /// The scheduler has given effects, which are carried out next.
    package var gives: @Sendable ([GeocodeEffect]) -> Void = { _ in }
    /// A batch of look-ups, or a reserved request (durable), was stored.
    package var stored: @Sendable (_ isDurable: Bool) -> Void = { _ in }
    /// A settlement was stored, and located this number of events.
    package var settled: @Sendable (GeocodeSettlement, Int) -> Void = { _, _ in }

    /// Creates one that sees nothing.
    package init() {}
}
