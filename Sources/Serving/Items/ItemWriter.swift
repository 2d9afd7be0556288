import Foundation
import Model
import Presenting
import Reading
import Store

/// What stands around the items of a page.
struct ItemFrame: Sendable {
    /// The number of matching events; nil where counting would cost too much.
    var matched: Int?
    /// The last change before the page was read: what changes afterwards is in `/changes?after=`.
    var change: Int64
    var then: PastMoment?
    var completeness: Completeness?
    /// The links but the one to the next page.
    var links: [Link]

    /// The members of the JSON forms before the items.
    var members: String {
        var writer = JSONWriter()
        writer.add(["numberMatched": matched, "seq": Int(change)])
        if let then, let completeness {
            writer.add([
                "as_of": Int(then.change), "complete": completeness.isWhole, "complete_from": .raw(completeness.json),
            ])
        }
        return String(writer.finish().dropFirst().dropLast())
    }

    /// The fields of the head that tell the state, for the forms without these members.
    var fields: [(name: String, value: String)] {
        var fields = [(name: "seq", value: "\(change)")]
        if let then, let completeness {
            fields.append((name: "as-of", value: "\(then.change)"))
            fields.append((name: "complete", value: "\(completeness.isWhole)"))
        }
        return fields
    }
}

/// Writes a page of events in one of the forms.
struct ItemWriter: EventDocument {
    /// The size of all columns at which their page ends, in bytes: they are one piece. The others are on the next page.
    static let columnBytes = 4 << 20

    private let request: ItemRequest
    private let base: String
    private let frame: ItemFrame
    var reader: ItemReader
    private var columns: ItemColumns
    private var features = JSONWriter()
    private var written = 0

    /// - Parameters:
    ///   - reader: The reader, which may have found events already.
    ///   - base: The address of the service.
    init(_ request: ItemRequest, _ frame: ItemFrame, _ reader: ItemReader, base: String) {
        self.request = request
        self.frame = frame
        self.reader = reader
        self.base = base
        columns = ItemColumns(request.properties ?? [], hasExact: frame.then != nil)
    }

    /// The link to the next page; nil on the last one, and before the last event has been found.
    var nextLink: Link? {
        guard reader.hasFoundAll, reader.hasMore, let cursor = reader.cursor else { return nil }
        var items = request.items.filter { $0.name != "cursor" && $0.name != "as_of" }
        // The past state must be the same on all pages.
        if let then = frame.then { items.append(QueryItem(name: "as_of", value: "\(then.change)")) }
        items.append(QueryItem(name: "cursor", value: cursor.text(in: request.order)))
        let query = QueryItem.query(of: request.form.named(in: items))
        let address = "\(base)/collections/\(request.collection.id)/items?\(query)"
        return Link("next", address, request.form.mediaType, "Next page")
    }

    // MARK: - Forms

    func begin(_ piece: inout [UInt8], first: StoredEvent?) { piece += head.utf8 }

    /// A page that costs too much is shorter, too, where the next one is told behind the items.
    func isFull(_ store: EventStore) -> Bool {
        request.form.tellsNextBehind && (columns.byteCount >= Self.columnBytes || store.isHalfSpent)
    }

    mutating func end(_ piece: inout [UInt8]) {
        if request.form == .columns { columns.move(to: &piece) }
        piece += tail.utf8
    }

    private var head: String {
        switch request.form {
        case .json, .geojson: "{\"type\":\"FeatureCollection\",\(frame.members),\"features\":[\n"
        case .columns: "{\"type\":\"EventColumns\",\(frame.members),"
        case .ndjson, .geojsonseq: ""
        case .csv: csvHead + "\r\n"
        case .html:
            HTMLPage.head(request.collection.title) + "<table>\n"
                + HTMLPage.row(["Time (UTC)", "Category", "Magnitude", "Title", "Place"], "th")
        }
    }

    private var tail: String {
        switch request.form {
        case .json, .geojson: "],\"numberReturned\":\(written),\"links\":\(links.json)}\n"
        case .columns: ",\"numberReturned\":\(written),\"links\":\(links.json)}\n"
        case .ndjson, .geojsonseq, .csv: ""
        case .html: "</table>\n" + HTMLPage.list(links) + HTMLPage.tail
        }
    }

    private var links: [Link] { frame.links + [nextLink].compactMap { $0 } }

    private var csvHead: String {
        let names = request.properties.map { $0.map(\.name).joined(separator: ",") } ?? EventCSV.head
        return frame.then == nil ? names : names + ",exact"
    }

    mutating func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8]) {
        switch request.form {
        case .json, .geojson:
            if written > 0 { piece += ",\n".utf8 }
            append(featureOf: stored, isExact, to: &piece)
        case .geojsonseq:
            piece.append(Self.recordSeparator)
            append(featureOf: stored, isExact, to: &piece)
            piece.append(UInt8(ascii: "\n"))
        case .ndjson:
            piece += (stored.json(request.properties ?? EventProperty.all, isExact: isExact) + "\n").utf8
        case .columns: columns.append(stored, isExact: isExact)
        case .csv:
            if let properties = request.properties {
                piece.append(cells: properties.map { $0.value(of: stored)?.cell })
            } else {
                EventCSV.append(stored, to: &piece)
            }
            if let isExact { piece += ",\(isExact)".utf8 }
            piece += "\r\n".utf8
        case .html: piece += Self.tableRow(stored).utf8
        }
        written += 1
    }

    /// What each text of a sequence begins with (RFC 8142 §2).
    static let recordSeparator: UInt8 = 0x1E

    private mutating func append(featureOf stored: StoredEvent, _ isExact: Bool?, to piece: inout [UInt8]) {
        stored.appendFeature(
            request.properties ?? EventProperty.ofFeature, isExact: isExact, hasGeometry: request.hasGeometry,
            to: &piece, by: &features)
    }

    private static func tableRow(_ stored: StoredEvent) -> String {
        let event = stored.event
        return HTMLPage.row([
            HTMLPage.escaped(event.time?.rfc3339 ?? ""), HTMLPage.escaped(event.category.rawValue),
            HTMLPage.escaped(event.magnitude?.jsonText ?? ""),
            HTMLPage.anchor(event.link ?? "", event.title) + (stored.withdrawal == nil ? "" : " (withdrawn)"),
            HTMLPage.escaped(event.place ?? event.location?.name ?? event.location?.matchedText ?? ""),
        ])
    }
}
