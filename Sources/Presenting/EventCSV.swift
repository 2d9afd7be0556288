public import Model
import Reading

/// Events and updates as records of CSV (RFC 4180) in UTF-8, with commas.
public enum EventCSV {
    /// The columns of a table of events. New ones are appended at the end. A name that no property has would leave its
    /// column empty, in its place.
    public static let columns: [EventProperty] = [
        "public_id", "provider", "upstream_id", "time", "category", "title", "magnitude", "depth_km", "latitude",
        "longitude", "location_method", "location_precision", "place_text", "author_name", "link", "status", "revision",
        "withdrawn", "summary", "updated", "location_confidence", "location_evidence", "sources", "time_source",
        "change_seq", "location_country", "location_radius_km", "location_matched_text", "location_name",
        "magnitude_type", "magnitude_error", "first_seen",
    ].map { EventProperty.named($0) ?? EventProperty.empty($0) }

    /// The line with the columns' names, which are those of `StoredEvent.json`, without a line end.
    public static let head = names(of: columns)

    /// The line with the names of some columns, without a line end.
    public static func names(of columns: [EventProperty]) -> String { columns.map(\.name).joined(separator: ",") }

    /// Appends an event's record without a line end; missing values are empty cells. Its sources share one cell,
    /// separated by semicolons; numbers are written as in `StoredEvent.json`.
    /// - Parameter columns: The columns; by default those of `head`.
    public static func append(
        _ stored: StoredEvent, _ columns: [EventProperty] = Self.columns, to record: inout [UInt8]
    ) {
        record.append(cells: columns.map { $0.value(of: stored)?.cell })
    }

    /// Appends an update's record without a line end. That of an event that is gone has only its id, number and change.
    /// - Parameter columns: The columns before `change`; by default those of `head`.
    public static func append(
        _ update: EventUpdate, _ columns: [EventProperty] = Self.columns, to record: inout [UInt8]
    ) {
        switch update {
        case .changed(let event, let kind):
            append(event, columns, to: &record)
            record.append(cells: [nil, kind.rawValue])
        case .gone(let change, _):
            let cells = [
                "public_id": change.publicID, "change_seq": change.sequence.description,
                "change": change.kind.rawValue,
            ]
            record.append(cells: (columns.map(\.name) + ["change"]).map { cells[$0] })
        }
    }
}

extension [UInt8] {
    /// Appends a record (RFC 4180) without a line end; nil gives an empty cell.
    ///
    /// Each cell is on one line, with a space for each line break, and safe to show (`safeToShow`). An apostrophe
    /// precedes a cell that a spreadsheet would read as a formula (`defused`).
    public mutating func append(cells: [String?]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { append(comma) }
            if let cell { append(cell: cell.onOneLine.safeToShow.defused) }
        }
    }

    private mutating func append(cell: String) {
        var cell = cell
        cell.withUTF8 { text in
            let isQuoted = text.contains { $0 == comma || $0 == quote }
            if isQuoted { append(quote) }
            guard isQuoted else { return append(contentsOf: text) }
            for byte in text {
                if byte == quote { append(quote) }
                append(byte)
            }
            append(quote)
        }
    }
}

extension String {
    /// The text with a space for each line break.
    public var onOneLine: String {
        // The first bytes of all line breaks.
        let mayBreak = utf8.contains { (0x0A...0x0D).contains($0) || $0 == 0xC2 || $0 == 0xE2 }
        guard mayBreak else { return self }
        var isAfterReturn = false
        return replacing { character, out in
            // CRLF is one break.
            let isSecond = isAfterReturn && character == "\n"
            isAfterReturn = character == "\r"
            guard character.isLineBreak else { return false }
            if !isSecond { out.append(0x20) }
            return true
        }
    }

    /// The text, behind an apostrophe if a spreadsheet would read it as a formula: if it begins with `=`, `+` or `@`, or
    /// with `-` but is no number, also in their full-width and small forms, which spreadsheets of East Asia take for
    /// the same.
    public var defused: String {
        switch unicodeScalars.first {
        case "=", "+", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{FE66}", "\u{FE62}", "\u{FE63}",
            "\u{FE6B}":
            "'" + self
        case "-": Double(self) == nil ? "'" + self : self
        default: self
        }
    }
}

extension Unicode.Scalar {
    /// Whether it ends a line (UAX #14: BK, CR, LF, NL).
    fileprivate var isLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

private let comma = UInt8(ascii: ",")
private let quote = UInt8(ascii: "\"")
