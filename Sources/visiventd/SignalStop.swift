import Dispatch
import Foundation

/// Ends the program on SIGINT, SIGTERM and SIGHUP, after it has tidied up.
struct SignalStop {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let sources: [any DispatchSourceSignal]

    /// - Parameter tidy: Removes what would be left half done, and says in words how things stand.
    init(_ tidy: @escaping @Sendable () -> String) {
        sources = Self.signals.map { number in
            // The source sees signals that are ignored otherwise.
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

    /// Gives the signals back.
    func end() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
