import Foundation

/// Reads MaxMind's worldcitiespop.txt: `Country,City,AccentCity,Region,Population,Latitude,Longitude`.
///
/// It was published in ISO-8859-1; copies in UTF-8 are recognised by content. AccentCity is the name. City is another
/// name if it differs by more than accents. Region codes are FIPS 10-4 outside the USA.
final class WorldCitiesReader: RowReader {
    private let fields = RowFields(capacity: 7)
    private let name = RowText()
    private let otherName = RowText()
    private var folding = NameFolding()
    /// The country in two bytes, then the region.
    private let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 + 1 + longestRegion)
    private var known: RowEncoding?

    private static let longestRegion = 8

    init(sample: [UInt8]) {
        known = sample.withUnsafeBufferPointer { RowEncoding.guess($0) }
    }

    deinit { codes.deallocate() }

    var encoding: RowEncoding { known ?? .latin1 }

    func take(_ line: UnsafeBufferPointer<UInt8>, into builder: CityTableBuilder) throws(GazetteerError) -> RowOutcome {
        guard fields.splitCommas(line) else { return .refused(.brokenQuoting) }
        guard fields.count == 7 else {
            return .refused(fields.count < 7 ? .missingFields : .extraFields)
        }
        guard takeCountry(fields[0]) else {
            return Self.isHeading(line) ? .ignored : .refused(fields[0].isEmpty ? .missingFields : .badCode)
        }
        guard let regionCount = takeRegion(fields[3]) else { return .refused(.badCode) }
        let given = fields[2].isEmpty ? fields[1] : fields[2]
        guard !given.isEmpty, !fields[5].isEmpty, !fields[6].isEmpty else { return .refused(.missingFields) }
        // An ASCII sample leaves the encoding open until the first row with other bytes.
        if known == nil { known = RowEncoding.guess(line) }
        if let fault = name.take(given, in: encoding) { return .refused(fault) }
        guard let latitude = NumberField.degrees(fields[5]), let longitude = NumberField.degrees(fields[6]),
            let population = fields[4].isEmpty ? 0 : NumberField.whole(fields[4])
        else { return .refused(.badNumber) }
        if let fault = CityRow.fault(latitude: latitude, longitude: longitude) { return .refused(fault) }
        guard let key = folding.key(name.bytes, isLatin1: false) else { return .refused(.noName) }
        let id = builder.nextMaxMindID()
        let row = CityRow(
            id: id, key: key, name: name.bytes, country: UnsafeBufferPointer(start: codes, count: 2),
            region: UnsafeBufferPointer(start: codes + 2, count: regionCount), population: population,
            latitude: latitude, longitude: longitude)
        guard try builder.insert(row) else { return .refused(.duplicate) }
        if !Self.isSame(fields[1], fields[2]), otherName.take(fields[1], in: encoding) == nil,
            let other = folding.key(otherName.bytes, isLatin1: false), other != key
        {
            try builder.insertAlternate(other, population: population, city: id)
        }
        return .kept
    }

    /// Stores two letters as capitals; returns false for other texts. Two codes have changed since the table was made.
    private func takeCountry(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == 2 else { return false }
        var (first, second) = (text[0] & 0xDF, text[1] & 0xDF)
        guard (0x41...0x5A).contains(first), (0x41...0x5A).contains(second) else { return false }
        if first == 0x5A, second == 0x52 { (first, second) = (0x43, 0x44) }  // ZR, Zaire: CD
        if first == 0x54, second == 0x50 { (first, second) = (0x54, 0x4C) }  // TP, East Timor: TL
        codes[0] = first
        codes[1] = second
        return true
    }

    /// Stores the region's code in the city table after the country; returns its length, nil for an invalid code.
    private func takeRegion(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !text.isEmpty, !(text.count == 2 && text[0] == 0x30 && text[1] == 0x30) else { return 0 }
        guard text.count <= Self.longestRegion else { return nil }
        var start = 2
        if !isShared(codes[0], codes[1]) {
            codes[2] = 0x7E  // ~
            start = 3
        }
        for (offset, byte) in text.enumerated() {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: codes[start + offset] = byte
            default: return nil
            }
        }
        if codes[0] == 0x43, start == 2, codes[2] >= 0x41 {
            // A postal code of Canada, which later editions have instead of the number.
            let postal = String(decoding: text, as: UTF8.self).uppercased()
            guard let code = StateNames.geoNamesCode(country: "CA", postal: postal) else { return 0 }
            for (offset, byte) in code.utf8.enumerated() { codes[2 + offset] = byte }
            return code.utf8.count
        }
        return start - 2 + text.count
    }

    /// Whether MaxMind's regions of a country are GeoNames': in the USA, Canada and Australia (`StateNames`).
    private func isShared(_ first: UInt8, _ second: UInt8) -> Bool {
        switch (first, second) {
        case (0x55, 0x53), (0x43, 0x41), (0x41, 0x55): true
        default: false
        }
    }

    private static func isHeading(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = String(decoding: line, as: UTF8.self).lowercased()
        return text.filter { $0 != "\"" && $0 != " " } == InputFormat.worldCitiesHeading
    }

    /// Whether two names differ at most in the case of ASCII letters.
    private static func isSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return b.isEmpty }
        for index in 0..<a.count where a[index] != b[index] {
            let letter = a[index] | 0x20
            guard letter == b[index] | 0x20, (0x61...0x7A).contains(letter) else { return false }
        }
        return true
    }
}
