import Foundation

/// The format of an input for seeding, recognised by its content, not by its name; the raw value names it for people.
public enum InputFormat: String, Sendable, Hashable, CaseIterable {
    /// MaxMind's worldcitiespop.txt: seven columns between commas, with its heading.
    case worldCities = "MaxMind worldcitiespop"
    /// GeoNames' cities500.txt … cities15000.txt, allCountries.txt or the file of one country: 19 columns between tabs.
    case geoNamesCities = "GeoNames cities"
    /// GeoNames' admin1CodesASCII.txt: the first-level divisions, four columns between tabs.
    case admin1 = "GeoNames admin1 codes"
    /// GeoNames' admin2Codes.txt: the second-level divisions, four columns between tabs.
    case admin2 = "GeoNames admin2 codes"
    /// GeoNames' countryInfo.txt: the countries, 19 columns between tabs.
    case countryInfo = "GeoNames countryInfo"

    /// Formats that have cities.
    public static let cities: Set<InputFormat> = [.worldCities, .geoNamesCities]
    /// Formats that have countries and their divisions.
    public static let regions: Set<InputFormat> = [.admin1, .admin2, .countryInfo]

    /// The accepted inputs, for messages.
    static let accepted = """
        MaxMind's worldcitiespop.txt, a GeoNames table of cities (cities500.txt to cities15000.txt, allCountries.txt), \
        admin1CodesASCII.txt, admin2Codes.txt and countryInfo.txt, plain or packed with gzip or zip
        """

    /// Number of bytes needed to recognise a format.
    static let sampleBytes = 64 << 10

    /// The format of a file that begins with `sample`; nil if it is none of these. 64 KiB are enough.
    ///
    /// It tries each line until 20 lines other than comments have failed, so a broken first row does not matter.
    public init?(sample: [UInt8]) {
        var bytes = sample[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let isCut = sample.count >= Self.sampleBytes
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if isCut, lines.count > 1 { lines.removeLast() }
        var looked = 0
        for line in lines where looked < 20 {
            let text = line.last == 0x0D ? line.dropLast() : line
            if let format = Self.format(ofLine: text) {
                self = format
                return
            }
            if !text.isEmpty, text.first != UInt8(ascii: "#") { looked += 1 }
        }
        return nil
    }

    private static func format(ofLine line: ArraySlice<UInt8>) -> InputFormat? {
        if line.count < 200, isWorldCitiesHeading(line) { return .worldCities }
        let columns = line.split(separator: 0x09, omittingEmptySubsequences: false)
        if columns.count == 19 {
            if isCountryHeading(columns) || isCountry(columns) { return .countryInfo }
            return isGeoName(columns) ? .geoNamesCities : nil
        }
        guard columns.count == 4, isNumber(columns[3]) else { return nil }
        let parts = columns[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, isCapitals(parts[0], 2), parts.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        return parts.count == 2 ? .admin1 : .admin2
    }

    static let worldCitiesHeading = "country,city,accentcity,region,population,latitude,longitude"

    private static func isWorldCitiesHeading(_ line: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: line, as: UTF8.self).lowercased()
        return text.filter { $0 != "\"" && $0 != " " } == worldCitiesHeading
    }

    /// The comment line of countryInfo.txt with the names of its columns.
    private static func isCountryHeading(_ columns: [ArraySlice<UInt8>]) -> Bool {
        columns[0].elementsEqual("#ISO".utf8) && columns[1].elementsEqual("ISO3".utf8)
    }

    private static func isCountry(_ columns: [ArraySlice<UInt8>]) -> Bool {
        isCapitals(columns[0], 2) && isCapitals(columns[1], 3) && isNumber(columns[2])
    }

    private static func isGeoName(_ columns: [ArraySlice<UInt8>]) -> Bool {
        isNumber(columns[0]) && isCapitals(columns[6], 1) && isDecimal(columns[4]) && isDecimal(columns[5])
    }

    private static func isCapitals(_ text: ArraySlice<UInt8>, _ count: Int) -> Bool {
        text.count == count && text.allSatisfy { (0x41...0x5A).contains($0) }
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        (1...18).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isDecimal(_ text: ArraySlice<UInt8>) -> Bool {
        (1...24).contains(text.count) && Double(String(decoding: text, as: UTF8.self)) != nil
    }
}
