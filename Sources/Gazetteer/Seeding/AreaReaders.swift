/// Reads GeoNames' admin1CodesASCII.txt and admin2Codes.txt: code, name, ASCII name, GeoNames id.
final class DivisionReader: RowReader {
    let encoding = RowEncoding.utf8

    private let kind: Place.Kind
    private let fields = RowFields(capacity: 4)

    /// - Parameter kind: `region` for codes of two parts, `district` for codes of three.
    init(_ kind: Place.Kind) { self.kind = kind }

    func take(_ line: UnsafeBufferPointer<UInt8>, into builder: CityTableBuilder) throws(GazetteerError) -> RowOutcome {
        if line.first == 0x23 || line.starts(with: "concatenated codes".utf8) { return .ignored }
        fields.splitTabs(line)
        guard fields.count == 4 else {
            return .refused(fields.count < 4 ? .missingFields : .extraFields)
        }
        guard let code = String(row: fields[0]), let name = String(row: fields[1]),
            let plainName = String(row: fields[2])
        else { return .refused(.badEncoding) }
        let parts = code.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == (kind == .region ? 2 : 3), parts.allSatisfy({ !$0.isEmpty }), code.utf8.count <= 170,
            AreaCode.isCountry(UnsafeBufferPointer(rebasing: fields[0].prefix(2))), parts[0].utf8.count == 2
        else { return .refused(.badCode) }
        guard let number = NumberField.whole(fields[3]), number > 0 else { return .refused(.badNumber) }
        // A few divisions have only the ASCII name.
        let names = [name, plainName].filter { !$0.isEmpty }
        guard let first = names.first else { return .refused(.missingFields) }
        let area = AreaRecord(
            kind: kind, code: code, name: first, otherNames: Array(names.dropFirst()), geonameID: number)
        guard try builder.add(area) else { return .refused(.duplicate) }
        return .kept
    }
}

/// Reads GeoNames' countryInfo.txt: 19 columns separated by tabs, after comments.
final class CountryReader: RowReader {
    let encoding = RowEncoding.utf8

    private let fields = RowFields(capacity: 19)

    func take(_ line: UnsafeBufferPointer<UInt8>, into builder: CityTableBuilder) throws(GazetteerError) -> RowOutcome {
        if line.first == 0x23 { return .ignored }
        fields.splitTabs(line)
        guard fields.count == 19 else {
            return .refused(fields.count < 19 ? .missingFields : .extraFields)
        }
        guard let code = String(row: fields[0]), let longCode = String(row: fields[1]),
            let name = String(row: fields[4]), let languages = String(row: fields[15])
        else { return .refused(.badEncoding) }
        guard AreaCode.isCountry(fields[0]) else { return .refused(.badCode) }
        guard !name.isEmpty else { return .refused(.missingFields) }
        // Former countries have no id.
        if fields[16].isEmpty { return .skipped(.historical) }
        guard let number = NumberField.whole(fields[16]), number > 0,
            let population = fields[7].isEmpty ? 0 : NumberField.whole(fields[7])
        else { return .refused(.badNumber) }
        let area = AreaRecord(
            kind: .country, code: code, name: name, abbreviations: longCode.isEmpty ? [] : [longCode],
            geonameID: number, population: population, languages: languages.isEmpty ? nil : languages)
        guard try builder.add(area) else { return .refused(.duplicate) }
        return .kept
    }
}

extension String {
    /// The text of a column of an area; nil for invalid UTF-8, control characters or more than 500 bytes.
    fileprivate init?(row bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= RowText.longest else { return nil }
        var index = 0
        while index < bytes.count {
            let length = RowText.sequenceLength(bytes, at: index)
            guard length > 0, bytes[index] >= 0x20, bytes[index] != 0x7F else { return nil }
            index += length
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
