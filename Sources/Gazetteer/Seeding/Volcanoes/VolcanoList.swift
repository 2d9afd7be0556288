public import Foundation
import Model
import Reading

/// The volcanoes of one list, and the faults of its rows.
public struct VolcanoList: Sendable {
    /// The formats of a list, recognised by content.
    public enum Format: String, Sendable, CaseIterable, CustomStringConvertible {
        /// The list of the app Visivent: CSV without header, separated by commas; name, `longitude,latitude`, picture,
        /// webcam, text.
        case pictures
        /// A Global Volcanism Program list as CSV, separated by commas, semicolons or tabs.
        case table
        /// A Global Volcanism Program list as an XML spreadsheet (SpreadsheetML 2003), as the web site exports it.
        case spreadsheet
        /// Global Volcanism Program placemarks: KML or KMZ.
        case placemarks

        /// The format in words for people, such as `Global Volcanism Program list (CSV)`.
        public var description: String {
            switch self {
            case .pictures: "list with pictures (CSV without header)"
            case .table: "Global Volcanism Program list (CSV)"
            case .spreadsheet: "Global Volcanism Program list (XML spreadsheet)"
            case .placemarks: "Global Volcanism Program placemarks (KML)"
            }
        }
    }

    /// The largest list in bytes, unpacked: 64 MiB; a larger one is `unreadableInput`.
    public static let maximumBytes = DelimitedText.maximumBytes
    /// The most rows of a list, since there are some 2,700 volcanoes; a longer one is `unknownFormat`.
    public static let maximumRows = 100_000

    /// The format in which the list was recognised.
    public private(set) var format = Format.table
    /// The volcanoes in the order of the list, without duplicates and unusable rows; may be empty.
    public private(set) var entries: [VolcanoEntry] = []
    /// Number of rows or placemarks, faulty ones included, without headers and empty ones.
    public private(set) var rows = 0
    /// Faults by reason, in the order of their first rows; empty if there are none.
    public private(set) var issues: [VolcanoIssue] = []
    private var keys: Set<String> = []

    /// Reads a list: plain, or packed with gzip or zip. Faulty rows become `issues`.
    /// - Throws: `GazetteerError`: `unknownFormat`, naming what was found, also for an empty list and for too many
    ///   rows; `unreadableInput` for a damaged archive, and for a document that is cut short or too large.
    public init(_ data: Data) throws(GazetteerError) {
        let document = try Self.document(in: data)
        guard document.count <= Self.maximumBytes else {
            throw GazetteerError(
                .unreadableInput, "The list has \(document.count) bytes, of at most \(Self.maximumBytes)")
        }
        let text = TextEncoding.utf8(document, declared: nil)
        guard let first = text.first(where: { $0 > 0x20 }) else {
            throw GazetteerError(.unknownFormat, "This is no volcano list: it is empty")
        }
        if first == UInt8(ascii: "<") {
            try readXML(document)
        } else {
            let isTable = try readTable(text)
            if !isTable, try !readPictures(text) { throw Self.unknown(Self.looks(of: document, text: text)) }
        }
        guard rows <= Self.maximumRows else {
            throw GazetteerError(.unknownFormat, "This is no volcano list: it has more than \(Self.maximumRows) rows")
        }
    }

    // MARK: - Rows

    private mutating func add(_ draft: VolcanoDraft) {
        rows += 1
        guard rows <= Self.maximumRows, let entry = draft.entry(&issues) else { return }
        guard keys.insert(entry.point.key).inserted else { return issues.add("duplicate", line: entry.line) }
        entries.append(entry)
    }

    private mutating func refuse(_ reason: String, line: Int) {
        rows += 1
        issues.add(reason, line: line)
    }

    /// Whether all fields are empty or white space.
    private static func isBlank(_ fields: [String]) -> Bool {
        fields.allSatisfy { HTMLText.cleaned($0).isEmpty }
    }

    // MARK: - CSV

    /// Reads a list with a header among its first ten records; returns false if there is none.
    private mutating func readTable(_ text: Data) throws(GazetteerError) -> Bool {
        for delimiter in ",;\t".utf8 {
            var reader = try Self.reader(text, delimiter)
            for _ in 0..<10 {
                guard let record = reader.next() else { break }
                guard let columns = VolcanoColumns(header: record.fields) else { continue }
                format = .table
                readRows(&reader, columns, hasDecimalCommas: delimiter != UInt8(ascii: ","))
                return true
            }
        }
        return false
    }

    private mutating func readRows(
        _ reader: inout DelimitedText, _ columns: VolcanoColumns, hasDecimalCommas: Bool
    ) {
        while rows <= Self.maximumRows, let record = reader.next(accepts: { $0 == columns.count }) {
            var fields = record.fields
            if Self.isBlank(fields) { continue }
            while fields.count > columns.count, fields.last == "" { fields.removeLast() }
            guard fields.count == columns.count else {
                refuse(record.isTruncated ? "broken_quotes" : "wrong_columns", line: record.line)
                continue
            }
            if record.isTruncated { issues.add("mended_quotes", line: record.line, costsRow: false) }
            add(VolcanoDraft(line: record.line, fields, columns, hasDecimalCommas: hasDecimalCommas))
        }
    }

