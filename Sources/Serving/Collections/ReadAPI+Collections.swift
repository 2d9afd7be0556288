import Foundation
import Model
import Reading
import Store

extension ReadAPI {
    /// The landing page (OGC API Features, Part 1, §7.2); for browsers the map. With `f=html` it is a page of links.
    func landing(_ request: APIRequest) throws -> APIAnswer {
        var parameters = try Parameters(request)
        let namesForm = parameters.has("f")
        let form = try pageForm(&parameters, request)
        if form == .html, !namesForm, let files = map.files {
            // The page reads it itself.
            _ = try parameters.takeWord("embed", Embedding.self)
            try parameters.end()
            return try mapDocument(request, files)
        }
        try endOnTheWay(&parameters)
        let base = request.base
        let links = [
            Link("self", "\(base)/", MediaType.json, "This page"),
            Link("service-desc", "\(base)/api", MediaType.openAPI, "The API as OpenAPI 3.0"),
            Link("service-doc", "\(base)/api?f=html", "text/html", "The API as tables"),
            Link("conformance", "\(base)/conformance", MediaType.json, "Conformance classes"),
            Link("data", "\(base)/collections", MediaType.json, "Collections"),
            Link("related", "\(base)/changes", MediaType.json, "Changes since a cursor"),
            Link("monitor", "\(base)/stream", "text/event-stream", "Changes as they come"),
            Link("alternate", "\(base)/feed.atom", MediaType.atom, "The latest as Atom"),
            Link("alternate", "\(base)/network-link.kml", MediaType.kml, "A network link for Google Earth"),
            Link(
                "related", base + USGSSummaryName.usual.path, MediaType.json,
                "Earthquakes of the last day as a feed of USGS"),
            Link("related", base + FDSNService.path, "text/html", "Earthquakes as an FDSN event web service"),
            Link("related", "\(base)/summary/histogram", MediaType.json, "Events counted by time"),
            Link("related", "\(base)/summary/hotspots", MediaType.geoJSON, "Events counted by place"),
            Link("related", "\(base)/summary/authors", MediaType.json, "Events counted by author"),
            Link("status", "\(base)/status", MediaType.json, "Sources and size of the record"),
            Link("related", "\(base)/health", MediaType.json, "Whether the record is kept up"),
            Link("related", "\(base)/metrics", "text/plain", "Metrics for Prometheus"),
        ]
        let lacksMap = map.files == nil
        return try validated(request, lacksMap ? "landing" : "links", form: form.rawValue) {
            if form == .html {
                let note = lacksMap ? Self.missingMap : ""
                let collections = EventCollection.all.map { collection in
                    Link(
                        "items", "\(base)/collections/\(collection.id)/items?f=html", "text/html",
                        "\(collection.title): \(collection.words)")
                }
                return APIAnswer(
                    HTMLPage.page("visiventd", note + HTMLPage.list(links + collections)), type: MediaType.html)
            }
            return APIAnswer(json: [
                "title": "visiventd", "description": "Events on Earth, as feeds report them", "links": .raw(links.json),
            ])
        }
    }

    /// The word for `embed`: the page shows the map alone.
    private enum Embedding: String, CaseIterable {
        case mapAlone = "1"
    }

    /// Says how the map gets here.
    private static let missingMap =
        "<p>The files of the map page are missing: assemble them by <code>make page</code> in the source folder of "
        + "visiventd, then install them by <code>make install</code> or name their folder under <code>page</code> of "
        + "<code>serve</code> in the configuration, and restart visiventd serve.</p>\n"

    /// The conformance classes (§7.4); only those that every resource meets.
    func conformance(_ request: APIRequest) throws -> APIAnswer {
        try endJSON(request, isOnTheWay: true)
        let family = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/"
        let classes = ["core", "oas30", "geojson"].map { family + $0 }
        return try validated(request, "conformance", form: "json") { APIAnswer(json: ["conformsTo": classes]) }
    }

    /// The OpenAPI document.
    func document(_ request: APIRequest) throws -> APIAnswer {
        var parameters = try Parameters(request)
        let form = try pageForm(&parameters, request)
        try endOnTheWay(&parameters)
        return try validated(request, "api", form: form.rawValue) {
            switch form {
            case .html: APIAnswer(OpenAPI.page(base: request.base), type: MediaType.html)
            case .json:
                APIAnswer(OpenAPI.document(program: program, base: request.base), type: MediaType.openAPI)
            }
        }
    }

