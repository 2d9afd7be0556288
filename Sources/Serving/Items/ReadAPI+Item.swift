import Foundation
import Gazetteer
import Model
import Operations
import Presenting
import Reading
import Store

extension ReadAPI {
    /// One item (OGC API Features, Part 1, §7.16), for people as a page.
    func item(_ request: APIRequest, _ collection: EventCollection, _ id: String, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let form = try pageForm(&parameters, request)
        guard !collection.holdsPoints else {
            try parameters.end()
            return point(request, collection, id, form, now: now)
        }
        let asOf = try parameters.take("as_of", accepted: ItemRequest.acceptedMoment)
        try parameters.end()
        let query = parameters.items.isEmpty ? "" : "?" + QueryItem.query(of: parameters.items)
        return present(request, .changeAndMinute(minute(now)), form: "item.\(form.rawValue)") { store in
            guard let asOf else {
                switch try found(id, collection, for: request, from: store) {
                case .moved(let survivor): return (moved(request, collection, survivor, query), nil)
                case .event(let event):
                    let told = try store.explainingMissingPlaces(of: [event]).first ?? event
                    let links = self.links(request, collection, id, form)
                    return (answer(told, form, links), event.event.category)
                }
            }
            let then = try PastMoment(asOf, now: now, from: store)
            guard PublicIDText.isOne(id), let known = try store.event(id, knownAt: then.change),
                collection.contains(known.stored.event)
            else {
                // Says that it has moved, is gone or was never there.
                if case .moved(let survivor) = try found(id, collection, for: request, from: store) {
                    return (moved(request, collection, survivor, query), nil)
                }
                throw Problem.missing("the record of that moment does not have the event \(id)")
            }
            let links = self.links(request, collection, id, form, asOf: asOf)
            return (answer(known.stored, form, links, isExact: known.isExact), known.stored.event.category)
        }
    }

    /// The earlier versions of an event.
    func history(_ request: APIRequest, _ collection: EventCollection, _ id: String) throws -> Reply {
        try part(request, collection, id, "history", .change) { $0.historyJSON }
    }

    /// The sources that show an event or have shown it.
    func sources(_ request: APIRequest, _ collection: EventCollection, _ id: String, now: Date) throws -> Reply {
        try part(request, collection, id, "sources", .changeAndMinute(minute(now))) { $0.sightingsJSON }
    }

    // MARK: - Parts

    private enum Found {
        case event(StoredEvent)
        /// Merged into the event of this public id.
        case moved(String)
    }

    /// The event of a public id; throws 410 for one that is gone and 404 for one that never was in the collection.
    private func found(
        _ id: String, _ collection: EventCollection, for request: APIRequest, from store: EventStore
    ) throws -> Found {
        guard PublicIDText.isOne(id) else { throw try unknown(id, for: request, from: store) }
        if let event = try store.event(publicID: id) {
            if event.publicID != id { return .moved(event.publicID) }
            guard !event.isErased else { throw Problem.gone("the event \(id) was deleted by its provider") }
            guard collection.contains(event.event) else {
                throw Problem.missing("the event \(id) is not one of \(collection.id)")
            }
            return .event(event)
        }
        guard try store.lastChange(of: id) != nil else { throw try unknown(id, for: request, from: store) }
        throw Problem.gone("the event \(id) has been truncated")
    }

    /// The 404 for a text that is no public id. If it is a provider's id, the words lead to the event.
    private func unknown(_ id: String, for request: APIRequest, from store: EventStore) throws -> Problem {
        guard let event = try store.publicIDs(ofUpstreamID: id).first else {
            return .missing("there is no event \(id)")
        }
        return .missing(
            "there is no event \(id) here; that is its provider's id, and the event is at "
                + "\(request.basePath)/collections/events/items/\(event)")
    }

    /// Makes an answer with the ETag of its state; the category says whether it may be kept.
    private func present(
        _ request: APIRequest, _ version: DataVersion, form: String,
        _ make: @escaping @Sendable (EventStore) throws -> (APIAnswer, Model.Category?)
    ) -> Reply {
        validated(request, version, form: form, cacheControl: "private, no-cache") { store, _ in
            let (answer, category) = try make(store)
            return category == .message ? answer.with("cache-control", "no-store") : answer
        }
    }

