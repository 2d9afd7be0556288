import Foundation
import Model
import Store

extension ReadAPI {
    /// The events that have changed last, as an Atom feed. It takes the conditions of items.
    func atom(_ request: APIRequest, from store: EventStore, now: Date) throws -> APIAnswer {
        var parameters = try Parameters(request)
        var query = try EventParameters.query(&parameters, in: nil)
        // The entries of a feed are one read.
        query.limit = try parameters.takeLimit(atMost: ItemWriter.batch)
        try parameters.end()
        query.order = .latestChangeFirst
        let state = try self.state(of: query, from: store, now: now)
        return try validated(request, state, form: "atom", cacheControl: Self.cacheControl(query.categories)) {
            let events = try store.events(query, withErased: false)
            let feed = AtomFeed.document(events, program: program, base: request.base, items: parameters.items)
            return APIAnswer(feed, type: MediaType.atom)
        }
    }
}
