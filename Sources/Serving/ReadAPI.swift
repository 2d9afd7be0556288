public import Foundation
import Model
import Reading
public import Store

/// The reading interface: OGC API Features over a store, without an HTTP library.
public struct ReadAPI: Sendable {
    /// The program's version.
    let program: String
    let facts = CollectionFacts()

    /// Creates the interface; keep one for all requests, since it keeps counts and extents.
    /// - Parameter program: The program's version, part of each ETag.
    public init(program: String) { self.program = program }

    /// Answers a request as a GET. Blocks on the store. Never throws: a fault becomes `application/problem+json`.
    /// - Parameter now: The wall time.
    public func answer(_ request: APIRequest, from store: EventStore, now: Date) -> APIAnswer {
        do {
            return try route(request, from: store, now: now)
        } catch {
            var answer = Problem(error).answer
            answer.fault = error as? StoreError
            return answer
        }
    }

    private func route(_ request: APIRequest, from store: EventStore, now: Date) throws -> APIAnswer {
        guard let segments = request.segments else { throw Problem.missing("the path is not percent-encoded UTF-8") }
        switch segments.first {
        case nil: return try landing(request)
        case "conformance" where segments.count == 1: return try conformance(request)
        case "api" where segments.count == 1: return try document(request)
        case "changes" where segments.count == 1:
            return try changesAnswer(request, from: store)
        case "stream" where segments.count == 1:
            return try streamAnswer(request, now: now)
        case "feed.atom" where segments.count == 1: return try atom(request, from: store, now: now)
        case "events.kml" where segments.count == 1: return try kml(request, from: store, now: now)
        case "network-link.kml" where segments.count == 1: return try networkLink(request)
        case "earthquakes" where segments.dropLast() == USGSSummaryName.folder[...]:
            return try summaryFeed(request, segments[4], from: store, now: now)
        case "fdsnws": return fdsn(request, Array(segments.dropFirst()), from: store, now: now)
        case "summary" where segments.count == 2:
            return try summary(request, segments[1], from: store, now: now)
        case "status" where segments.count == 1: return try status(request, from: store, now: now)
        case "health" where segments.count == 1: return try health(request, from: store, now: now)
        case "metrics" where segments.count == 1: return try metrics(request, from: store, now: now)
        case "collections":
            guard segments.count > 1 else { return try collections(request, from: store, now: now) }
            return try collectionRoute(request, Array(segments.dropFirst()), from: store, now: now)
        default: throw Problem.missing("there is nothing at \(request.path); the start is at /")
        }
    }

    private func collectionRoute(
        _ request: APIRequest, _ segments: [String], from store: EventStore, now: Date
    ) throws -> APIAnswer {
        guard let collection = EventCollection.named(segments[0]) else {
            let known = EventCollection.all.map(\.id).joined(separator: ", ")
            throw Problem.missing("there is no collection \(segments[0]); there are \(known)")
        }
        switch (segments.count, segments.count > 1 ? segments[1] : "", segments.count > 3 ? segments[3] : "") {
        case (1, _, _): return try self.collection(request, collection, from: store, now: now)
        case (2, "schema", _): return try schema(request, collection)
        case (2, "queryables", _): return try queryables(request, collection)
        case (2, "items", _): return try items(request, collection, from: store, now: now)
        case (3, "items", _): return try item(request, collection, segments[2], from: store, now: now)
        case (4, "items", "history"): return try history(request, collection, segments[2], from: store)
        case (4, "items", "sources"): return try sources(request, collection, segments[2], from: store, now: now)
        default: throw Problem.missing("there is nothing at \(request.path)")
        }
    }

    // MARK: - Forms and validators

    /// Takes `f` of a page, else follows `Accept`.
    func pageForm(_ parameters: inout Parameters, _ request: APIRequest) throws(Problem) -> PageForm {
        try parameters.takeWord("f") ?? Negotiation.page(request.headers["accept"])
    }

    /// Takes `f` of a resource that has only JSON, and refuses all other parameters.
    func endJSON(_ parameters: inout Parameters) throws(Problem) {
        if let text = try parameters.take("f", accepted: "json"), text != "json" {
            throw .parameter("f", found: text, accepted: "json")
        }
        try parameters.end()
    }

    /// Makes an answer with an ETag, or 304 without making it if the client has it.
    /// - Parameters:
    ///   - state: The last change, or another word for the state of the data.
    ///   - form: The representation.
    ///   - cacheControl: The field `Cache-Control`; with `no-store` there is no ETag.
    func validated(
        _ request: APIRequest, _ state: String, form: String, cacheControl: String = "no-cache",
        _ make: () throws -> APIAnswer
    ) throws -> APIAnswer {
        if cacheControl == "no-store" {
            return try make().with("cache-control", cacheControl).with("vary", "accept")
        }
        let tag = EntityTag.text(state, [program, form, request.base])
        let isKnown = EntityTag.matches(request.headers["if-none-match"], tag)
        let answer = try isKnown ? APIAnswer(status: 304) : make()
        return answer.with("etag", tag).with("cache-control", cacheControl).with("vary", "accept")
    }

    /// The minutes since 1970, for answers that depend on more than visible changes.
    func minute(_ now: Date) -> Int64 { now.milliseconds / 60_000 }

    /// The state of the data for documents that tell neither sources nor countries: the last change, and the minute
    /// where a condition asks for these, which may come without a change.
    func state(of query: EventQuery, from store: EventStore, now: Date) throws -> String {
        let change = try store.lastChange()
        return query.sources.isEmpty && query.countries.isEmpty ? "\(change)" : "\(change).\(minute(now))"
    }
}
