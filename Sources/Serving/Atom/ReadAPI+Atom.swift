import Foundation
import Model
import Store

extension ReadAPI {
    /// The events that have changed last, as an Atom feed. It takes the conditions of items.
    func atom(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        var query = try EventParameters.query(&parameters, in: nil)
        let limit = try parameters.takeLimit(atMost: ItemReader.batch)
        try parameters.end()
        query.order = .latestChangeFirst
        let (asked, items) = (query, parameters.items)
        return validated(request, version(of: asked, now: now), form: "atom", selecting: asked) { store, _ in
            var feed = AtomFeed(asked, limit: limit, program: program, base: request.base, items: items)
            return APIAnswer(headers: [("content-type", MediaType.atom)], body: try feed.body(from: store))
        }
    }
}
