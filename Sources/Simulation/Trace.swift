import Model

/// Hashes the lines that describe what happens in a simulation, and passes them on to be shown.
final class Trace {
    /// FNV-1a of all lines.
    private(set) var hash = FNV64.basis
    private let show: ((String) -> Void)?

    init(_ show: ((String) -> Void)?) { self.show = show }

    /// Adds a line: milliseconds since the start, a space, the words.
    func note(_ elapsed: Duration, _ words: String) {
        let line = "\(elapsed.milliseconds) \(words)\n"
        hash = FNV64.hash(line.utf8, after: hash)
        show?(line)
    }
}