    private func moved(
        _ request: APIRequest, _ collection: EventCollection, _ survivor: String, _ rest: String
    ) -> APIAnswer {
        let own = "\(request.base)/collections/\(collection.id)/items/"
        return APIAnswer(status: 301).with("location", own + survivor + rest)
    }

    /// The event as a feature, or as a page.
    /// - Parameter isExact: Whether an earlier state is known exactly; nil for the present one.
    private func answer(
        _ stored: StoredEvent, _ form: PageForm, _ links: [Link], isExact: Bool? = nil
    ) -> APIAnswer {
        let around = citiesAround { try stored.citiesAround(in: $0) }
        return switch form {
        case .json: feature(stored.feature(EventProperty.ofFeature, isExact: isExact), around, links)
        case .html: APIAnswer(ItemPage.page(stored, isExact: isExact, around, links), type: MediaType.html)
        }
    }

    /// What the city table tells; nil where there is none, or it cannot be read: an item is answered without it.
    private func citiesAround(_ ask: (MapPlaces) throws -> CitiesAround?) -> CitiesAround? {
        guard let places else { return nil }
        return try? ask(places)
    }

    /// The feature with the cities around it and its links.
    private func feature(_ feature: String, _ around: CitiesAround?, _ links: [Link]) -> APIAnswer {
        let whole = around?.added(to: feature) ?? feature
        return APIAnswer("\(whole.dropLast()),\"links\":\(links.json)}\n", type: MediaType.geoJSON)
    }

    /// The links of an item in a form.
    /// - Parameter asOf: The text of `as_of`; nil: the present state.
    private func links(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, _ form: PageForm, asOf: String? = nil
    ) -> [Link] {
        let own = "\(request.base)/collections/\(collection.id)"
        let item = "\(own)/items/\(id.percentEncoded)"
        let moment = asOf.map { [QueryItem(name: "as_of", value: $0)] } ?? []
        let feature = moment.isEmpty ? item : "\(item)?\(QueryItem.query(of: moment))"
        let page = "\(item)?\(QueryItem.query(of: moment + [QueryItem(name: "f", value: "html")]))"
        let isPage = form == .html
        var links = [
            Link(isPage ? "alternate" : "self", feature, MediaType.geoJSON, "This item as json"),
            Link(isPage ? "self" : "alternate", page, "text/html", "This item as html"),
            Link("collection", own, MediaType.json, collection.title),
        ]
        if !collection.holdsPoints {
            links.append(Link("version-history", item + "/history", MediaType.json, "History"))
            links.append(Link("related", item + "/sources", MediaType.json, "Sources"))
        }
        return links
    }

    private func part(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, _ name: String,
        _ version: DataVersion,
        _ json: @escaping @Sendable (EventDetails) -> String
    ) throws -> Reply {
        try endJSON(request)
        guard !collection.holdsPoints else { throw Problem.missing("\(collection.id) have no \(name)") }
        return present(request, version, form: name) { store in
            if case .moved(let survivor) = try found(id, collection, for: request, from: store) {
                return (moved(request, collection, survivor, "/\(name)"), nil)
            }
            guard let details = try store.details(of: id) else { throw Problem.gone("the event \(id) is gone") }
            let answer = APIAnswer(json: ["id": id, "revision": details.stored.revision, name: .raw(json(details))])
            return (answer, details.stored.event.category)
        }
    }

    private func point(
        _ request: APIRequest, _ collection: EventCollection, _ id: String, _ form: PageForm, now: Date
    ) -> Reply {
        validated(request, .points(minute: minute(now)), form: "item.\(form.rawValue)") { store, _ in
            guard let found = try store.pointsOfInterest().first(where: { $0.key == id }) else {
                throw Problem.missing("there is no volcano \(id)")
            }
            let links = self.links(request, collection, id, form)
            let around = citiesAround { try found.point.citiesAround(in: $0, reportsOf: store, now: now) }
            return switch form {
            case .json: feature(found.point.feature(found.row), around, links)
            case .html: APIAnswer(ItemPage.page(found, around, links), type: MediaType.html)
            }
        }
    }
}
