import Foundation

/// A line on standard error that is written over and over; without a terminal there is none.
final class ProgressLine {
    let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = ""

    func show(_ text: String) {
        guard isTerminal, text != shown else { return }
        shown = text
        Terminal.show("\r\u{1B}[K" + text)
    }

    func clear() {
        if !shown.isEmpty { Terminal.show("\r\u{1B}[K") }
        shown = ""
    }
}
