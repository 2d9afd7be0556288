import Model
import Store
import Synchronization

/// Writes events as a document, piece by piece. No read transaction lives longer than a piece.
protocol EventDocument: Sendable {
    /// Reads the events.
    var reader: ItemReader { get set }
    /// Appends what stands before the events.
    /// - Parameter first: The first event; nil: there is none.
    mutating func begin(_ piece: inout [UInt8], first: StoredEvent?)
    /// Appends an event.
    /// - Parameter isExact: Whether its state is known exactly; nil for a present one.
    mutating func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8])
    /// Whether the page ends with the events so far, though others follow.
    func isFull(_ store: EventStore) -> Bool
    /// Appends what stands behind the events.
    mutating func end(_ piece: inout [UInt8])
}

/// The size at which a piece of a document ends.
enum PieceSize {
    /// In bytes: 256 KiB. A piece is longer by the events of one look into the database at most, whose texts have 128 KiB,
    /// or one is longer.
    static let bytes = 256 << 10
    /// The bytes of the texts that one look reads.
    static let textBytes = 128 << 10
}

extension EventDocument {
    func isFull(_ store: EventStore) -> Bool { false }

    /// Makes the next piece. It is the last if all events have been read.
    fileprivate mutating func piece(isFirst: Bool, from store: EventStore) throws -> [UInt8] {
        var piece: [UInt8] = []
        if !isFirst { piece.reserveCapacity(PieceSize.bytes + PieceSize.textBytes) }
        var mustBegin = isFirst
        repeat {
            let rows = try reader.next(from: store)
            if mustBegin { begin(&piece, first: rows.events.first) }
            mustBegin = false
            // A loop over the elements would copy each.
            for index in rows.events.indices {
                try store.checkBudget()
                append(rows.events[index], isExact: rows.isExact(at: index), to: &piece)
                if isFull(store), index + 1 < rows.events.count || !reader.isDone {
                    try reader.endPage(after: rows.events[index], from: store)
                    break
                }
            }
        } while piece.count < PieceSize.bytes && !reader.isDone
        if reader.isDone { end(&piece) }
        return piece
    }

    /// The document as a body: whole if it is one piece. The first piece is made at once, so that its error is the
    /// answer.
    mutating func body(from store: EventStore) throws -> APIAnswer.Body {
        let first = try piece(isFirst: true, from: store)
        guard !reader.isDone else { return .whole(first) }
        let begun = Mutex((first: Optional(first), writer: self))
        return .pieces { store in
            try begun.withLock { begun in
                if let first = begun.first.take() { return first }
                return begun.writer.reader.isDone ? nil : try begun.writer.piece(isFirst: false, from: store)
            }
        }
    }
}
