/// A fault of the simulation itself, whose parts do not fit together; no fault of the daemon.
package struct SimulationError: Error, CustomStringConvertible {
    /// One sentence for people.
    package let description: String

    /// Creates an error with one sentence for people.
    package init(_ description: String) { self.description = description }
}
