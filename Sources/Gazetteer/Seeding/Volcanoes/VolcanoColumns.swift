import Model
import Reading

/// The positions of the columns in a Global Volcanism Program list, by the titles in its header.
///
/// Versions of the list differ in columns, order and titles. Known are the lists of the web site (2013 to 2026) and of
/// its web service (WFS).
struct VolcanoColumns {
    /// The content of a column.
    enum Column: CaseIterable {
        case number, name, country, latitude, longitude, elevation, type, lastEruption, region, subregion, evidence
        case rock, setting, text, picture

        /// The column's known titles, folded.
        var titles: [String] {
            switch self {
            case .number: ["volcano number", "vnum"]
            case .name: ["volcano name"]
            case .country: ["country"]
            case .latitude: ["latitude"]
            case .longitude: ["longitude"]
            case .elevation: ["elevation m", "elevation"]
            case .type: ["primary volcano type"]
            case .lastEruption: ["last known eruption", "last eruption year"]
            case .region: ["region", "volcanic region"]
            case .subregion: ["subregion"]
            case .evidence: ["activity evidence", "evidence category"]
            case .rock: ["dominant rock type", "major rock type", "major rock 1"]
            case .setting: ["tectonic setting", "tectonic settings"]
            case .text: ["geological summary"]
            case .picture: ["primary photo link"]
            }
        }
    }

    /// Number of columns in the list.
    let count: Int
    private let places: [Column: Int]

    /// Reads a header; fails for a row without volcano name, latitude and longitude.
    init?(header: [String]) {
        let titles = header.map { NameFolding.folded($0) }
        var places: [Column: Int] = [:]
        for column in Column.allCases {
            for title in column.titles where places[column] == nil { places[column] = titles.firstIndex(of: title) }
        }
        guard places[.name] != nil, places[.latitude] != nil, places[.longitude] != nil else { return nil }
        self.places = places
        count = header.count
    }

    /// The value of a row's column, without surrounding white space; nil if it is empty or missing. The list of 2014
    /// has no-break spaces for empty values.
    func value(_ column: Column, of fields: [String]) -> String? {
        guard let place = places[column], place < fields.count else { return nil }
        let value = HTMLText.bounded(HTMLText.plain(fields[place]), column == .text ? 64 << 10 : 2000)
        return value.isEmpty ? nil : value
    }
}

extension VolcanoDraft {
    /// Reads a row of the list.
    /// - Parameter hasDecimalCommas: Whether a comma may be the decimal point; not in a list separated by commas.
    init(line: Int, _ fields: [String], _ columns: VolcanoColumns, hasDecimalCommas: Bool) {
        func text(_ column: VolcanoColumns.Column) -> String? { columns.value(column, of: fields) }
        func number(_ column: VolcanoColumns.Column) -> String? {
            guard let value = text(column), hasDecimalCommas, !value.contains(".") else { return text(column) }
            return value.replacing(",", with: ".", maxReplacements: 1)
        }
        self.init(line: line, name: text(.name), latitude: number(.latitude), longitude: number(.longitude))
        self.number = text(.number)
        country = text(.country)
        picture = text(.picture)
        self.text = text(.text)
        details.type = text(.type)
        details.elevation = number(.elevation).flatMap { NumberReader.double($0) }
        details.lastEruptionYear = text(.lastEruption).flatMap { Self.year($0) }
        details.region = text(.region)
        details.subregion = text(.subregion)
        details.evidence = text(.evidence)
        details.rock = text(.rock)
        details.setting = text(.setting)
    }

    /// The year of `1944 CE`, `8300 BCE` or `-8300`; nil for other texts, such as `Unknown`.
    static func year(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard let first = words.first, let year = Int(first), year.magnitude < 100_000, words.count <= 2 else {
            return nil
        }
        switch words.dropFirst().first {
        case nil, "CE": return year
        case "BCE": return -year
        default: return nil
        }
    }
}