    /// Reads the app's list; returns false if none of the first ten records has a position in its second column.
    ///
    /// The published list has a text that ends with a doubled quote, so the next volcano would become part of it.
    private mutating func readPictures(_ text: Data) throws(GazetteerError) -> Bool {
        let widths = 2...5
        var probe = try Self.reader(text, UInt8(ascii: ","))
        var isFound = false
        for _ in 0..<10 where !isFound {
            guard let record = probe.next(accepts: { widths.contains($0) }) else { break }
            let position = record.fields.count > 2 ? VolcanoDraft.position(record.fields[1]) : []
            isFound = position.count == 2 && position.allSatisfy { NumberReader.double($0) != nil }
        }
        guard isFound else { return false }
        format = .pictures
        var reader = try Self.reader(text, UInt8(ascii: ","))
        while rows <= Self.maximumRows, let record = reader.next(accepts: { widths.contains($0) }) {
            if Self.isBlank(record.fields) { continue }
            guard widths.contains(record.fields.count) else {
                refuse(record.isTruncated ? "broken_quotes" : "wrong_columns", line: record.line)
                continue
            }
            if record.isTruncated { issues.add("mended_quotes", line: record.line, costsRow: false) }
            add(VolcanoDraft(line: record.line, pictures: record.fields))
        }
        return true
    }

    private static func reader(_ text: Data, _ delimiter: UInt8) throws(GazetteerError) -> DelimitedText {
        do throws(ReadingError) {
            return try DelimitedText(text, delimiter: delimiter)
        } catch {
            throw GazetteerError(.unreadableInput, "The list cannot be read: \(error.message)")
        }
    }

    // MARK: - XML

    private mutating func readXML(_ document: Data) throws(GazetteerError) {
        var columns: VolcanoColumns?
        var strangers: [Int] = []
        var volcanoes = 0
        let whole: XMLDocument
        do throws(ReadingError) {
            whole = try XMLReader.read(document, itemNames: ["Row", "Placemark"]) { node in
                guard rows <= Self.maximumRows else { return }
                if node.name == "Row" {
                    readRow(node, &columns)
                } else if let draft = VolcanoDraft(node) {
                    volcanoes += 1
                    add(draft)
                } else {
                    rows += 1
                    strangers.append(node.line)
                }
            }
        } catch {
            throw error.code == "too_large" || error.code == "out_of_memory"
                ? GazetteerError(.unreadableInput, "The list cannot be read: \(error.message)")
                : Self.unknown(error.message)
        }
        guard !whole.isTruncated else {
            throw GazetteerError(.unreadableInput, "The list ends before <\(whole.root.name)> is closed")
        }
        for item in whole.lostItems { refuse("bad_xml", line: item.line) }
        if columns != nil {
            format = .spreadsheet
        } else if volcanoes > 0 {
            format = .placemarks
            for line in strangers { issues.add("not_a_volcano", line: line) }
        } else {
            throw Self.unknown(
                whole.root.name == "Workbook"
                    ? "an XML spreadsheet without the columns Volcano Name, Latitude and Longitude"
                    : whole.root.name == "kml"
                        ? "a KML document that does not lead to the Global Volcanism Program"
                        : "an XML document whose root is <\(whole.root.name.prefix(40))>")
        }
    }

    /// Reads a row of a spreadsheet. Rows before the first header are titles; each sheet has its own header.
    private mutating func readRow(_ node: XMLNode, _ columns: inout VolcanoColumns?) {
        let fields = node.spreadsheetCells
        if let header = VolcanoColumns(header: fields) {
            columns = header
        } else if let columns, !Self.isBlank(fields) {
            add(VolcanoDraft(line: node.line, fields, columns, hasDecimalCommas: false))
        }
    }

    // MARK: - Input

    /// The document itself, taken out of its archive if it is in one.
    private static func document(in data: Data) throws(GazetteerError) -> Data {
        guard ArchiveReader.isArchive(data) else { return data }
        let members: [(name: String, data: Data)]
        do throws(ReadingError) {
            members = try ArchiveReader.members(data, limit: maximumBytes)
        } catch {
            throw GazetteerError(.unreadableInput, "The list cannot be unpacked: \(error.message)")
        }
        let names = members.map { $0.name.lowercased() }
        if names.contains("xl/workbook.xml") { throw unknown("an Excel workbook; save it as CSV") }
        for ending in ["doc.kml", ".kml", ".csv", ".txt", ".xml", ".xls"] {
            if let index = names.firstIndex(where: { $0.hasSuffix(ending) }) { return members[index].data }
        }
        if members.count == 1 { return members[0].data }
        let found = members.isEmpty ? "nothing" : members.prefix(5).map(\.name).joined(separator: ", ")
        throw unknown("an archive that holds \(HTMLText.bounded(HTMLText.cleaned(found), 200))")
    }

    private static func unknown(_ found: String) -> GazetteerError {
        GazetteerError(
            .unknownFormat,
            "This is no volcano list: found \(found). Known are a Global Volcanism Program list (CSV, XML spreadsheet "
                + "or KML), and CSV of name, \"longitude,latitude\", picture, webcam, text")
    }

    /// A description of an unknown input, for people.
    private static func looks(of document: Data, text: Data) -> String {
        if document.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) { return "an Excel workbook (.xls); save it as CSV" }
        if text.prefix(1024).contains(0) {
            let bytes = document.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return "binary data that begins with \(bytes.joined(separator: " "))"
        }
        let line = text.drop { $0 <= 0x20 }.prefix(400).prefix { $0 != 0x0A && $0 != 0x0D }
        return "'\(HTMLText.bounded(HTMLText.cleaned(String(decoding: line, as: UTF8.self)), 80))'"
    }
}
