import ArgumentParser
import Foundation
import Model
import Presenting

/// Output formats of events.
enum EventFormat: String, CaseIterable, ExpressibleByArgument {
    case table, ndjson, geojson, geojsonseq, csv, gpkg
}

/// Prints events one after another in one format.
struct EventPrinter: ~Copyable {
    private let format: EventFormat
    private let file: OutputFile?
    private let geoPackage: GeoPackage?
    private var output: Output
    private var table: TextTable
    private var count = 0
    /// Columns left out of the table, decided by the terminal's width when the headings were printed.
    private var spared: Set<String>?
    private static let headings = ["ID", "TIME (UTC)", "CATEGORY", ">MAG", ">LAT", ">LON", "WHERE", "TITLE"]
    private static let sparing = [">LON", ">LAT", "WHERE", "CATEGORY", ">MAG"]
    /// Least width of a useful title, in columns.
    private static let leastTitle = 20

    /// - Parameters:
    ///   - file: The output file in place of standard output; required for a GeoPackage.
    ///   - isFollowing: Whether updates are printed, each with its change, instead of events.
    init(_ format: EventFormat, to file: OutputFile? = nil, isFollowing: Bool = false) {
        self.format = format
        self.file = file
        geoPackage = format == .gpkg ? file?.writing { try GeoPackage(path: $0) } : nil
        output = Output(to: file)
        table = TextTable(isFollowing ? Self.row(Self.headings, with: "CHANGE") : Self.headings)
        switch format {
        case .csv: output.line(isFollowing ? EventCSV.updatesHead : EventCSV.head)
        case .geojson: output.line(FeatureCollection.head)
        case .table, .ndjson, .geojsonseq, .gpkg: break
        }
    }

    mutating func add(_ event: StoredEvent) {
        switch format {
        case .table: table.add(Self.row(event))
        case .ndjson: output.json(event.json)
        case .geojson: output.json(FeatureCollection.line(event, isFirst: count == 0))
        case .geojsonseq: output.record(event.feature)
        case .csv: output.line { EventCSV.append(event, to: &$0) }
        case .gpkg: file?.writing { [geoPackage] _ in try geoPackage?.add(event) }
        }
        count += 1
    }

    /// Adds an update, for a printer that follows; it writes neither a GeoJSON document nor a GeoPackage.
    mutating func add(_ update: EventUpdate) {
        switch (format, update) {
        case (.ndjson, _), (.geojson, _), (.gpkg, _): output.json(update.json)
        case (.geojsonseq, _): output.record(update.feature)
        case (.csv, _): output.line { EventCSV.append(update, to: &$0) }
        case (.table, .changed(let event, let kind)): table.add(Self.row(Self.row(event), with: kind.rawValue))
        case (.table, .gone(let change, let successor)):
            let blanks = Self.headings.dropFirst(2).map { _ in "" }
            table.add([change.publicID, change.kind.rawValue] + blanks + [successor.map { "into \($0)" } ?? ""])
        }
        count += 1
    }

    /// Writes the collected lines; for `--follow`, which has no end.
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
            if count > 0 { showTable() } else { Terminal.printError("no events match") }
        case .geojson: output.line(FeatureCollection.tail)
        case .ndjson, .geojsonseq, .csv: break
        case .gpkg: file?.writing { [geoPackage] _ in try geoPackage?.finish(at: Date()) }
        }
        output.flush()
        file?.finish()
    }

    /// The cells of a row with the change after the id.
    private static func row(_ cells: [String], with change: String) -> [String] {
        [cells[0], change] + cells.dropFirst()
    }

    private static func row(_ stored: StoredEvent) -> [String] {
        let event = stored.event
        let title = stored.withdrawal.map { "[\($0.reason)] \(event.title)" } ?? event.title
        return [
            stored.publicID, (event.time ?? stored.firstSeen).wholeSeconds + (stored.hasFeedTime ? "" : "?"),
            event.category.rawValue,
            event.magnitude?.shown(digits: 1...1) ?? "",
            event.location?.coordinate.latitude.shown(digits: 3...3) ?? "",
            event.location?.coordinate.longitude.shown(digits: 3...3) ?? "",
            event.location.map(whereabouts) ?? "", title,
        ]
    }

    /// The precision of a location, and for one found by name the text that named it: `city (author)`.
    private static func whereabouts(_ location: Location) -> String {
        let source = location.evidence.map { " (\($0.rawValue))" } ?? ""
        return location.precision.rawValue + source
    }
}
