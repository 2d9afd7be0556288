/// Reads a GeoNames table: 19 columns separated by tabs, UTF-8
/// (<https://download.geonames.org/export/dump/readme.txt>).
///
/// It keeps populated places (feature class P) except former ones. Other names are those of the columns asciiname and
/// alternatenames, except words of up to three capitals, since nearly all are airport codes.
final class GeoNamesCityReader: RowReader {
    let encoding = RowEncoding.utf8

    private let fields = RowFields(capacity: 19)
    private let name = RowText()
    private let otherName = RowText()
    private var folding = NameFolding()
    private var keys: [NameKey] = []

    func take(_ line: UnsafeBufferPointer<UInt8>, into builder: CityTableBuilder) throws(GazetteerError) -> RowOutcome {
        if line.first == 0x23 { return .ignored }
        fields.splitTabs(line)
        guard fields.count == 19 else {
            return .refused(fields.count < 19 ? .missingFields : .extraFields)
        }
        guard fields[6].count == 1, fields[6].first == 0x50 else { return .skipped(.notACity) }
        if Self.isGone(fields[7]) { return .skipped(.historical) }
        for column in [0, 1, 4, 5, 8] where fields[column].isEmpty { return .refused(.missingFields) }
        guard AreaCode.isCountry(fields[8]), AreaCode.isPlain(fields[10]), AreaCode.isPlain(fields[11]),
            AreaCode.isPlain(fields[7])
        else { return .refused(.badCode) }
        if let fault = name.take(fields[1], in: .utf8) { return .refused(fault) }
        guard let id = NumberField.whole(fields[0]), (1..<CityTableSchema.firstMaxMindID).contains(id),
            let latitude = NumberField.degrees(fields[4]), let longitude = NumberField.degrees(fields[5]),
            let population = fields[14].isEmpty ? 0 : NumberField.whole(fields[14])
        else { return .refused(.badNumber) }
        if let fault = CityRow.fault(latitude: latitude, longitude: longitude) { return .refused(fault) }
        guard let key = folding.key(name.bytes, isLatin1: false) else { return .refused(.noName) }
        let row = CityRow(
            id: id, key: key, name: name.bytes, country: fields[8], region: AreaCode.known(fields[10]),
            district: fields[11], feature: fields[7], population: population, latitude: latitude,
            longitude: longitude)
        guard try builder.insert(row) else { return .refused(.duplicate) }

        keys.removeAll(keepingCapacity: true)
        keys.append(key)
        try take(otherName: fields[2], of: row, into: builder)
        var rest = fields[3]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x2C) ?? rest.count
            try take(otherName: UnsafeBufferPointer(rebasing: rest[..<end]), of: row, into: builder)
            rest = UnsafeBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
        }
        return .kept
    }

    /// An unusable name is not a fault of the row.
    private func take(
        otherName text: UnsafeBufferPointer<UInt8>, of row: CityRow, into builder: CityTableBuilder
    ) throws(GazetteerError) {
        guard !text.isEmpty, !Self.isAirport(text), otherName.take(text, in: .utf8) == nil,
            let key = folding.key(otherName.bytes, isLatin1: false), !keys.contains(key)
        else { return }
        keys.append(key)
        try builder.insertAlternate(key, population: row.population, city: row.id)
    }

    /// Historical, abandoned or destroyed: PPLH, PPLQ, PPLW.
    private static func isGone(_ feature: UnsafeBufferPointer<UInt8>) -> Bool {
        guard feature.count == 4, feature[0] == 0x50, feature[1] == 0x50, feature[2] == 0x4C else { return false }
        return feature[3] == 0x48 || feature[3] == 0x51 || feature[3] == 0x57
    }

    /// Up to three ASCII capitals, such as `BER` and `L.A.`
    private static func isAirport(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= 6 else { return false }
        var letters = 0
        for byte in text where byte != 0x2E {
            guard (0x41...0x5A).contains(byte) else { return false }
            letters += 1
        }
        return letters <= 3
    }
}

/// Tests codes of countries and divisions, as bytes.
enum AreaCode {
    /// Whether it is two capitals.
    static func isCountry(_ code: UnsafeBufferPointer<UInt8>) -> Bool {
        code.count == 2 && code.allSatisfy { (0x41...0x5A).contains($0) }
    }

    /// Whether it is at most 80 bytes of UTF-8 without control characters and without the full stop that joins codes.
    static func isPlain(_ code: UnsafeBufferPointer<UInt8>) -> Bool {
        guard code.count <= 80 else { return false }
        var index = 0
        while index < code.count {
            let length = RowText.sequenceLength(code, at: index)
            guard length > 0, code[index] >= 0x20, code[index] != 0x7F, code[index] != 0x2E else { return false }
            index += length
        }
        return true
    }

    /// The code, or an empty one for `00`, which means "unknown".
    static func known(_ code: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        code.count == 2 && code[0] == 0x30 && code[1] == 0x30 ? UnsafeBufferPointer(rebasing: code[..<0]) : code
    }
}
