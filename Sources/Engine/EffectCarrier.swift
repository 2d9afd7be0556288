/// Carries out what a machine of values wants done: the effects of `Engine`, or those of `GeocodeScheduler`.
///
/// Each machine has two carriers. One carries its effects out in the running daemon; the other does so in a simulation,
/// on one thread and under a clock of its own. The loop around them has one form: an input is handed to the machine, its
/// effects are carried out in order, and what comes of them is the next input.
public protocol EffectCarrier<Wanted> {
    /// What the machine wants done.
    associatedtype Wanted

    /// Carries an effect out, or begins to; never waits for what comes of it.
    /// - Throws: What ends the loop; no fault of the effect, which is an input.
    mutating func carryOut(_ effect: Wanted) throws
}
