public import Foundation
public import Model
import SQLite

/// A GeoPackage 1.3 (OGC 12-128r18) in progress: an SQLite file with one feature table, `events`.
///
/// The columns are `fid` (from 1 on), `geom` (the event's shape, else its point, in WGS 84) and those of a table of
/// events. The file is written without a journal: it is invalid before `finish(at:)` and after an error. Not
/// for several threads at a time; its functions block.
public final class GeoPackage {
    private let file: DatabaseFile
    private let columns: [EventProperty]
    private let insert: Statement
    private let index: Statement
    private var count: Int64 = 0
    private var extent = WellKnownBinary.Extent()

    /// Begins a GeoPackage and opens its file until the value is released.
    /// - Parameters:
    ///   - path: Path of an empty file.
    ///   - columns: The columns behind `geom`, each name once; by default those of `EventCSV.head`.
    /// - Throws: `SQLiteError` if the file cannot be opened or written.
    public init(path: String, columns: [EventProperty] = EventCSV.columns) throws {
        let file = try DatabaseFile(path: path)
        try file.connection.execute(GeoPackageSchema.beginning)
        let declared = columns.map { "\($0.name) \($0.columnType)" }
        try file.connection.execute(GeoPackageSchema.features(declared))
        let places = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
        insert = try file.connection.prepare("INSERT INTO events VALUES (\(places))")
        index = try file.connection.prepare("INSERT INTO rtree_events_geom VALUES (?, ?, ?, ?, ?)")
        self.file = file
        self.columns = columns
    }

    /// Adds an event as a row; `geom` is NULL if it has no location.
    /// - Throws: `SQLiteError` if the file cannot be written, for instance on a full disk; the file is then unusable.
    public func add(_ stored: StoredEvent) throws {
        count += 1
        let geometry = geometry(of: stored.event)
        insert.bind(count)
        if let geometry { insert.bind(Self.blob(geometry)) } else { insert.bind(String?.none) }
        for column in columns { insert.bind(column.value(of: stored)) }
        try insert.run()
        guard let box = geometry?.extent else { return }
        index.bind(count)
        index.bind(box.west)
        index.bind(box.east)
        index.bind(box.south)
        index.bind(box.north)
        try index.run()
        extent.add(box)
    }

    /// Completes the file and commits it; afterwards nothing may be added.
    /// - Parameter now: Time of the last change, stored in the file.
    /// - Throws: `SQLiteError` if the file cannot be written; it is then unusable.
    public func finish(at now: Date) throws {
        let contents = try file.connection.prepare(GeoPackageSchema.contents)
        contents.bind(now.timestamp)
        for edge in [extent.west, extent.south, extent.east, extent.north] {
            contents.bind(extent.isEmpty ? Double?.none : edge)
        }
        try contents.run()
        try file.connection.execute(GeoPackageSchema.end)
    }

    // MARK: - Geometry

    /// The shape, else the point; nil if the event has no location.
    private func geometry(of event: Event) -> WellKnownBinary? {
        let shape = event.geometry.flatMap { GeoJSONShape($0, droppingHeights: true)?.normalised }
        return shape.flatMap { WellKnownBinary($0) } ?? event.location.map { WellKnownBinary($0.coordinate) }
    }

    /// GeoPackageBinary (OGC 12-128r18 §2.1.3): a header, with a box unless the geometry is a point.
    private static func blob(_ geometry: WellKnownBinary) -> Data {
        // Version 0. Flags: little-endian numbers (1) and a two-dimensional box (2).
        var bytes: [UInt8] = [0x47, 0x50, 0, geometry.isPoint ? 1 : 3]
        bytes.append(littleEndian: GeoPackageSchema.wgs84)
        if !geometry.isPoint {
            let box = geometry.extent
            for edge in [box.west, box.east, box.south, box.north] { bytes.append(littleEndian: edge.bitPattern) }
        }
        return Data(bytes + geometry.bytes)
    }
}

// MARK: - Columns

extension EventProperty {
    /// The type of its column (OGC 12-128r18, table 1).
    fileprivate var columnType: String {
        switch kind {
        case .string: format == "date-time" ? "DATETIME" : "TEXT"
        case .number: "REAL"
        case .integer: "INTEGER"
        case .array, .object: "TEXT"
        }
    }
}

extension Statement {
    /// Binds the value of a property to the next parameter; nil binds NULL.
    fileprivate func bind(_ value: EventProperty.Value?) {
        switch value {
        case nil: bind(String?.none)
        case .number(let number)?: bind(number)
        case .whole(let number)?: bind(number)
        case .text?, .time?, .texts?, .json?: bind(value?.cell)
        }
    }
}
