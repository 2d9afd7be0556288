/// A promise that a simulation found broken; `docs/dev/architecture.md` numbers the promises.
package struct Violation: Error, Sendable, CustomStringConvertible {
    /// Number of the promise, 1 or more.
    package let promise: Int
    /// True time since the start of the simulation.
    package let elapsed: Duration
    /// What happened, for people: the broken promise with the events or sources in question.
    package let words: String

    /// One line: `day 3, 04:05:06: promise 7 is broken: WORDS`; the first day is 0.
    package var description: String {
        let seconds = Int(elapsed.components.seconds)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "day \(seconds / 86_400), \(clock.joined(separator: ":")): promise \(promise) is broken: \(words)"
    }
}
