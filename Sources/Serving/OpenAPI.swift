import Model
import Reading

/// The OpenAPI 3.0 document, from the tables of collections and parameters.
enum OpenAPI {
    /// The document.
    /// - Parameters:
    ///   - program: The program's version.
    ///   - base: The address of the service.
    static func document(program: String, base: String) -> String {
        JSONWriter.object([
            "openapi": "3.0.3",
            "info": .object([
                "title": "visiventd", "description": "Events on Earth, as feeds report them", "version": program,
            ]),
            "servers": .array([JSONWriter.object(["url": base])]), "paths": .raw(paths),
            "components": .raw(components),
        ]) + "\n"
    }

    /// The same for people: addresses and parameters as tables.
    /// - Parameter base: The address of the service.
    static func page(base: String) -> String {
        let document = Link(
            rel: "alternate", href: "\(base)/api?f=json", type: MediaType.openAPI, title: "As OpenAPI 3.0")
        return HTMLPage.page(
            "The API of visiventd",
            HTMLPage.list([document])
                + "<p>The addresses are below \(HTMLPage.escaped(base))/.</p>\n" + tables)
    }

    // MARK: - What no request changes

    /// The paths object, made once.
    private static let paths = JSONWriter.object(of: operations.map { ($0.address, .raw($0.json)) })

    /// The tables of addresses and parameters, made once.
    private static let tables: String = {
        var text = "<table>\n" + HTMLPage.row(["Address (GET)", "Answer"], "th")
        for operation in operations {
            text += HTMLPage.row([HTMLPage.escaped(operation.address), HTMLPage.escaped(operation.words)])
        }
        text += "</table>\n<table>\n" + HTMLPage.row(["Parameter of items", "Meaning"], "th")
        for entry in ParameterEntry.all { text += HTMLPage.row([entry.name, HTMLPage.escaped(entry.words)]) }
        return text + "</table>\n"
    }()

    // MARK: - Operations

    /// What one address answers to GET.
    private struct Operation {
        let address: String
        let words: String
        /// The path item object.
        let json: String
    }

