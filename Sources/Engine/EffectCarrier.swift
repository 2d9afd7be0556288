/// Carries out the effects of a state machine: `Engine` or `GeocodeScheduler`.
///
/// Each machine has two carriers: one in the running daemon, one in a simulation, on one thread and a simulated clock.
/// The loop around them is the same: it hands an input to the machine, carries out the effects in order, and takes
/// their results as inputs.
public protocol EffectCarrier<Wanted> {
    /// The effects of the machine.
    associatedtype Wanted

    /// Carries out an effect, or starts it; never waits for the result.
    /// - Throws: An error that ends the loop. A failure of the effect is an input, not an error.
    mutating func carryOut(_ effect: Wanted) throws
}
