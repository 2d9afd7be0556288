import Foundation
import Model
import Presenting
import Reading
import Store

extension ReadAPI {
    /// The items of a collection (OGC API Features, Part 1, §7.15).
    func items(_ request: APIRequest, _ collection: EventCollection, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let form: ItemForm = try parameters.takeWord("f") ?? Negotiation.items(request.headers["accept"])
        let items = parameters.items
        if collection.holdsPoints {
            let points = try PointItems(&parameters, collection, form: form)
            return validated(request, .points(minute: minute(now)), form: form.rawValue) { store, change in
                try points.answer(
                    from: store, base: request.base, links: links(request, collection, form, items),
                    change: change.number)
            }
        }
        let asked = try ItemRequest(&parameters, collection, form: form)
        // The change is read before the events, so that a follower from this number on misses nothing.
        return validated(
            request, .changeAndMinute(minute(now)), form: form.rawValue, selecting: asked.query
        ) { store, change in
            let links = self.links(request, collection, form, items)
            guard asked.areVersions else {
                return try page(asked, change: change, now: now, links: links, base: request.base, from: store)
            }
            // Versions have one form.
            let own = links.filter { $0.rel != "alternate" }
            return try versions(asked, change: change.number, links: own, from: store)
        }
    }

    /// Messages are people's words, which they may delete, so no cache may keep them.
    static func cacheControl(_ categories: [Model.Category]) -> String {
        if categories.isEmpty { return "private, no-cache" }
        return categories.contains(.message) ? "no-store" : "no-cache"
    }

    private func page(
        _ asked: ItemRequest, change: ChangeMark, now: Date, links: [Link], base: String, from store: EventStore
    ) throws -> APIAnswer {
        let then = try asked.asOf.map { try PastMoment($0, now: now, from: store) }
        let (tells, isWhole) = (asked.cursor == nil && asked.form.tellsMatched, asked.isWhole)
        var reader = ItemReader(asked, knownAt: then?.change, countingTo: tells && !isWhole ? Self.mostCounted : nil)
        try reader.find(from: store)
        var frame = ItemFrame(change: change.number, then: then, links: links)
        if let then { frame.completeness = try Completeness(then, of: asked.query.sources, from: store) }
        if tells {
            frame.matched =
                if !reader.hasMore { reader.found } else if isWhole {
                    try facts.count(of: asked.collection, at: change, from: store)
                } else { reader.matched }
        }
        var writer = ItemWriter(asked, frame, reader, base: base)
        var answer = APIAnswer(headers: [("content-type", asked.form.mediaType)], body: try writer.body(from: store))
        answer.headers += frame.fields
        // A page that goes on may end early.
        if writer.reader.isDone || !asked.form.tellsNextBehind, let next = writer.nextLink {
            answer = answer.with("link", next.field)
        }
        return answer
    }

    /// The most events that are counted for `numberMatched`, unless the collection is whole.
    private static let mostCounted = 10_000

    /// Each version of the events as columns, at most `limit` of them and as many as a page of columns has bytes for.
    private func versions(
        _ asked: ItemRequest, change: Int64, links: [Link], from store: EventStore
    ) throws -> APIAnswer {
        var columns = ItemColumns(asked.properties ?? [], hasExact: true, areVersions: true)
        var query = asked.query
        // One more tells whether there are others.
        query.limit = asked.limit + 1
        var count = 0
        var isCut = false
        try store.forEachVersion(query) { version in
            try store.checkBudget()
            guard count < asked.limit, columns.byteCount < ItemWriter.columnBytes else {
                isCut = true
                return
            }
            columns.append(version)
            count += 1
        }
        let frame = ItemFrame(change: change, links: links)
        var text = Array("{\"type\":\"EventColumns\",\(frame.members),".utf8)
        columns.move(to: &text)
        text += ",\"numberReturned\":\(count),\"truncated\":\(isCut),\"links\":\(links.json)}\n".utf8
        return APIAnswer(headers: [("content-type", MediaType.json)], body: .whole(text))
    }

    private func links(
        _ request: APIRequest, _ collection: EventCollection, _ form: ItemForm, _ items: [QueryItem]
    ) -> [Link] {
        let own = "\(request.base)/collections/\(collection.id)"
        let query = items.isEmpty ? "" : "?" + QueryItem.query(of: items)
        var links = [Link("self", "\(own)/items\(query)", form.mediaType, "This page")]
        let usual = form == .geojson ? ItemForm.json : form
        let forms: [(ItemForm, String)] = [
            (.json, MediaType.geoJSON), (.html, "text/html"), (.csv, "text/csv"), (.ndjson, MediaType.ndjson),
            (.geojsonseq, MediaType.geoJSONSequence),
        ]
        for (other, type) in forms where other != usual {
            let kept = items.filter { $0.name != "f" && ($0.name != "skipGeometry" || other.hasFeatures) }
            let rest = kept + [QueryItem(name: "f", value: other.rawValue)]
            links.append(
                Link("alternate", "\(own)/items?\(QueryItem.query(of: rest))", type, "This page as \(other.rawValue)"))
        }
        links.append(Link("collection", own, MediaType.json, collection.title))
        return links
    }
}

extension ItemRequest {
    /// Whether all present items of the collection match.
    fileprivate var isWhole: Bool {
        var whole = EventQuery()
        whole.categories = collection.categories
        whole.order = query.order
        return asOf == nil && query == whole
    }
}
