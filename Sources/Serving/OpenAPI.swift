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
        let document = Link("alternate", "\(base)/api?f=json", MediaType.openAPI, "As OpenAPI 3.0")
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

    private static let page = [parameter("f", #"{"type":"string","enum":["json","html"]}"#)]
    private static let json = [parameter("f", #"{"type":"string","enum":["json"]}"#)]
    private static let both = [MediaType.json, "text/html"]

    private static func parameter(_ name: String, in place: String = "query", _ schema: String) -> String {
        JSONWriter.object(["name": name, "in": place, "required": place == "path", "schema": .raw(schema)])
    }

    private static var operations: [Operation] {
        let conditions = Self.conditions.map(\.json)
        let onTheWay = page + leftAside
        let after = parameter("after", #"{"type":"integer","format":"int64","minimum":0}"#)
        let limit = parameter("limit", #"{"type":"integer","minimum":1,"maximum":1000}"#)
        let start = [
            path("/", "landing", "The start of the service", onTheWay, both),
            path("/conformance", "conformance", "The classes it conforms to", json + leftAside, [MediaType.json]),
            path("/api", "api", "This document", onTheWay, [MediaType.openAPI, "text/html"]),
            path("/collections", "collections", "All collections", onTheWay, both),
        ]
        let changes = [
            path(
                "/changes", "changes", "What has changed since a change", [after, limit] + conditions, [MediaType.json],
                failures: [400, 410, 503]),
            path("/stream", "stream", "The changes as they come", [after] + conditions, ["text/event-stream"]),
        ]
        let summaries = [
            ("histogram", "Numbers of events by time", MediaType.json),
            ("hotspots", "The places with the most events", MediaType.geoJSON),
            ("authors", "The authors with the most events", MediaType.json),
        ].map { name, words, type in
            path("/summary/\(name)", "summary.\(name)", words, ParameterEntry.ofSummary(name).map(\.json), [type])
        }
        let operation = [
            path(
                "/basemap/places", "places", "Cities of the city table, the largest first",
                ParameterEntry.ofPlaces.map(\.json), [MediaType.json], failures: [400, 404, 503]),
            path("/status", "status", "The sources, and the size of the record", json, [MediaType.json]),
            path(
                "/health", "health", "Whether the record is kept up", json, [MediaType.json],
                failureTypes: [MediaType.json, MediaType.problem]),
            path("/metrics", "metrics", "Metrics for Prometheus", [], [MediaType.prometheus]),
        ]
        return start + EventCollection.all.flatMap { paths(of: $0) } + changes + feeds + summaries + operation
    }

    /// The feeds in forms of others.
    private static var feeds: [Operation] {
        let taken = conditions.map(\.json) + [parameter("limit", #"{"type":"integer","minimum":1}"#)]
        let atMost2000 = parameter("limit", #"{"type":"integer","minimum":1,"maximum":2000}"#)
        let unplaced = conditions.filter { $0.name != "bbox" }.map(\.json) + [atMost2000]
        let names = USGSSummaryName.all.map(\.text.jsonQuoted).joined(separator: ",")
        let feed = parameter("feed", in: "path", #"{"type":"string","enum":[\#(names)]}"#)
        return [
            path("/feed.atom", "atom", "What has changed last, as Atom", taken, [MediaType.atom]),
            path("/events.kml", "kml", "The newest events as KML", taken, [MediaType.kml]),
            path(
                "/network-link.kml", "network-link", "A KML document that loads /events.kml", unplaced,
                [MediaType.kml]),
            path(
                "/" + USGSSummaryName.folder.joined(separator: "/") + "/{feed}", "summary",
                "Earthquakes as a summary feed of USGS", [feed], [MediaType.json, "text/csv"],
                failures: [400, 404, 503]),
        ]
    }

    private static func paths(of collection: EventCollection) -> [Operation] {
        let own = "/collections/\(collection.id)"
        let id = collection.id
        let schemas = [("schema", "The schema of a feature"), ("queryables", "Properties to query by")]
        var types = [MediaType.geoJSON, "text/csv", MediaType.ndjson, MediaType.geoJSONSequence, "text/html"]
        if !collection.holdsPoints { types.append(MediaType.json) }
        let pattern = collection.holdsPoints ? "" : #","pattern":"^[0-9a-z]{16}$""#
        let item = parameter("featureId", in: "path", #"{"type":"string"\#(pattern)}"#)
        let past = ParameterEntry.all.filter { $0.name == "as_of" && !collection.holdsPoints }.map(\.json)
        let failures = [400, 404, 410, 503]
        let parts = [("history", "Its earlier versions"), ("sources", "The sources that show it")]
        return [path(own, "\(id).collection", collection.title, page + leftAside, both)]
            + schemas.map { name, words in
                path("\(own)/\(name)", "\(id).\(name)", words, json + leftAside, [MediaType.schema])
            } + [
                path(
                    "\(own)/items", "\(id).items", collection.words, ParameterEntry.of(collection).map(\.json), types),
                path(
                    "\(own)/items/{featureId}", "\(id).item", "One item", [item] + page + past,
                    [MediaType.geoJSON, "text/html"], failures: failures),
            ]
            + (collection.holdsPoints ? [] : parts).map { name, words in
                path(
                    "\(own)/items/{featureId}/\(name)", "\(id).\(name)", words, [item] + json, [MediaType.json],
                    failures: failures)
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
