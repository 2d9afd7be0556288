import Simulation

/// The summary of a run: how often each fault hit, and its losses.
enum SummaryTable {
    static func text(_ sum: SimulationSummary) -> String {
        let width = FaultKind.allCases.map { $0.rawValue.count }.max() ?? 0
        var lines = FaultKind.allCases.map { kind in
            let pad = String(repeating: " ", count: width - kind.rawValue.count)
            return "\(kind.rawValue)\(pad)  \(sum.faults[kind, default: 0])"
        }
        lines.append(sum.line)
        // Any other value would have failed its seed, and no sum would be printed.
        lines.append(
            "\(sum.seeds) seeds: 0 events lost, 0 doubled, 0 early requests, 0 unconditional requests, "
                + "0 wrongly withdrawn")
        return lines.joined(separator: "\n")
    }
}
