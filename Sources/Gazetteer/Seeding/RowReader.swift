import Reading

/// Reads the rows of one format into a table.
protocol RowReader: AnyObject {
    /// The encoding of the table's text, for showing rows.
    var encoding: RowEncoding { get }

    /// Reads a line that is neither empty nor too long.
    /// - Throws: `GazetteerError` if the table cannot be written.
    func take(_ line: UnsafeBufferPointer<UInt8>, into builder: CityTableBuilder) throws(GazetteerError) -> RowOutcome
}

extension InputFormat {
    /// A reader for a file of this format that begins with `sample`.
    func reader(sample: [UInt8]) -> any RowReader {
        switch self {
        case .worldCities: WorldCitiesReader(sample: sample)
        case .geoNamesCities: GeoNamesCityReader()
        case .admin1: DivisionReader(.region)
        case .admin2: DivisionReader(.district)
        case .countryInfo: CountryReader()
        }
    }
}
