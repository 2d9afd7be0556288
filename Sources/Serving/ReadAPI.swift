public import Foundation
import Gazetteer
public import Model
import Operations
public import Pictures
import Reading
import Settings
public import Store

/// The reading interface: OGC API Features over a store, without an HTTP library.
public struct ReadAPI: Sendable {
    /// The program's version.
    let program: String
    let facts = CollectionFacts()
    /// The page's files and what belongs to them.
    let map: MapPage

    /// The kept pictures; nil: there are none.
    let pictures: PictureStore?
    /// The cities for the map; nil: there is no city table.
    let places: MapPlaces?
    /// Finds places by their names.
    let namedPlaces: NamedPlaces

    /// What filters may name beside what the database knows.
    private let names: KnownNames
    let configurationAccess: ConfigurationAccess
    /// The requests that were answered, for `/metrics`.
    let requests: RequestCounts
    /// The targets of messages that health and metrics speak of, by id.
    let targets: [String]

    /// Creates the interface; keep one for all requests, since it keeps counts and extents.
    /// - Parameters:
    ///   - program: The program's version, part of each ETag.
    ///   - feeds: The configured sources, whose names are known before they have events; none by default.
    ///   - map: The map page; by default without files.
    ///   - configuration: Whether `/configuration` shows a file; by default it does not.
    ///   - cityTable: Path of the city table, which need not exist; nil, the default: there is none.
    ///   - pictures: The kept pictures, whose file need not exist; nil, the default: there are none.
    ///   - requests: The requests that were answered, for `/metrics`; by default none are counted.
    ///   - targets: The targets of messages that `/health` and `/metrics` speak of, by id; none by default.
    public init(
        program: String, feeds: [SourceSettings] = [], map: MapPage = MapPage(),
        configuration: ConfigurationAccess = .hidden("there is none"), cityTable: String? = nil,
        pictures: PictureStore? = nil, requests: RequestCounts = RequestCounts(), targets: [String] = []
    ) {
        self.targets = targets
        self.requests = requests
        self.program = program
        self.map = map
        self.pictures = pictures
        places = cityTable.map { MapPlaces(path: $0) }
        namedPlaces = NamedPlaces(cityTable: cityTable)
        names = KnownNames(configured: feeds)
        configurationAccess = configuration
    }

    /// Refuses a query for a source, category or provider that nothing knows, as the command line does: it would match
    /// nothing. Throws `KnownNames.Unknown`, `StoreError`.
    func checkNames(of query: EventQuery, in store: EventStore) throws {
        try names.check(
            sources: query.sources, categories: query.categories, providers: query.providers, in: store)
    }

    /// What is to be done for an answer.
    public enum Preparation: Sendable {
        /// Nothing: the answer needs no database.
        case answer(APIAnswer)
        /// A read, which blocks on the store and never throws.
        case read(@Sendable (EventStore) -> APIAnswer)
    }

    /// Prepares the answer to a request, which is taken for a GET. A fault becomes `application/problem+json`.
    ///
    /// What the program alone tells, a refused request, and 304 for what has not changed since the change that the
    /// request names need no database.
    /// - Parameter now: The wall time.
    public func prepare(_ request: APIRequest, now: Date) -> Preparation {
        switch Result(catching: { try routed(request, now: now) }) {
        case .success(.answer(let answer)): .answer(answer.compressed(for: request))
        case .success(.read(let read)):
            .read { store in
                do {
                    return try read(store).compressed(for: request)
                } catch {
                    return Problem(error).answer(for: error)
                }
            }
        case .failure(let error): .answer(Problem(error).answer)
        }
    }

    /// Answers a request as `prepare`, and blocks on the store if it has to be read.
    public func answer(_ request: APIRequest, from store: EventStore, now: Date) -> APIAnswer {
        switch prepare(request, now: now) {
        case .answer(let answer): answer
        case .read(let read): read(store)
        }
    }

    /// An answer, or how it is read.
    enum Reply: Sendable {
        case answer(APIAnswer)
        case read(@Sendable (EventStore) throws -> APIAnswer)
    }

