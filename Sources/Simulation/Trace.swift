import Model

/// What happens in a simulation, line by line, as a hash and for those who want to read it.
final class Trace {
    /// FNV-1a of all lines.
    private(set) var hash = FNV64.basis
    private let show: ((String) -> Void)?

    init(_ show: ((String) -> Void)?) { self.show = show }

    /// Adds a line.
    func note(_ elapsed: Duration, _ words: String) {
        let line = "\(elapsed.milliseconds) \(words)\n"
        hash = FNV64.hash(line.utf8, after: hash)
        show?(line)
    }
}
