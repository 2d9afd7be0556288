import Foundation
import Model
package import Store
import Telling

private typealias Sample = PrometheusText.Sample

extension TargetState {
    /// The state on one line: `target desk-mail desk@example.org: ok, 1 message waiting`.
    package var words: String {
        let why = trouble.failure.map { ": \($0)" } ?? ""
        let failing = trouble.failingSince.map { "failing since \($0.wholeSeconds)\(why)" }
        let queue = waiting > 0 ? ", \(waiting.counted("message")) waiting" : ""
        return "target \(target): \(trouble.isGone ? "gone\(why)" : failing ?? "ok")\(queue)"
    }
}

extension HealthJudge {
    /// How long a target may fail.
    private static let patience = Duration.seconds(3600)

    /// Whether the targets of messages are told; nil: there are none.
    func telling(_ stored: HealthFacts.Stored) -> Verdict? {
        guard !stored.targets.isEmpty else { return nil }
        let lateFrom = stored.targets.compactMap { $0.trouble.failingSince?.adding(Self.patience) }.min()
        var words = stored.targets.filter { $0.trouble.lasts(Self.patience, at: facts.now) }.map(\.words)
        let expired = stored.targets.reduce(0) { $0 + $1.expired }
        if expired > 0 { words.append("\(expired.counted("message")) expired in the last day") }
        let waiting = stored.targets.reduce(0) { $0 + $1.waiting }
        let all = "\(stored.targets.count.counted("target")), \(waiting.counted("message")) waiting"
        return Verdict(
            .targets, words.isEmpty ? .ok : .warning, words.isEmpty ? all : words.joined(separator: "; "),
            lateFrom: lateFrom)
    }
}

extension HealthReport {
    /// Writes the metrics of the targets; nothing without any.
    func addTargets(of stored: HealthFacts.Stored, to text: inout PrometheusText) {
        // By name, since mail addresses are nobody's business.
        let targets = Dictionary(grouping: stored.targets, by: \.name).sorted { $0.key < $1.key }
        text.gauge(
            "visiventd_deliveries", "Messages to a target and matches that are kept, by what became of them.",
            targets.flatMap { name, states in
                states.reduce(into: [:]) { $0.merge($1.outcomes, uniquingKeysWith: +) }.sorted { $0.key < $1.key }.map {
                    Sample(Double($0.value), ("target", name), ("outcome", $0.key))
                }
            })
        text.gauge(
            "visiventd_target_failing_timestamp_seconds", "Since when a target fails.",
            targets.compactMap { name, all in
                all.compactMap(\.trouble.failingSince).min().map { Sample($0.timeIntervalSince1970, ("target", name)) }
            })
    }
}
