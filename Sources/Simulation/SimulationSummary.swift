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
    /// Expired events that truncation removed.
    package var truncated = 0
    /// Events lost with the power that never came again.
    package var goneWithPower = 0
    /// Polls that ended, well or not; abandoned ones are not counted.
    package var polls = 0
    /// Requests to sources, each hop of a redirect counted.
    package var requests = 0
    /// Requests among `requests` with validators or a `since_id`.
    package var conditional = 0
    /// Requests to the geocoding service, failed ones included.
    package var questions = 0
    /// Events located by the table or the service.
    package var located = 0
    /// Moments of the past at which the record as known then equals the oracle's memory.
    package var moments = 0
    /// Lives of the daemon beyond the first.
    package var restarts = 0
    /// FNV-1a of all trace lines; of several simulations the exclusive or of theirs.
    package var hash: UInt64 = 0

    /// Creates an empty summary: all figures are 0.
    package init() {}

    /// Adds the figures of another summary; the order does not matter.
    package mutating func add(_ other: SimulationSummary) {
        faults.merge(other.faults, uniquingKeysWith: +)
        let counts = [
            \SimulationSummary.seeds, \.offered, \.stored, \.truncated, \.goneWithPower, \.polls, \.requests,
            \.conditional, \.questions, \.located, \.moments, \.restarts,
        ]
        for count in counts { self[keyPath: count] += other[keyPath: count] }
        hash ^= other.hash
    }

    /// The figures in one line for people, `120 polls, 300 requests (40 conditional), …, trace HASH` (hexadecimal),
    /// without the kinds of faults.
    package var line: String {
        [
            "\(polls) polls", "\(requests) requests (\(conditional) conditional)", "\(offered) events offered",
            "\(stored) stored", "\(truncated) truncated", "\(goneWithPower) gone with the power",
            "\(located) located by \(questions) questions", "\(moments) moments as known then", "\(restarts) restarts",
            "trace \(String(hash, radix: 16))",
        ].joined(separator: ", ")
    }
}
