/// The figures of a simulation without a violation, or of several.
package struct SimulationSummary: Sendable, Equatable, Codable {
    /// How often each kind of fault has occurred; a kind that has not is no key.
    package var faults: [FaultKind: Int] = [:]
    /// Number of simulations; 0 in an empty summary, 1 in that of `MonthSimulation.run`.
    package var seeds = 0
    /// Events offered in complete answers, each counted once a simulation.
    package var offered = 0
    /// Events stored, each counted once a simulation.
    package var stored = 0
    /// Expired events that were truncated.
    package var truncated = 0
    /// Events lost with the power that never came again.
    package var goneWithPower = 0
    /// Polls that ended.
    package var polls = 0
    /// Requests to sources.
    package var requests = 0
    /// Requests among them with validators or a `since_id`.
    package var conditional = 0
    /// Requests to the geocoding service.
    package var questions = 0
    /// Events located by the table or the service.
    package var located = 0
    /// Lives of the daemon beyond the first.
    package var restarts = 0
    /// FNV-1a of all trace lines; of several simulations the exclusive or of theirs.
    package var hash: UInt64 = 0

    /// Creates an empty summary: all figures are 0.
    package init() {}

    /// Adds the figures of another summary; the order does not matter.
    package mutating func add(_ other: SimulationSummary) {
        faults.merge(other.faults, uniquingKeysWith: +)
        seeds += other.seeds
        offered += other.offered
        stored += other.stored
        truncated += other.truncated
        goneWithPower += other.goneWithPower
        polls += other.polls
        requests += other.requests
        conditional += other.conditional
        questions += other.questions
        located += other.located
        restarts += other.restarts
        hash ^= other.hash
    }

    /// The figures in one line, without the kinds of faults.
    package var line: String {
        [
            "\(polls) polls", "\(requests) requests (\(conditional) conditional)", "\(offered) events offered",
            "\(stored) stored", "\(truncated) truncated", "\(goneWithPower) gone with the power",
            "\(located) located by \(questions) questions", "\(restarts) restarts",
            "trace \(String(hash, radix: 16))",
        ].joined(separator: ", ")
    }
}
