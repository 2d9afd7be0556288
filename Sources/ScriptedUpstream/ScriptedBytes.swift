import FlyingSocks
import Foundation

/// A body that can be sent in pieces, with pauses, and end badly.
///
/// The server first writes the header with the declared length. It closes the connection when the sequence throws,
/// which truncates the body.
struct ScriptedBytes: AsyncBufferedSequence {
    typealias Element = UInt8

    /// What follows the last byte.
    enum Ending: Sendable {
        case complete
        case cut
        case silence
    }

    private struct Cut: Error {}

    let data: Data
    let pieceBytes: Int
    let pause: Duration?
    let ending: Ending

    init(_ data: Data, pieceBytes: Int = 65_536, pause: Duration? = nil, ending: Ending = .complete) {
        self.data = data
        self.pieceBytes = pieceBytes
        self.pause = pause
        self.ending = ending
    }

    func makeAsyncIterator() -> Iterator { Iterator(script: self) }

    /// Hands out the pieces in turn.
    struct Iterator: AsyncBufferedIteratorProtocol {
        let script: ScriptedBytes
        private var sent = 0

        init(script: ScriptedBytes) { self.script = script }

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            let rest = script.data.dropFirst(sent)
            guard !rest.isEmpty else {
                switch script.ending {
                case .complete: return nil
                case .cut: throw Cut()
                case .silence:
                    try await Task.sleep(for: .untilStopped)
                    return nil
                }
            }
            if let pause = script.pause, sent > 0 { try await Task.sleep(for: pause) }
            let piece = [UInt8](rest.prefix(Swift.min(count, script.pieceBytes)))
            sent += piece.count
            return piece
        }
    }
}

extension Duration {
    /// Longer than any test; stopping the upstream cancels the sleep.
    static let untilStopped = Duration.seconds(86_400)
}
