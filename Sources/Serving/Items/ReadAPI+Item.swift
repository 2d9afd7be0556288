import Foundation
import Model
import Presenting
import Reading
import Store

extension ReadAPI {
    /// One item (OGC API Features, Part 1, §7.16).
    func item(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, from store: EventStore, now: Date
    ) throws -> APIAnswer {
        var parameters = try Parameters(request)
        guard !collection.holdsPoints else {
            try endJSON(&parameters)
            return try point(request, collection, id, from: store, now: now)
        }
        let asOf = try parameters.take("as_of", accepted: ItemRequest.acceptedMoment)
        try endJSON(&parameters)
        return try present(request, "\(try store.lastChange()).\(minute(now))", form: "item") {
            guard let asOf else {
                switch try found(id, collection, from: store) {
                case .moved(let survivor): return (moved(request, collection, survivor, ""), nil)
                case .event(let event):
                    return (feature(request, collection, event.feature, id), event.event.category)
                }
            }
            let then = try PastMoment(asOf, from: store)
            guard PublicIDText.isOne(id), let known = try store.event(id, knownAt: then.change),
                !known.stored.isErased, collection.contains(known.stored.event)
            else {
                // Says that it has moved, is gone or was never there.
                if case .moved(let survivor) = try found(id, collection, from: store) {
                    let query = "?" + QueryItem.query(of: parameters.items)
                    return (moved(request, collection, survivor, query), nil)
                }
                throw Problem.missing("the event \(id) was not known at that moment")
            }
            let text = known.stored.feature(EventProperty.ofFeature, isExact: known.isExact)
            return (feature(request, collection, text, id), known.stored.event.category)
        }
    }

    /// The earlier versions of an event.
    func history(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, from store: EventStore
    ) throws -> APIAnswer {
        try part(request, collection, id, "history", from: store, state: "\(try store.lastChange())") { $0.historyJSON }
    }

    /// The sources that show an event or have shown it.
    func sources(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, from store: EventStore, now: Date
    ) throws -> APIAnswer {
        let state = "\(try store.lastChange()).\(minute(now))"
        return try part(request, collection, id, "sources", from: store, state: state) { $0.sightingsJSON }
    }

    // MARK: - Parts

    private enum Found {
        case event(StoredEvent)
        /// Merged into the event of this public id.
        case moved(String)
    }

    /// The event of a public id; throws 410 for one that is gone and 404 for one that never was in the collection.
    private func found(_ id: String, _ collection: EventCollection, from store: EventStore) throws -> Found {
        guard PublicIDText.isOne(id) else { throw Problem.missing("there is no event \(id)") }
        if let event = try store.event(publicID: id) {
            if event.publicID != id { return .moved(event.publicID) }
            guard !event.isErased else { throw Problem.gone("the event \(id) was deleted by its provider") }
            guard collection.contains(event.event) else {
                throw Problem.missing("the event \(id) is not one of \(collection.id)")
            }
            return .event(event)
        }
        guard try store.lastChange(of: id) != nil else { throw Problem.missing("there is no event \(id)") }
        throw Problem.gone("the event \(id) has been truncated")
    }

    /// Makes an answer with the ETag of this state; the category says whether it may be kept.
    private func present(
        _ request: APIRequest, _ state: String, form: String, _ make: () throws -> (APIAnswer, Model.Category?)
    ) throws -> APIAnswer {
        var category: Model.Category?
        let answer = try validated(request, state, form: form, cacheControl: "private, no-cache") {
            let (answer, found) = try make()
            category = found
            return answer
        }
        guard category == .message else { return answer }
        var kept = answer
        kept.headers.removeAll { $0.name == "etag" || $0.name == "cache-control" }
        return kept.with("cache-control", "no-store")
    }

    private func moved(
        _ request: APIRequest, _ collection: EventCollection, _ survivor: String, _ rest: String
    ) -> APIAnswer {
        let own = "\(request.base)/collections/\(collection.id)/items/"
        return APIAnswer(status: 301).with("location", own + survivor + rest)
    }

    /// The feature with its links.
    private func feature(
        _ request: APIRequest, _ collection: EventCollection, _ feature: String, _ id: String
    ) -> APIAnswer {
        let own = "\(request.base)/collections/\(collection.id)"
        let item = "\(own)/items/\(id.percentEncoded)"
        var links = [
            Link(rel: "self", href: item, type: MediaType.geoJSON, title: "This item"),
            Link(rel: "collection", href: own, type: MediaType.json, title: collection.title),
        ]
        if !collection.holdsPoints {
            links.append(Link(rel: "version-history", href: item + "/history", type: MediaType.json, title: "History"))
            links.append(Link(rel: "related", href: item + "/sources", type: MediaType.json, title: "Sources"))
        }
        return APIAnswer("\(feature.dropLast()),\"links\":\(links.json)}\n", type: MediaType.geoJSON)
    }

    private func part(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, _ name: String, from store: EventStore,
        state: String, _ json: (EventDetails) -> String
    ) throws -> APIAnswer {
        var parameters = try Parameters(request)
        try endJSON(&parameters)
        guard !collection.holdsPoints else { throw Problem.missing("\(collection.id) have no \(name)") }
        return try present(request, state, form: name) {
            if case .moved(let survivor) = try found(id, collection, from: store) {
                return (moved(request, collection, survivor, "/\(name)"), nil)
            }
            guard let details = try store.details(of: id) else { throw Problem.gone("the event \(id) is gone") }
            var writer = JSONWriter()
            writer.member("id", id)
            writer.member("revision", details.stored.revision)
            writer.member(name, raw: json(details))
            return (APIAnswer(writer.finish() + "\n", type: MediaType.json), details.stored.event.category)
        }
    }

    private func point(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, from store: EventStore, now: Date
    ) throws -> APIAnswer {
        try validated(request, "points.\(minute(now))", form: "item") {
            guard let found = try store.pointsOfInterest().first(where: { $0.key == id }) else {
                throw Problem.missing("there is no volcano \(id)")
            }
            return feature(request, collection, found.point.feature(found.row), id)
        }
    }
}
