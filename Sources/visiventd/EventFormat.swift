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
    private let columns: [EventProperty]
    private let centre: Coordinate?
    private let file: OutputFile?
    private let geoPackage: GeoPackage?
    private var output: Output
    private var table: TextTable
    private var count = 0
    /// Columns left out of the table, decided by the terminal's width when the headings were printed.
    private var spared: Set<String>?
    private static let sparing = [">LON", ">LAT", "WHERE", "CATEGORY", ">MAG"]
    /// Least width of a useful title, in columns.
    private static let leastTitle = 20

    /// What stands behind the columns of CSV.
    enum Addition: String {
        /// Updates are printed, each with its change, instead of events.
        case change
        /// Earlier states are printed, each with whether it is known exactly.
        case exact
    }

    /// - Parameters:
    ///   - file: The output file in place of standard output; required for a GeoPackage.
    ///   - chosen: The columns, members or properties; nil, the default: those of the format.
    ///   - centre: The point from which a further column has the distances; nil, the default: none.
    ///   - addition: Nil by default: present events are printed.
    init(
        _ format: EventFormat, to file: OutputFile? = nil, _ chosen: [EventProperty]? = nil,
        from centre: Coordinate? = nil, with addition: Addition? = nil
    ) {
        let usual = format == .csv || format == .gpkg ? EventCSV.columns : EventProperty.all
        let columns = (chosen ?? usual) + (centre.map { [EventProperty.distance(from: $0)] } ?? [])
        self.format = format
        self.columns = columns
        self.centre = centre
        self.file = file
        geoPackage = format == .gpkg ? file?.writing { try GeoPackage(path: $0, columns: columns) } : nil
        output = Output(to: file)
        var headings = ["ID", "TIME (UTC)", "CATEGORY", ">MAG", ">LAT", ">LON", "WHERE", "TITLE"]
        if centre != nil { headings.insert(">KM", at: 6) }
        table = TextTable(addition == .change ? Self.row(headings, with: "CHANGE") : headings)
        switch format {
        case .csv:
            let last = addition.map { "," + $0.rawValue } ?? ""
            output.line(EventCSV.names(of: columns) + last)
        case .geojson: output.line(FeatureCollection.head)
        case .table, .ndjson, .geojsonseq, .gpkg: break
        }
    }

    /// - Parameter isExact: Whether an earlier state is known exactly; nil, the default, for a present one.
    mutating func add(_ event: StoredEvent, isExact: Bool? = nil) {
        let columns = columns
        switch format {
        case .table: table.add(row(event))
        case .ndjson: output.json(event.json(columns, isExact: isExact))
        case .geojson:
            output.json(FeatureCollection.line(event.feature(columns, isExact: isExact), isFirst: count == 0))
        case .geojsonseq: output.record(event.feature(columns, isExact: isExact))
        case .csv:
            output.line { line in
                EventCSV.append(event, columns, to: &line)
                if let isExact { line += ",\(isExact)".utf8 }
            }
        case .gpkg: file?.writing { [geoPackage] _ in try geoPackage?.add(event) }
        }
        count += 1
    }

    /// Adds an update, for a printer that follows; it writes neither a GeoJSON document nor a GeoPackage.
    mutating func add(_ update: EventUpdate) {
        let columns = columns
        switch (format, update) {
        case (.ndjson, _), (.geojson, _), (.gpkg, _): output.json(update.json(columns))
        case (.geojsonseq, _): output.record(update.feature(columns))
        case (.csv, _): output.line { EventCSV.append(update, columns, to: &$0) }
        case (.table, .changed(let event, let kind)): table.add(Self.row(row(event), with: kind.rawValue))
        case (.table, .gone(let change, let successor)):
            let blanks = Array(repeating: "", count: centre == nil ? 6 : 7)
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

    private func row(_ stored: StoredEvent) -> [String] {
        let event = stored.event
        let title = stored.withdrawal.map { "[\($0.reason)] \(event.title)" } ?? event.title
        var cells = [
            stored.publicID, (event.time ?? stored.firstSeen).wholeSeconds + (stored.hasFeedTime ? "" : "?"),
            event.category.rawValue,
            event.magnitude?.shown(digits: 1...1) ?? "",
            event.location?.coordinate.latitude.shown(digits: 3...3) ?? "",
            event.location?.coordinate.longitude.shown(digits: 3...3) ?? "",
            event.location.map(Self.whereabouts) ?? "", title,
        ]
        if let centre {
            let distance = event.location.map { centre.distance(to: $0.coordinate) }
            cells.insert(distance?.shown(digits: 1...1) ?? "", at: 6)
        }
        return cells
    }

    /// The precision of a location, and for one found by name the text that named it: `city (author)`.
    private static func whereabouts(_ location: Location) -> String {
        let source = location.evidence.map { " (\($0.rawValue))" } ?? ""
        return location.precision.rawValue + source
    }
}