    func route(_ request: APIRequest, now: Date) throws -> Reply {
        guard request.isBelowBase else { return .answer(try outside(request)) }
        guard let segments = request.segments else { throw Problem.missing("the path is not percent-encoded UTF-8") }
        switch segments.first {
        case nil: return .answer(try landing(request))
        case "conformance" where segments.count == 1: return .answer(try conformance(request))
        case "api" where segments.count == 1: return .answer(try document(request))
        case "changes" where segments.count == 1: return try changesAnswer(request)
        case "stream" where segments.count == 1: return try streamAnswer(request, now: now)
        case "feed.atom" where segments.count == 1: return try atom(request, now: now)
        case "events.kml" where segments.count == 1: return try kml(request, now: now)
        case "network-link.kml" where segments.count == 1:
            return .read { store in try networkLink(request, from: store) }
        case "earthquakes" where segments.dropLast() == USGSSummaryName.folder[...]:
            return try summaryFeed(request, segments[4], now: now)
        case "fdsnws": return fdsn(request, Array(segments.dropFirst()), now: now)
        case "summary" where segments.count == 2: return try summary(request, segments[1], now: now)
        case "status" where segments.count == 1: return try status(request, now: now)
        case "health" where segments.count == 1: return try health(request, now: now)
        case "metrics" where segments.count == 1: return try metrics(request, now: now)
        case "pictures" where segments.count == 2: return try picture(request, segments[1])
        case "page": return try pageRoute(request, Array(segments.dropFirst()), now: now)
        case "configuration" where segments.count == 1: return try configuration(request)
        case "configuration" where segments.dropFirst() == ["check"]: return try configurationCheck(request)
        case "basemap" where segments.dropFirst() == ["places"]: return try basemapPlaces(request)
        case "collections":
            guard segments.count > 1 else { return try collections(request, now: now) }
            return try collectionRoute(request, Array(segments.dropFirst()), now: now)
        default: throw Problem.missing("there is nothing at \(request.fullPath); the start is at \(request.basePath)/")
        }
    }

    /// Answers outside the base path. `/quakes` leads to `/quakes/`, since the addresses in the page are relative to
    /// that.
    private func outside(_ request: APIRequest) throws(Problem) -> APIAnswer {
        let base = request.basePath
        guard request.path == base else {
            throw .missing(
                "the start is at \(base)/ (serve.base_path); a proxy that takes \(base) away from the paths has to send "
                    + "X-Forwarded-Prefix: \(base)")
        }
        let query = request.query.map { "?\($0)" } ?? ""
        return APIAnswer(status: 301).with("location", "\(base)/\(query)").with("cache-control", "no-cache")
    }

    private func collectionRoute(_ request: APIRequest, _ segments: [String], now: Date) throws -> Reply {
        guard let collection = EventCollection.named(segments[0]) else {
            let known = EventCollection.all.map(\.id)
            let hint = NearestWord.hint(for: segments[0], among: known)
            throw Problem.missing(
                "there is no collection \(segments[0]); there are \(known.joined(separator: ", "))\(hint)")
        }
        switch (segments.count, segments.count > 1 ? segments[1] : "", segments.count > 3 ? segments[3] : "") {
        case (1, _, _): return try self.collection(request, collection, now: now)
        case (2, "schema", _): return .answer(try schema(request, collection))
        case (2, "queryables", _): return .answer(try queryables(request, collection))
        case (2, "items", _): return try items(request, collection, now: now)
        case (3, "items", _): return try item(request, collection, segments[2], now: now)
        case (4, "items", "history"): return try history(request, collection, segments[2])
        case (4, "items", "sources"): return try sources(request, collection, segments[2], now: now)
        default: throw Problem.missing("there is nothing at \(request.fullPath)")
        }
    }

    // MARK: - Forms and validators

    /// Takes `f` of a page, else follows `Accept`.
    func pageForm(_ parameters: inout Parameters, _ request: APIRequest) throws(Problem) -> PageForm {
        try parameters.takeWord("f") ?? Negotiation.page(request.headers["accept"])
    }

    /// Leaves the conditions of items aside, and refuses all other parameters: addresses on the way to the items take
    /// them, since QGIS and GDAL hand those of the URL that they are given on to each address.
    func endOnTheWay(_ parameters: inout Parameters) throws(Problem) {
        _ = try EventParameters.query(&parameters, in: nil)
        try parameters.end()
    }

