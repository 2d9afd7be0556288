/// A state or province whose name and abbreviations are built in.
public struct StateName: Sendable, Hashable {
    /// ISO 3166-1 alpha-2 code of its country: `US`, `CA` or `AU`.
    public let country: String
    /// GeoNames' admin1 code: letters in the USA, two digits in Canada and Australia.
    public let code: String
    /// The English name.
    public let name: String
    /// Further names, such as `Labrador`; mostly empty.
    public let otherNames: [String]
    /// The postal code, then abbreviations of newspapers (Associated Press and Canadian Press styles); never empty.
    /// Abbreviations that fold to the same (`N.Y.` and `NY`) stand once.
    public let abbreviations: [String]

    /// Code of the area in the city table, country and code with a full stop: `US.CA`.
    public var areaCode: String { "\(country).\(code)" }
}

/// The states of the USA and Australia and the provinces of Canada. Datelines and messages write their abbreviations
/// after cities, and MaxMind's table shares their codes with GeoNames.
public enum StateNames {
    /// All states, by country: USA, Canada, Australia; built in, not read from a table.
    public static let all: [StateName] = WordFile("states").records("states").compactMap(state)

    /// ISO 3166-1 alpha-2 codes of the countries whose region codes in MaxMind's table are GeoNames' (after
    /// `geoNamesCode`).
    public static let countries: Set<String> = ["US", "CA", "AU"]

    /// GeoNames' admin1 code for a postal code in a country, both in upper case (`ON` in `CA` is `08`); nil if there is
    /// none.
    public static func geoNamesCode(country: String, postal: String) -> String? {
        all.first { $0.country == country && $0.abbreviations.first == postal }?.code
    }

    private static func state(_ record: [[String]]) -> StateName? {
        guard record.count > 2, let area = record[0].first?.split(separator: "."), area.count == 2 else { return nil }
        return StateName(
            country: String(area[0]), code: String(area[1]), name: record[1].joined(separator: ", "),
            otherNames: record.count > 3 ? record[3] : [], abbreviations: record[2])
    }
}
