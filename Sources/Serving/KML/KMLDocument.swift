import Model
import Store

/// Writes events as a KML document.
struct KMLDocument: EventDocument {
    var reader: ItemReader

    init(_ query: EventQuery, limit: Int) { reader = ItemReader(query, limit: limit) }

    func begin(_ piece: inout [UInt8], first: StoredEvent?) { piece += KMLWriter.head(title: "Events").utf8 }

    func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8]) {
        piece += (KMLWriter.placemark(stored) + "\n").utf8
    }

    func end(_ piece: inout [UInt8]) { piece += KMLWriter.tail.utf8 }
}
