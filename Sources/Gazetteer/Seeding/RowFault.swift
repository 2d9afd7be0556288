/// Why a row of a table cannot be used. One bad row costs one row.
public enum RowFault: String, Sendable, CaseIterable {
    /// Fewer columns than the format has, or an empty one that is needed.
    case missingFields = "missing_fields"
    /// More columns than the format has.
    case extraFields = "extra_fields"
    /// A quoted field that does not end, or goes on behind its end.
    case brokenQuoting = "broken_quoting"
    /// Bytes that are no text in the file's encoding, or control characters in a name.
    case badEncoding = "bad_encoding"
    /// A number that is none.
    case badNumber = "bad_number"
    /// A latitude beyond ±90° or a longitude beyond ±180°.
    case outOfRange = "out_of_range"
    /// 0°, 0°: what tables write for "unknown".
    case zeroCoordinates = "zero_coordinates"
    /// A country, region or area code that is none.
    case badCode = "bad_code"
    /// A name without a letter or digit.
    case noName = "no_name"
    /// A line above 1 MiB, or a name above 500 bytes.
    case tooLong = "too_long"
    /// A number or code that an earlier row of the same seeding has.
    case duplicate
}

/// Why a sound row is left out on purpose.
public enum RowSkip: String, Sendable, CaseIterable {
    /// A mountain, a lake, a building (GeoNames' feature classes other than P).
    case notACity = "not_a_city"
    /// A populated place that is no more (PPLH, PPLQ, PPLW).
    case historical
}

/// What became of a row.
enum RowOutcome {
    case kept
    /// A heading, a comment or an empty line.
    case ignored
    case skipped(RowSkip)
    case refused(RowFault)
}
