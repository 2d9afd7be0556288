import Dispatch
import Foundation

/// Ends the program on SIGINT, SIGTERM and SIGHUP, after cleaning up.
struct SignalStop {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let sources: [any DispatchSourceSignal]

    /// - Parameter tidy: Removes unfinished work and returns the message about it.
    init(_ tidy: @escaping @Sendable () -> String) {
        sources = Self.signals.map { number in
            // The dispatch source receives signals even while they are ignored.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Terminal.show("\n")
                Terminal.printError("visiventd: \(tidy())")
                _exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Restores the default actions of the signals.
    func end() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
