import Model
import Reading

/// Where the columns of a Global Volcanism Program list stand, by the names in its header.
///
/// Versions of the list differ in columns, their order and their names: the web site's lists of 2013 to 2026 and its
/// web service (WFS) are known.
struct VolcanoColumns {
    /// What a column holds.
    enum Column: CaseIterable {
        case number, name, country, latitude, longitude, elevation, type, lastEruption, region, subregion, evidence
        case rock, setting, text, picture

        /// The titles it goes by, folded.
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

    /// How many columns the list has.
    let count: Int
    private let places: [Column: Int]

    /// Reads a header; nil for a row that does not name volcano, latitude and longitude.
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

    /// The value of a row's column, without white space around it; nil when it is empty or not there. A no-break space
    /// stands for an empty value in the list of 2014.
    func value(_ column: Column, of fields: [String]) -> String? {
        guard let place = places[column], place < fields.count else { return nil }
        let value = HTMLText.bounded(HTMLText.plain(fields[place]), column == .text ? 64 << 10 : 2000)
        return value.isEmpty ? nil : value
    }
}

extension VolcanoDraft {
    /// Reads a row of the list.
    /// - Parameter hasDecimalCommas: Whether a comma may stand for the decimal point: not in a list divided by commas.
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

    /// The year of `1944 CE`, `8300 BCE` or `-8300`; nil for `Unknown`.
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