    private static let components: String = {
        let problem = #"""
            {"type":"object","required":["type","title","status"],"properties":{\#
            "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},\#
            "parameter":{"type":"string"},"found":{"type":"string"},"accepted":{"type":"string"}}}
            """#
        return JSONWriter.object([
            "schemas": .object(["problem": .raw(problem)]),
            "parameters": .object(of: conditions.map { ($0.name, .raw($0.json)) }),
        ])
    }()

    /// The conditions of items.
    private static let conditions = ParameterEntry.all.filter { $0.scope == .condition }
    /// The same by reference, for the addresses on the way to the items, which leave them aside.
    private static let leftAside = conditions.map { "{\"$ref\":\"#/components/parameters/\($0.name)\"}" }

    private static let page = [
        #"{"name":"f","in":"query","required":false,"schema":{"type":"string","enum":["json","html"]}}"#
    ]
    private static let json = [
        #"{"name":"f","in":"query","required":false,"schema":{"type":"string","enum":["json"]}}"#
    ]

    private static var operations: [Operation] {
        let both = [MediaType.json, "text/html"]
        var all: [Operation] = []
        let conditions = Self.conditions.map(\.json)
        let onTheWay = page + leftAside
        all.append(path("/", "landing", "The start of the service", onTheWay, both))
        all.append(
            path("/conformance", "conformance", "The classes it conforms to", json + leftAside, [MediaType.json]))
        all.append(path("/api", "api", "This document", onTheWay, [MediaType.openAPI, "text/html"]))
        all.append(path("/collections", "collections", "All collections", onTheWay, both))
        for collection in EventCollection.all { add(collection, to: &all) }
        let after =
            #"{"name":"after","in":"query","required":false,"schema":{"type":"integer","format":"int64","minimum":0}}"#
        let limit =
            #"{"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":1,"maximum":1000}}"#
        all.append(
            path(
                "/changes", "changes", "What has changed since a change", [after, limit] + conditions, [MediaType.json],
                failures: [400, 410, 503]))
        all.append(
            path(
                "/stream", "stream", "The changes as they come", [after] + conditions, ["text/event-stream"],
                failures: [400, 503]))
        addFeeds(to: &all)
        let summaries = [
            ("histogram", "Numbers of events by time", MediaType.json),
            ("hotspots", "The places with the most events", MediaType.geoJSON),
            ("authors", "The authors with the most events", MediaType.json),
        ]
        for (name, words, type) in summaries {
            let taken = ParameterEntry.ofSummary(name).map(\.json)
            all.append(path("/summary/\(name)", "summary.\(name)", words, taken, [type]))
        }
        all.append(
            path(
                "/basemap/places", "places", "Cities of the city table, the largest first",
                ParameterEntry.ofPlaces.map(\.json), [MediaType.json], failures: [400, 404, 503]))
        all.append(path("/status", "status", "The sources, and the size of the record", json, [MediaType.json]))
        all.append(
            path(
                "/health", "health", "Whether the record is kept up", json, [MediaType.json],
                failureTypes: [MediaType.json, MediaType.problem]))
        all.append(path("/metrics", "metrics", "Metrics for Prometheus", [], [MediaType.prometheus]))
        return all
    }

    /// The feeds in forms of others.
    private static func addFeeds(to all: inout [Operation]) {
        let limit = #"{"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":1}}"#
        let taken = conditions.map(\.json) + [limit]
        all.append(path("/feed.atom", "atom", "What has changed last, as Atom", taken, [MediaType.atom]))
        all.append(path("/events.kml", "kml", "The newest events as KML", taken, [MediaType.kml]))
        let atMost2000 =
            #"{"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":1,"maximum":2000}}"#
        let unplaced = conditions.filter { $0.name != "bbox" }.map(\.json) + [atMost2000]
        all.append(
            path(
                "/network-link.kml", "network-link", "A KML document that loads /events.kml", unplaced, [MediaType.kml])
        )
        let names = USGSSummaryName.all.map(\.text.jsonQuoted).joined(separator: ",")
        let feed = #"{"name":"feed","in":"path","required":true,"schema":{"type":"string","enum":[\#(names)]}}"#
        all.append(
            path(
                "/" + USGSSummaryName.folder.joined(separator: "/") + "/{feed}", "summary",
                "Earthquakes as a summary feed of USGS", [feed], [MediaType.json, "text/csv"],
                failures: [400, 404, 503]))
    }

    private static func add(_ collection: EventCollection, to all: inout [Operation]) {
        let both = [MediaType.json, "text/html"]
        let own = "/collections/\(collection.id)"
        let (id, title) = (collection.id, collection.title)
        all.append(path(own, "\(id).collection", title, page + leftAside, both))
        let schemas = [("schema", "The schema of a feature"), ("queryables", "Properties to query by")]
        for (name, words) in schemas {
            all.append(path("\(own)/\(name)", "\(id).\(name)", words, json + leftAside, [MediaType.schema]))
        }
        var types = [MediaType.geoJSON, "text/csv", MediaType.ndjson, MediaType.geoJSONSequence, "text/html"]
        if !collection.holdsPoints { types.append(MediaType.json) }
        all.append(
            path(
                "\(own)/items", "\(id).items", collection.words, ParameterEntry.of(collection).map(\.json), types,
                failures: [400, 503]))
        let pattern = collection.holdsPoints ? "" : #","pattern":"^[0-9a-z]{16}$""#
        let item = #"{"name":"featureId","in":"path","required":true,"schema":{"type":"string"\#(pattern)}}"#
        let past = ParameterEntry.all.filter { $0.name == "as_of" && !collection.holdsPoints }.map(\.json)
        let failures = [400, 404, 410, 503]
        all.append(
            path(
                "\(own)/items/{featureId}", "\(id).item", "One item", [item] + page + past,
                [MediaType.geoJSON, "text/html"], failures: failures))
        guard !collection.holdsPoints else { return }
        for (name, words) in [("history", "Its earlier versions"), ("sources", "The sources that show it")] {
            all.append(
                path(
                    "\(own)/items/{featureId}/\(name)", "\(id).\(name)", words, [item] + json, [MediaType.json],
                    failures: failures))
        }
    }

    private static func path(
        _ address: String, _ id: String, _ words: String, _ parameters: [String], _ types: [String],
        failures: [Int] = [400, 503],
        failureTypes: [String] = [MediaType.problem]
    ) -> Operation {
        let schema = ##"{"schema":{"$ref":"#/components/schemas/problem"}}"##
        let problem = RawJSON.object([
            "description": "A problem (RFC 9457)",
            "content": .object(of: failureTypes.map { ($0, .raw($0 == MediaType.problem ? schema : "{}")) }),
        ])
        var responses: [(String, any JSONMember)] = [
            ("200", .object(["description": words, "content": .object(of: types.map { ($0, .raw("{}")) })])),
            ("301", .object(["description": "It was merged into another one"])),
            ("304", .object(["description": "Not modified"])),
        ]
        // Every request may name a host that is not the service's, or meet a fault of the program.
        responses += (failures + [421, 500]).map { ("\($0)", problem) }
        let get = JSONWriter.object([
            "operationId": id, "summary": words, "parameters": .array(parameters),
            "responses": .object(of: responses),
        ])
        return Operation(address: address, words: words, json: "{\"get\":\(get)}")
    }
}
