/// What a simulation without a violation has seen.
package struct SimulationSummary: Sendable, Equatable, Codable {
    /// How often each fault has hit.
    package var faults: [FaultKind: Int] = [:]
    /// Simulations summed up.
    package var seeds = 0
    /// Events that were offered in complete answers.
    package var offered = 0
    /// Events that were stored.
    package var stored = 0
    /// Events that were truncated in their time.
    package var truncated = 0
    /// Events that a loss of power took and that no feed listed any more afterwards.
    package var goneWithPower = 0
    /// Polls that ended.
    package var polls = 0
    /// Requests to sources.
    package var requests = 0
    /// Of these, how many carried validators or a `since_id`.
    package var conditional = 0
    /// Requests to the geocoding service.
    package var questions = 0
    /// Events that were located by table and service.
    package var located = 0
    /// Lives of the daemon beyond the first.
    package var restarts = 0
    /// Hash of everything that happened, in order.
    package var hash: UInt64 = 0

    /// Creates an empty summary.
    package init() {}

    /// Adds another simulation's figures.
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

    /// One line.
    package var line: String {
        [
            "\(polls) polls", "\(requests) requests (\(conditional) conditional)", "\(offered) events offered",
            "\(stored) stored", "\(truncated) truncated", "\(goneWithPower) gone with the power",
            "\(located) located by \(questions) questions", "\(restarts) restarts",
            "trace \(String(hash, radix: 16))",
        ].joined(separator: ", ")
    }
}