    /// All collections (§7.13).
    func collections(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let form = try pageForm(&parameters, request)
        try endOnTheWay(&parameters)
        return .read { store in
            try collections(request, form, try facts.extents(from: store, now: now))
        }
    }

    private func collections(
        _ request: APIRequest, _ form: PageForm, _ extents: CollectionFacts.Extents
    ) throws -> APIAnswer {
        let base = request.base
        let links = [
            Link("self", "\(base)/collections", MediaType.json, "This page"),
            Link("alternate", "\(base)/collections?f=html", "text/html", "This page as html"),
        ]
        return try validated(request, extents.generation, form: form.rawValue) {
            if form == .html {
                let items = EventCollection.all.flatMap { self.links(of: $0, base: base) }
                return APIAnswer(HTMLPage.page("Collections", HTMLPage.list(items)), type: MediaType.html)
            }
            let all = EventCollection.all.map { json($0, extents, base: base) }
            return APIAnswer(json: ["links": .raw(links.json), "collections": .array(all)])
        }
    }

    /// One collection (§7.14).
    func collection(_ request: APIRequest, _ collection: EventCollection, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let form = try pageForm(&parameters, request)
        try endOnTheWay(&parameters)
        return .read { store in
            let extents = try facts.extents(from: store, now: now)
            return try validated(request, extents.generation, form: form.rawValue) {
                if form == .html {
                    let list = HTMLPage.list(links(of: collection, base: request.base))
                    return APIAnswer(HTMLPage.page(collection.title, list), type: MediaType.html)
                }
                return APIAnswer(json(collection, extents, base: request.base) + "\n", type: MediaType.json)
            }
        }
    }

    /// The schema of the collection's features.
    func schema(_ request: APIRequest, _ collection: EventCollection) throws -> APIAnswer {
        try endJSON(request, isOnTheWay: true)
        let address = "\(request.base)/collections/\(collection.id)/schema"
        return try validated(request, "schema", form: "schema") {
            APIAnswer(CollectionSchema.feature(collection, address: address), type: MediaType.schema)
        }
    }

    /// The collection's queryables.
    func queryables(_ request: APIRequest, _ collection: EventCollection) throws -> APIAnswer {
        try endJSON(request, isOnTheWay: true)
        let address = "\(request.base)/collections/\(collection.id)/queryables"
        return try validated(request, "queryables", form: "schema") {
            APIAnswer(CollectionSchema.queryables(collection, address: address), type: MediaType.schema)
        }
    }

    // MARK: - Parts

    private func json(_ collection: EventCollection, _ extents: CollectionFacts.Extents, base: String) -> String {
        let interval = extents.interval(of: collection)
        func bound(_ date: Date?) -> String { date?.timestamp.jsonQuoted ?? "null" }
        let box = extents.box(of: collection).map(\.jsonText).joined(separator: ",")
        let crs = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
        let spatial = "{\"bbox\":[[\(box)]],\"crs\":\"\(crs)\"}"
        let temporal = "{\"interval\":[[\(bound(interval.first)),\(bound(interval.last))]]}"
        return JSONWriter.object([
            "id": collection.id, "title": collection.title, "description": collection.words,
            "extent": .object([
                "spatial": .raw(spatial), "temporal": collection.holdsPoints ? nil : RawJSON(temporal),
            ]),
            "itemType": "feature", "crs": [crs], "links": .raw(links(of: collection, base: base).json),
        ])
    }

    private func links(of collection: EventCollection, base: String) -> [Link] {
        let own = "\(base)/collections/\(collection.id)"
        let title = collection.title
        let forms = [
            (MediaType.geoJSON, "json"), ("text/csv", "csv"), (MediaType.ndjson, "ndjson"),
            (MediaType.geoJSONSequence, "geojsonseq"), ("text/html", "html"),
        ]
        let items = forms.map { type, form in
            Link("items", "\(own)/items?f=\(form)", type, "\(title) as \(form)")
        }
        // GDAL knows the schema only by the spelling with a capital letter; `describedby` is the registered one.
        let schemas = ["describedby", "describedBy"].map {
            Link($0, "\(own)/schema", MediaType.schema, "Schema of \(title)")
        }
        let queryables = Link(
            "http://www.opengis.net/def/rel/ogc/1.0/queryables", "\(own)/queryables", MediaType.schema,
            "Queryables of \(title)")
        return [Link("self", own, MediaType.json, title)] + items + schemas + [queryables]
    }
}
