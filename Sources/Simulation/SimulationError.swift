/// A fault of the simulation itself, whose parts do not fit together; no fault of the daemon.
package struct SimulationError: Error, CustomStringConvertible {
    /// One sentence for people, without a full stop: which parts do not fit together.
    package let description: String

    /// Creates an error with one sentence for people: which parts do not fit together.
    package init(_ description: String) { self.description = description }
}
