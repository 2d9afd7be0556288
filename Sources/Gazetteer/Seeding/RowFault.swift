/// Why a row of a table is unusable; the raw value names the reason in reports. Only that row is lost.
public enum RowFault: String, Sendable, CaseIterable {
    /// Fewer columns than the format has, or a required column is empty.
    case missingFields = "missing_fields"
    /// More columns than the format has, such as an unquoted comma in a name makes.
    case extraFields = "extra_fields"
    /// A quoted field without its closing quote, or with text after it.
    case brokenQuoting = "broken_quoting"
    /// Bytes invalid in the file's encoding, or control characters in a name.
    case badEncoding = "bad_encoding"
    /// A text in place of a number, or a GeoNames id outside 1…999999999.
    case badNumber = "bad_number"
    /// A latitude beyond ±90° or a longitude beyond ±180°.
    case outOfRange = "out_of_range"
    /// The position 0°, 0°, which tables use for "unknown".
    case zeroCoordinates = "zero_coordinates"
    /// An invalid code of a country, region or area.
    case badCode = "bad_code"
    /// A name without a letter or digit.
    case noName = "no_name"
    /// A line above 1 MiB, or a name above 500 bytes.
    case tooLong = "too_long"
    /// The id or code of an earlier row of the same seeding, which is kept.
    case duplicate
}

/// Why a valid row is left out on purpose; the raw value names the reason in reports.
public enum RowSkip: String, Sendable, CaseIterable {
    /// A mountain, a lake, a building (GeoNames' feature classes other than P).
    case notACity = "not_a_city"
    /// A former populated place (PPLH, PPLQ, PPLW), or a former country.
    case historical
}

/// The outcome of a row.
enum RowOutcome {
    case kept
    /// A heading, a comment or an empty line.
    case ignored
    case skipped(RowSkip)
    case refused(RowFault)
}
