import Foundation
import Model
import Store

extension ReadAPI {
    /// The events that have changed last, as an Atom feed. It takes the conditions of items.
    func atom(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        var query = try EventParameters.query(&parameters, in: nil)
        // The entries of a feed are one read.
        query.limit = try parameters.takeLimit(atMost: ItemWriter.batch)
        try parameters.end()
        query.order = .latestChangeFirst
        let (asked, items) = (query, parameters.items)
        return validated(request, version(of: asked, now: now), form: "atom", selecting: asked) { store, _ in
            let events = try store.events(asked, withErased: false)
            let feed = AtomFeed.document(events, program: program, base: request.base, items: items)
            return APIAnswer(feed, type: MediaType.atom)
        }
    }
}