    /// Takes `f` of a resource that has only JSON, and refuses all other parameters.
    /// - Parameter isOnTheWay: Whether it leaves conditions of items aside, as `endOnTheWay`; by default it does not.
    func endJSON(_ parameters: inout Parameters, isOnTheWay: Bool = false) throws(Problem) {
        _ = try parameters.takeWord("f", OnlyJSON.self)
        if isOnTheWay { try endOnTheWay(&parameters) } else { try parameters.end() }
    }

    /// The same for a request that has no other parameters.
    func endJSON(_ request: APIRequest, isOnTheWay: Bool = false) throws(Problem) {
        var parameters = try Parameters(request)
        try endJSON(&parameters, isOnTheWay: isOnTheWay)
    }

    /// The form of a resource that has no other.
    enum OnlyJSON: String, CaseIterable {
        case json
    }

    /// Reads an answer with an ETag of the last change, unless the client has it: 304, without a read where the change
    /// of the request tells so.
    /// - Parameters:
    ///   - version: What the answer depends on.
    ///   - form: The representation.
    ///   - cacheControl: The field `Cache-Control`; with `no-store` there is no ETag.
    ///   - query: Selects events whose categories give `cacheControl`, and whose unknown names are refused; default: none.
    ///   - make: Makes the answer; gets the last change before it reads.
    func validated(
        _ request: APIRequest, _ version: DataVersion, form: String, cacheControl: String = "no-cache",
        selecting query: EventQuery? = nil,
        _ make: @escaping @Sendable (_ store: EventStore, _ change: ChangeMark) throws -> APIAnswer
    ) -> Reply {
        let cacheControl = query.map { Self.cacheControl($0.categories) } ?? cacheControl
        if let change = request.change, cacheControl != "no-store" {
            let tag = tag(request, version.text(at: change), form)
            if EntityTag.matches(request.headers["if-none-match"], tag) {
                return .answer(Self.kept(APIAnswer(status: 304), tag, cacheControl))
            }
        }
        return .read { store in
            let change = try store.lastMark()
            return try validated(request, version.text(at: change), form: form, cacheControl: cacheControl) {
                if let query { try checkNames(of: query, in: store) }
                return try make(store, change)
            }
        }
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
        let tag = tag(request, state, form)
        let known = request.headers["if-none-match"]
        if EntityTag.matches(known, tag) { return Self.kept(APIAnswer(status: 304), tag, cacheControl) }
        let answer = try make()
        // `*` names whatever there is (RFC 9110 §13.1.2), which is known only now.
        let isUnwanted = known == "*" && answer.status == 200 && answer.header("cache-control") == nil
        return Self.kept(isUnwanted ? APIAnswer(status: 304) : answer, tag, cacheControl)
    }

    /// The tag of an answer in a state. A seeding may give a name another place, and is no change, so the place counts.
    private func tag(_ request: APIRequest, _ state: String, _ form: String) -> String {
        let place = request.place.map { "\($0.latitude),\($0.longitude)" }
        return EntityTag.text(state, [program, form, request.base] + [place].compactMap { $0 })
    }

    /// The answer as caches may keep it; one that has cache rules of its own has no ETag.
    private static func kept(_ answer: APIAnswer, _ tag: String, _ cacheControl: String) -> APIAnswer {
        let hasRules = answer.header("cache-control") != nil
        return (hasRules ? answer : answer.with("etag", tag).with("cache-control", cacheControl)).with("vary", "accept")
    }

    /// The minutes since 1970.
    func minute(_ now: Date) -> Int64 { now.milliseconds / 60_000 }

    /// What documents depend on that tell neither sources nor countries: these may come without a change, so the minute
    /// counts where a condition asks for them.
    func version(of query: EventQuery, now: Date) -> DataVersion {
        query.sources.isEmpty && query.countries.isEmpty ? .change : .changeAndMinute(minute(now))
    }
}

/// What an answer depends on, beside program, form and address.
enum DataVersion: Sendable {
    /// The last visible change.
    case change
    /// Also the minute, which stands for what comes without a change, such as a further source of an event.
    case changeAndMinute(Int64)
    /// The minute alone, since seeding is no change of an event.
    case points(minute: Int64)

    /// The version where this is the last change.
    func text(at change: ChangeMark) -> String {
        switch self {
        case .change: change.text
        case .changeAndMinute(let minute): "\(change.text).\(minute)"
        case .points(let minute): "points.\(minute)"
        }
    }
}
