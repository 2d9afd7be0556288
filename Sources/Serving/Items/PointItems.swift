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
    private let hasGeometry: Bool
    private let items: [QueryItem]
    private let collection: EventCollection

    /// Reads the parameters of a request; `f` has been chosen before.
    init(_ parameters: inout Parameters, _ collection: EventCollection, form: ItemForm) throws(Problem) {
        guard form != .columns else {
            throw .parameter("f", found: form.rawValue, accepted: "json, geojson, csv, ndjson, geojsonseq, html")
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
        hasGeometry = try !parameters.takeSkipGeometry(in: form)
        try parameters.end()
    }

    /// The words for `PointQuery`: folded as the names are, a `*` at the end of a word kept.
    private static func folded(_ text: String) -> [String] {
        var folded: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            var parts = NameFolding.folded(String(word)).split(separator: " ").map(String.init)
            // No name has an emoji.
            if parts.isEmpty, SearchText.hasWord(word) { parts = [String(word)] }
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
            let query = QueryItem.query(of: form.named(in: items))
            let address = "\(base)/collections/\(collection.id)/items?\(query)"
            links.append(Link("next", address, form.mediaType, "Next page"))
        }
        let frame = ItemFrame(matched: found.count, change: change, links: links)
        let text = try body(Array(page), frame, from: store)
        var answer = APIAnswer(headers: [("content-type", form.mediaType)], body: .whole(text))
        answer.headers += frame.fields
        if let next = links.last, next.rel == "next" { answer = answer.with("link", next.field) }
        return answer
    }

    private func body(_ page: [StoredPoint], _ frame: ItemFrame, from store: EventStore) throws -> [UInt8] {
        var text: [UInt8] = []
        func each(_ append: (StoredPoint) -> Void) throws {
            for point in page {
                try store.checkBudget()
                append(point)
            }
        }
        switch form {
        case .json, .geojson, .columns:
            let chosen = properties ?? PointOfInterest.featureProperties
            text += "{\"type\":\"FeatureCollection\",\(frame.members),\"features\":[\n".utf8
            var isFirst = true
            try each { point in
                if !isFirst { text += ",\n".utf8 }
                isFirst = false
                text += point.point.feature(point.row, chosen, hasGeometry: hasGeometry).utf8
            }
            text += "],\"numberReturned\":\(page.count),\"links\":\(frame.links.json)}\n".utf8
        case .geojsonseq:
            let chosen = properties ?? PointOfInterest.featureProperties
            try each { point in
                text.append(ItemWriter.recordSeparator)
                text += (point.point.feature(point.row, chosen, hasGeometry: hasGeometry) + "\n").utf8
            }
        case .ndjson:
            try each { text += ($0.point.json($0.row, properties ?? PointOfInterest.properties) + "\n").utf8 }
        case .csv:
            let chosen = properties ?? PointOfInterest.properties
            text += (chosen.map(\.name).joined(separator: ",") + "\r\n").utf8
            try each { point in
                text.append(cells: chosen.map { $0.value(of: point.point, point.row)?.cell })
                text += "\r\n".utf8
            }
        case .html:
            let head = HTMLPage.row(["Name", "Country", "Latitude", "Longitude", "Webcam"], "th")
            text += (HTMLPage.head(collection.title) + "<table>\n" + head).utf8
            try each { point in
                text +=
                    HTMLPage.row([
                        HTMLPage.escaped(point.point.name), HTMLPage.escaped(point.point.country ?? ""),
                        HTMLPage.escaped(point.point.coordinate.latitude.jsonText),
                        HTMLPage.escaped(point.point.coordinate.longitude.jsonText),
                        HTMLPage.anchor(point.point.webcam ?? "", point.point.webcam ?? ""),
                    ]).utf8
            }
            text += ("</table>\n" + HTMLPage.list(frame.links) + HTMLPage.tail).utf8
        }
        return text
    }
}

extension StoredPoint {
    /// What the outer forms say besides the place.
    var row: PointOfInterest.Row { PointOfInterest.Row(key: key, seeded: seeded, kilometres: kilometres) }
}
