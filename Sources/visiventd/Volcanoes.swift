import ArgumentParser
import Foundation
import Gazetteer
import Model
import Presenting
import Reading
import Store

/// `visiventd volcanoes`
struct Volcanoes: AsyncParsableCommand {
    /// Output formats.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, json, ndjson, geojson, csv
    }

    static let configuration = CommandConfiguration(
        abstract: "Show volcanoes by name, or those near a place or an event.",
        discussion: """
            Without a place they come by name, with one the nearest first. Where no name has the words, those come whose \
            names have them as parts. `visiventd seed volcanoes` brings them in.

            Examples:
              visiventd volcanoes etna
              visiventd volcanoes popocat
              visiventd volcanoes 'soufri*' --format json
              visiventd volcanoes --near 14.5,-90.9 --radius 50
              visiventd volcanoes --event 7r3k0mz2v9q4w8xd
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(
        parsing: .unconditional,
        help: """
            Only volcanoes around LATITUDE,LONGITUDE (-90…90, -180…360), or around a volcano or city by its name; with \
            --radius.
            """)
    var near: String?

    @Option(help: "Only volcanoes around the event of this public id; with --radius.")
    var event: String?

    @Option(
        parsing: .unconditional, help: "Kilometres for --near and --event. (default: 100.0)",
        transform: { try AreaOptions.kilometres(of: $0) })
    var radius: Double?

    @Option(
        parsing: .unconditional, help: "How many at the most; 0 for all. (default: 50)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number, 0 for all") })
    var limit: Int = 50

    @Option(help: "table, json, ndjson, geojson or csv.")
    var format: Format = .table

    @Argument(help: "Words that must all occur in the name, or parts of words; * at the end for any ending.")
    var words: [String] = []

    func validate() throws {
        if near != nil, event != nil { throw ValidationError("--near and --event exclude each other") }
        _ = try AreaOptions.kilometres(radius)
        if radius != nil, near == nil, event == nil {
            throw ValidationError("--radius does nothing without --near or --event")
        }
        if let near { _ = try AreaOptions.centre(near) }
        if limit < 0 { throw ValidationError("--limit takes 0 or more, found \(limit)") }
    }

    func run() async throws {
        try await reporting(database.hints) {
            let store = try database.store()
            var query = PointQuery()
            query.words = Self.folded(words)
            let kilometres = try AreaOptions.kilometres(radius)
            query.near = try centre(store).map { EventQuery.Circle(centre: $0, kilometres: kilometres) }
            query.limit = limit == 0 ? nil : limit
            var found = try store.pointsOfInterest(query)
            if found.isEmpty, !words.isEmpty {
                query.takesParts = true
                found = try store.pointsOfInterest(query)
            }
            var output = Output()
            switch format {
            case .table: if !found.isEmpty { output.table(Self.table(found), width: nil) }
            case .json:
                for (index, volcano) in found.enumerated() {
                    output.json((index == 0 ? "[" : "") + volcano.json + (index == found.count - 1 ? "]" : ","))
                }
                if found.isEmpty { output.line("[]") }
            case .ndjson: for volcano in found { output.json(volcano.json) }
            case .geojson:
                output.line(FeatureCollection.head)
                for (index, volcano) in found.enumerated() { output.json((index == 0 ? "" : ",") + volcano.feature) }
                output.line(FeatureCollection.tail)
            case .csv:
                output.line(StoredPoint.columns)
                for volcano in found { output.line { $0.append(cells: volcano.cells) } }
            }
            output.flush()
            guard found.isEmpty else { return }
            let areSeeded = try !store.pointsOfInterest().isEmpty
            Terminal.printError(
                areSeeded
                    ? "no volcanoes match"
                    : database.hints.completed(
                        "no volcanoes are seeded yet; seed them with: visiventd seed volcanoes FILE"))
        }
    }

    /// The words for `PointQuery`; one without letters and digits matches nothing, a single `*` everything.
    static func folded(_ words: [String]) -> [String] {
        var folded: [String] = []
        for word in words.flatMap({ $0.split(whereSeparator: \.isWhitespace) }) {
            var parts = NameFolding.folded(String(word)).split(separator: " ").map(String.init)
            if parts.isEmpty { parts = [""] }
            if word.hasSuffix("*") { parts[parts.count - 1] += "*" }
            folded += parts
        }
        return folded
    }

    /// The point from which distances are measured; nil without `--near` and `--event`.
    private func centre(_ store: EventStore) throws -> Coordinate? {
        if let near { return try database.centre(near, in: store) }
        guard let event else { return nil }
        guard let found = try store.event(publicID: event)?.event else { throw try store.complain(ofMissing: event) }
        guard let location = found.location, location.precision != .country else {
            let reason = found.location == nil ? "has no location" : "is located to a country only"
            Terminal.printError("visiventd: the event \(reason)")
            throw ExitStatus.unavailable
        }
        if location.precision == .region { Terminal.printError("distances are from the middle of a region") }
        return location.coordinate
    }

    private static func table(_ volcanoes: [StoredPoint]) -> TextTable {
        let hasDistances = volcanoes.contains { $0.kilometres != nil }
        var table = TextTable(
            [">NUMBER", "NAME", "COUNTRY", ">LAT", ">LON"] + (hasDistances ? [">KM"] : []) + ["PICTURE", "WEBCAM"])
        for volcano in volcanoes {
            let point = volcano.point
            var cells = [
                point.number.map { "\($0)" } ?? "", point.name, point.country ?? "",
                point.coordinate.latitude.shown(digits: 3...3), point.coordinate.longitude.shown(digits: 3...3),
            ]
            if let kilometres = volcano.kilometres { cells.append(kilometres.shown(digits: 1...1)) }
            table.add(cells + [point.picture ?? "", point.webcam ?? ""])
        }
        return table
    }
}

extension StoredPoint {
    private var row: PointOfInterest.Row { PointOfInterest.Row(key: key, seeded: seeded, kilometres: kilometres) }

    /// The place as one JSON object; its names are those of the view `points_of_interest_v1`, times are RFC 3339.
    fileprivate var json: String { point.json(row) }

    /// The place as a GeoJSON feature (RFC 7946 §3.2) with the other members of `json` as properties.
    fileprivate var feature: String { point.feature(row) }

    /// The names of `cells`: those of `json`, except `details`.
    fileprivate static let columns =
        "key,kind,number,name,country,latitude,longitude,distance_km,picture,webcam,text,seeded"

    fileprivate var cells: [String?] {
        [
            key, point.kind.rawValue, point.number?.description, point.name, point.country,
            point.coordinate.latitude.jsonText, point.coordinate.longitude.jsonText, row.distance?.jsonText,
            point.picture, point.webcam, point.text, seeded.timestamp,
        ]
    }
}
