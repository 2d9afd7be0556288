import Foundation
import Gazetteer
import Model

/// Shows the progress of a seeding on standard error: a bar on a terminal, else a line every five seconds.
final class SeedProgressLine {
    private let names: [String]
    private let line = ProgressLine()
    private let begun = ContinuousClock.now
    private var shown: ContinuousClock.Instant
    private var phase: SeedProgress.Phase?
    private var phaseBegan = ContinuousClock.now

    /// - Parameter names: The names of the inputs.
    init(names: [String]) {
        self.names = names
        shown = begun
    }

    /// Shows the progress, unless it was shown a moment ago.
    func show(_ progress: SeedProgress) {
        let now = ContinuousClock.now
        let isNew = progress.phase != phase
        if isNew {
            phase = progress.phase
            phaseBegan = now
        }
        guard isNew || now - shown >= (line.isTerminal ? .milliseconds(100) : .seconds(5)) else { return }
        shown = now
        let text = Terminal.safe(words(progress, after: (now - phaseBegan).seconds))
        if line.isTerminal {
            line.show(String(text.prefix(max(20, (Terminal.width(of: STDERR_FILENO) ?? 80) - 1))))
        } else {
            Terminal.show(text + "\n")
        }
    }

    /// Removes the bar.
    func clear() { line.clear() }

    private func words(_ progress: SeedProgress, after seconds: Double) -> String {
        switch progress.phase {
        case .carryingOver: return "carrying over what the table has"
        case .indexing: return "building the indexes"
        case .finishing: return "writing the table to the disk"
        case .reading(let number):
            let name = names[number].split(separator: "/").last.map { String($0) } ?? names[number]
            guard progress.rows > 0, seconds > 0 else { return "reading \(name)" }
            let rate = "\(progress.rows) rows, \(Int(clamping: Double(progress.rows) / seconds))/s"
            guard let total = progress.totalBytes, total > 0 else {
                return "reading \(name): \(rate), \(progress.wireBytes.asSize())"
            }
            let share = min(1, Double(progress.wireBytes) / Double(total))
            let left = share > 0 ? Int(clamping: (seconds / share - seconds).rounded(.up)) : 0
            let filled = Int(clamping: (share * 24).rounded())
            let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled)
            return "\(name) [\(bar)] \(Int(clamping: share * 100)) %, \(rate), \(left) s left"
        }
    }
}
