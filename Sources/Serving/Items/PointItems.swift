import Foundation
import Gazetteer
import Model
import Presenting
import Reading
import Store

/// The items of the collection of volcanoes, which are a few thousand and read at once.
struct PointItems: Sendable {
    private let box: BoundingBox?
    private var query = PointQuery()
    private let limit: Int
    private let cursor: String?
    private let properties: [PointOfInterest.Property]?
    private let form: ItemForm
    private let items: [QueryItem]
    private let collection: EventCollection

    /// Reads the parameters of a request; `f` has been chosen before.
    init(_ parameters: inout Parameters, _ collection: EventCollection, form: ItemForm) throws(Problem) {
        guard form != .columns else {
            throw .parameter("f", found: form.rawValue, accepted: "json, geojson, csv, ndjson, html")
        }
        self.form = form
        self.collection = collection
        items = parameters.items
        box = try EventParameters.box(&parameters)
        query.near = try EventParameters.circle(&parameters)
        if let text = try EventParameters.words(&parameters) { query.words = Self.folded(text) }
        // A volcano has no time, so it matches each interval (OGC API Features, Part 1, §7.15.4).
        _ = try EventParameters.interval(&parameters)
        limit = try parameters.takeLimit(atMost: form.mostItems)
        cursor = try parameters.take("cursor")
        properties = try parameters.takeProperties(PointOfInterest.properties.map { ($0.name, $0) })
        try parameters.end()
    }

    /// The words for `PointQuery`: folded as the names are, a `*` at the end of a word kept.
    private static func folded(_ text: String) -> [String] {
        var folded: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            var parts = NameFolding.folded(String(word)).split(separator: " ").map(String.init)
            guard !parts.isEmpty else { continue }
            if word.hasSuffix("*") { parts[parts.count - 1] += "*" }
            folded += parts
        }
        return folded
    }

    /// The page.
    func answer(from store: EventStore, base: String, links: [Link], change: Int64) throws -> APIAnswer {
        let found = try store.pointsOfInterest(query).filter { point in
            box?.contains(point.point.coordinate) ?? true
        }
        var start = 0
        if let cursor {
            guard let index = found.firstIndex(where: { $0.key == cursor }) else {
                throw Problem.parameter(
                    "cursor", found: cursor, accepted: "the cursor of a link to the next page",
                    detail: "no volcano of this query has this cursor, which happens when the volcanoes are seeded "
                        + "anew; begin again without cursor")
            }
            start = index + 1
        }
        let page = found[start..<min(found.count, start + limit)]
        var links = links
        if start + limit < found.count, let last = page.last {
            var items = items.filter { $0.name != "cursor" }
            items.append(QueryItem(name: "cursor", value: last.key))
            links.append(
                Link(
                    rel: "next",
                    href: "\(base)/collections/\(collection.id)/items?\(QueryItem.query(of: items))",
                    type: form.mediaType, title: "Next page"))
        }
        let frame = ItemFrame(matched: found.count, change: change, links: links)
        var answer = APIAnswer(body(Array(page), frame), type: form.mediaType)
        answer.headers += frame.fields
        if let next = links.last, next.rel == "next" { answer = answer.with("link", next.field) }
        return answer
    }

    private func body(_ page: [StoredPoint], _ frame: ItemFrame) -> String {
        switch form {
        case .json, .geojson, .columns:
            let chosen = properties ?? PointOfInterest.featureProperties
            let features = page.map { $0.point.feature($0.row, chosen) }.joined(separator: ",\n")
            return "{\"type\":\"FeatureCollection\",\(frame.members),\"features\":[\n\(features)],"
                + "\"numberReturned\":\(page.count),\"links\":\(frame.links.json)}\n"
        case .ndjson:
            return page.map { $0.point.json($0.row, properties ?? PointOfInterest.properties) + "\n" }.joined()
        case .csv:
            let chosen = properties ?? PointOfInterest.properties
            var text = Array((chosen.map(\.name).joined(separator: ",") + "\r\n").utf8)
            for point in page {
                text.append(cells: chosen.map { $0.value(of: point.point, point.row)?.cell })
                text += "\r\n".utf8
            }
            return String(decoding: text, as: UTF8.self)
        case .html:
            let rows = page.map { point in
                HTMLPage.row([
                    HTMLPage.escaped(point.point.name), HTMLPage.escaped(point.point.country ?? ""),
                    HTMLPage.escaped(point.point.coordinate.latitude.jsonText),
                    HTMLPage.escaped(point.point.coordinate.longitude.jsonText),
                    HTMLPage.anchor(point.point.webcam ?? "", point.point.webcam ?? ""),
                ])
            }
            let table = HTMLPage.row(["Name", "Country", "Latitude", "Longitude", "Webcam"], "th") + rows.joined()
            return HTMLPage.page(collection.title, "<table>\n\(table)</table>\n" + HTMLPage.list(frame.links))
        }
    }
}

extension StoredPoint {
    /// What the outer forms say besides the place.
    var row: PointOfInterest.Row { PointOfInterest.Row(key: key, seeded: seeded, kilometres: kilometres) }
}
