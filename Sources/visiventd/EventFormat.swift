import ArgumentParser
import Foundation
import Model
import Presenting

/// How events are printed.
enum EventFormat: String, CaseIterable, ExpressibleByArgument {
    case table, ndjson, geojson, csv
}

/// Prints events one after another in a format.
struct EventPrinter: ~Copyable {
    private let format: EventFormat
    private var output = Output()
    private var table = TextTable(["ID", "TIME (UTC)", "CATEGORY", ">MAG", ">LAT", ">LON", "WHERE", "TITLE"])
    private var count = 0
    /// Columns that the terminal is too narrow for, as it was when the headings were shown.
    private var spared: Set<String>?
    private static let sparing = [">LON", ">LAT", "WHERE", "CATEGORY", ">MAG"]
    /// Columns of a title without which it tells nothing.
    private static let leastTitle = 20

    init(_ format: EventFormat) {
        self.format = format
        switch format {
        case .csv: output.line(Self.columns.joined(separator: ","))
        case .geojson: output.line(FeatureCollection.head)
        case .table, .ndjson: break
        }
    }

    mutating func add(_ event: StoredEvent) {
        switch format {
        case .table: table.add(Self.row(event))
        case .ndjson: output.json(event.json)
        case .geojson: output.json(FeatureCollection.line(event, isFirst: count == 0))
        case .csv: output.line(Self.record(event))
        }
        count += 1
    }

    /// Writes what is collected so far; for followers, who have no end.
    mutating func flush() {
        if case .table = format, !table.isEmpty {
            showTable()
            table.goOn()
        }
        output.flush()
    }

    private mutating func showTable() {
        let width = Terminal.width
        var spared = spared ?? table.spared(Self.sparing, width: width, least: Self.leastTitle)
        if spared.contains(">LON") { spared.insert(">LAT") }
        self.spared = spared
        output.table(table.without(spared), width: width)
    }

    consuming func finish() {
        switch format {
        case .table:
            if count > 0 { showTable() } else { Terminal.complain("no events match") }
        case .geojson: output.line(FeatureCollection.tail)
        case .ndjson, .csv: break
        }
        output.flush()
    }

    private static func row(_ stored: StoredEvent) -> [String] {
        let event = stored.event
        let title = stored.withdrawal.map { "[\($0.reason)] \(event.title)" } ?? event.title
        return [
            stored.publicID, (event.time ?? stored.firstSeen).wholeSeconds + (stored.hasFeedTime ? "" : "?"),
            event.category.rawValue,
            event.magnitude.map { String(format: "%.1f", $0) } ?? "",
            event.location.map { String(format: "%.3f", $0.coordinate.latitude) } ?? "",
            event.location.map { String(format: "%.3f", $0.coordinate.longitude) } ?? "",
            event.location.map(whereabouts) ?? "", title,
        ]
    }

    /// How exact a location is, and for one found by name in which text: `city (author)`.
    private static func whereabouts(_ location: Location) -> String {
        let source = location.evidence.map { " (\($0.rawValue))" } ?? ""
        return location.precision.rawValue + source
    }

    private static let columns = [
        "public_id", "provider", "upstream_id", "time", "category", "title", "magnitude", "depth_km", "latitude",
        "longitude", "location_method", "location_precision", "place_text", "author_name", "link", "status", "revision",
        "withdrawn",
    ]

    /// RFC 4180, with a cell that a spreadsheet would take for a formula led by an apostrophe.
    private static func record(_ stored: StoredEvent) -> String {
        let event = stored.event
        let cells: [String?] = [
            stored.publicID, event.provider, event.id, event.time?.rfc3339, event.category.rawValue, event.title,
            event.magnitude.map { "\($0)" }, event.depth.map { "\($0)" },
            event.location.map { "\($0.coordinate.latitude)" }, event.location.map { "\($0.coordinate.longitude)" },
            event.location?.method.rawValue, event.location?.precision.rawValue, event.place, event.author?.name,
            event.link, event.status, "\(stored.revision)", stored.withdrawal?.reason,
        ]
        return cells.map { cell in
            guard var text = cell else { return "" }
            if let first = text.first, "=+@\t".contains(first) || (first == "-" && Double(text) == nil) {
                text = "'" + text
            }
            let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline }
            return isPlain ? text : "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }.joined(separator: ",")
    }
}
