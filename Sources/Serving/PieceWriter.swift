import Store
import Synchronization

/// Writes a long document piece by piece. No read transaction lives longer than a piece.
protocol PieceWriter: Sendable {
    /// Whether the last piece has been made.
    var isEnded: Bool { get }
    /// Makes the next piece, which may be empty; nil at the end.
    mutating func next(from store: EventStore) throws -> [UInt8]?
}

extension PieceWriter {
    /// The document as a body: whole if it is one piece. The first piece is made at once, so that its error is the
    /// answer.
    func body(from store: EventStore) throws -> APIAnswer.Body {
        var writer = self
        let first = try writer.next(from: store) ?? []
        guard !writer.isEnded else { return .whole(first) }
        let begun = BegunDocument(first: first, writer: writer)
        return .pieces(AnswerPieces { store in try begun.next(from: store) })
    }
}

/// One writer for the calls of a body, which come one after another.
private final class BegunDocument<Writer: PieceWriter>: Sendable {
    private struct State: Sendable {
        var first: [UInt8]?
        var writer: Writer

        mutating func next(from store: EventStore) throws -> [UInt8]? {
            guard let first else { return try writer.next(from: store) }
            self.first = nil
            return first
        }
    }

    private let state: Mutex<State>

    init(first: [UInt8], writer: Writer) { state = Mutex(State(first: first, writer: writer)) }

    func next(from store: EventStore) throws -> [UInt8]? { try state.withLock { try $0.next(from: store) } }
}
