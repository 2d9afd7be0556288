/// A harness that cannot go on: what it was given does not fit together.
package struct SimulationError: Error, CustomStringConvertible {
    /// One sentence.
    package let description: String

    /// Creates an error.
    package init(_ description: String) { self.description = description }
}
