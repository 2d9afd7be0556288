import Foundation
import Model
import Store

/// Writes the events of an answer.
struct FDSNWriter: EventDocument {
    private let request: FDSNRequest
    private let base: String
    /// The minute of the answer.
    private let generated: Date
    var reader: ItemReader
    private var count = 0
    /// Whether the answer is one feature and no collection, as at USGS for an event that is asked for by its id.
    private var isOneFeature: Bool

    /// Finds the first events; nil: nothing matches.
    ///
    /// Throws 413 if more than `most` events match, unless `limit` is low enough.
    init?(
        _ request: FDSNRequest, base: String, generated: Date, from store: EventStore,
        atMost most: Int = FDSNRequest.mostEvents
    ) throws {
        guard let query = try request.matching(in: store) else { return nil }
        var cursor: ItemCursor?
        if request.skipped > 0 {
            guard let place = try store.key(after: request.skipped - 1, of: query) else { return nil }
            cursor = ItemCursor(key: place.key, magnitude: request.order.isByMagnitude ? place.magnitude : nil)
        }
        var reader = ItemReader(query, in: request.order, after: cursor, atMost: min(request.limit ?? most, most))
        try reader.find(from: store)
        guard reader.found > 0 else { return nil }
        if reader.hasMore, (request.limit ?? .max) > most,
            try store.count(query, atMost: request.skipped + most) == nil
        {
            throw Problem.tooMuch(
                "more than \(most) events match, which is the most of an answer; ask for a shorter time, or for parts "
                    + "by limit and offset")
        }
        self.request = request
        self.base = base
        self.generated = generated
        self.reader = reader
        isOneFeature =
            request.format == .geojson && request.eventID != nil && reader.found == 1 && !reader.hasMore
            && request.skipped == 0
    }

    // MARK: - Forms

    mutating func begin(_ piece: inout [UInt8], first: StoredEvent?) {
        // It may have gone since it was found.
        if first == nil { isOneFeature = false }
        piece += head.utf8
    }

    func end(_ piece: inout [UInt8]) { piece += tail.utf8 }

    private var head: String {
        switch request.format {
        case .xml: QuakeML.head
        case .text: FDSNText.head + "\n"
        case .geojson: isOneFeature ? "" : "{\"type\":\"FeatureCollection\",\"features\":[\n"
        case .csv: USGSCSV.head + "\r\n"
        case .kml: KMLWriter.head(title: "Earthquakes")
        }
    }

    mutating func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8]) {
        let feature = USGSFeature(stored)
        switch request.format {
        case .xml: piece += (QuakeML.event(feature) + "\n").utf8
        case .text: piece += (FDSNText.line(feature) + "\n").utf8
        case .geojson:
            if count > 0 { piece += ",\n".utf8 }
            piece += feature.json(base: base).utf8
        case .csv:
            USGSCSV.append(feature, to: &piece)
            piece += "\r\n".utf8
        case .kml: piece += (KMLWriter.placemark(feature.stored) + "\n").utf8
        }
        count += 1
    }

    private var tail: String {
        switch request.format {
        case .xml: QuakeML.tail
        case .text, .csv: ""
        case .kml: KMLWriter.tail
        case .geojson: isOneFeature ? "\n" : "],\"metadata\":\(metadata)}\n"
        }
    }

    /// What USGS says of a collection. It stands behind the features, since their number is known only then.
    private var metadata: String {
        let query = request.items.isEmpty ? "" : "?" + QueryItem.query(of: request.items)
        let url = "\(base)\(FDSNService.path)query\(query)"
        let version = FDSNService.version
        return USGSMetadata(generated: generated, url: url, title: "Earthquakes", api: version).json(count: count)
    }
}
