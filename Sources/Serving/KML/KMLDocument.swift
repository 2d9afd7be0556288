import Store

/// Writes events as a KML document piece by piece.
struct KMLDocument: PieceWriter {
    private var reader: ItemReader
    private var isBegun = false
    private(set) var isEnded = false

    init(_ query: EventQuery, limit: Int) { reader = ItemReader(query, limit: limit) }

    mutating func next(from store: EventStore) throws -> [UInt8]? {
        guard !isEnded else { return nil }
        var piece: [UInt8] = []
        if !isBegun {
            piece += KMLWriter.head(title: "Events").utf8
            isBegun = true
        }
        for event in try reader.next(atMost: ItemWriter.batch, from: store).events {
            piece += (KMLWriter.placemark(event) + "\n").utf8
        }
        if reader.isDone {
            piece += KMLWriter.tail.utf8
            isEnded = true
        }
        return piece
    }
}
