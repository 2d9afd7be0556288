import Foundation
import Model
import Reading
import Store

/// Writes events as an Atom feed (RFC 4287) with points in GeoRSS Simple (OGC 17-002r1). A withdrawn event is a deleted
/// entry (RFC 6721).
struct AtomFeed: EventDocument {
    var reader: ItemReader
    private let program: String
    private let base: String
    private let items: [QueryItem]

    /// - Parameters:
    ///   - query: Selects the events, the latest change first.
    ///   - limit: The most entries; as many as a batch of the reader at most, since it goes on by the order of times.
    ///   - program: The program's version.
    ///   - base: The address of the service.
    ///   - items: The parameters of the request.
    init(_ query: EventQuery, limit: Int, program: String, base: String, items: [QueryItem]) {
        reader = ItemReader(query, limit: limit)
        self.program = program
        self.base = base
        self.items = items
    }

    func begin(_ piece: inout [UInt8], first: StoredEvent?) {
        let query = items.isEmpty ? "" : "?" + QueryItem.query(of: items)
        let own = XMLText.escaped("\(base)/feed.atom\(query)")
        let pageQuery = QueryItem.query(of: items + [QueryItem(name: "f", value: "html")])
        let page = XMLText.escaped("\(base)/collections/events/items?\(pageQuery)")
        let filters = items.filter { $0.name != "limit" }.map { "\($0.name)=\($0.value)" }
        let title = XMLText.element("title", filters.isEmpty ? "Events" : "Events: \(filters.joined(separator: ", "))")
        // A feed needs a date also when it is empty.
        let updated = first?.lastChanged ?? Date(milliseconds: 0)
        var text = XMLText.declaration
        text += "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:georss=\"http://www.georss.org/georss\""
        text += " xmlns:at=\"http://purl.org/atompub/tombstones/1.0\">\n"
        text += "<id>\(own)</id>\(title)<updated>\(updated.timestamp)</updated>\n"
        text += "<author><name>visiventd</name></author>"
        text += "<generator version=\"\(XMLText.escaped(program))\">visiventd</generator>\n"
        text += "<link rel=\"self\" type=\"\(MediaType.atom)\" href=\"\(own)\"/>"
        text += "<link rel=\"alternate\" type=\"text/html\" href=\"\(page)\"/>\n"
        piece += text.utf8
    }

    func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8]) {
        piece += (stored.withdrawal == nil ? Self.entry(stored, base: base) : Self.deleted(stored)).utf8
        piece.append(UInt8(ascii: "\n"))
    }

    func end(_ piece: inout [UInt8]) { piece += "</feed>\n".utf8 }

    /// The element `entry` of an event (RFC 4287 §4.1.2).
    private static func entry(_ stored: StoredEvent, base: String) -> String {
        let event = stored.event
        var text = "<entry>" + XMLText.element("id", id(stored)) + XMLText.element("title", event.title)
        text += XMLText.element("updated", stored.lastChanged.timestamp)
        text += XMLText.element("published", (event.time ?? stored.firstSeen).timestamp)
        text += "<author>" + XMLText.element("name", event.author?.name ?? event.provider)
        text += XMLText.element("uri", XMLText.webAddress(event.author?.link)) + "</author>"
        // An entry without content needs an alternate link (§4.1.2).
        if let page = XMLText.webAddress(event.link) {
            text += "<link rel=\"alternate\" href=\"\(XMLText.escaped(page))\"/>"
        } else {
            let item = XMLText.escaped("\(base)/collections/events/items/\(stored.publicID)?f=html")
            text += "<link rel=\"alternate\" type=\"text/html\" href=\"\(item)\"/>"
        }
        text += "<category term=\"\(XMLText.escaped(event.category.rawValue))\"/>"
        text += XMLText.element("summary", event.summary)
        if let point = event.location?.coordinate {
            text += "<georss:point>\(point.latitude.jsonText) \(point.longitude.jsonText)</georss:point>"
            // Metres, upwards.
            if let depth = event.depth { text += "<georss:elev>\((depth * -1000).rounded().jsonText)</georss:elev>" }
        }
        return text + "</entry>"
    }

    /// The element `deleted-entry` of a withdrawn event (RFC 6721 §3).
    private static func deleted(_ stored: StoredEvent) -> String {
        let reference = "<at:deleted-entry ref=\"\(id(stored))\" when=\"\(stored.lastChanged.timestamp)\">"
        return reference + XMLText.element("at:comment", stored.withdrawal?.evidence) + "</at:deleted-entry>"
    }

    /// The identity of an event, whatever the address of the service.
    private static func id(_ stored: StoredEvent) -> String { "urn:visiventd:event:\(stored.publicID)" }
}
