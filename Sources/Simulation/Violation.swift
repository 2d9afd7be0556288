/// A promise that a simulation found broken; `docs/dev/architecture.md` numbers the promises.
package struct Violation: Error, Sendable, CustomStringConvertible {
    /// Number of the promise, from 1.
    package let promise: Int
    /// Simulated time since the start.
    package let elapsed: Duration
    /// What happened, for people.
    package let words: String

    package var description: String {
        let seconds = Int(elapsed.components.seconds)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "day \(seconds / 86_400), \(clock.joined(separator: ":")): promise \(promise) is broken: \(words)"
    }
}
