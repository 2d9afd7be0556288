import Fetching
import Foundation
import Geocoding
import Model
import TestSupport
import Testing

/// Every answer of a geocoding service, captured or handwritten, gives the result in `Fixtures/geocoders.tsv`.
@Suite struct GeocoderTableTests {
    /// The result of an answer.
    private enum End: Equatable {
        case found(latitude: Double, longitude: Double, precision: String, confidence: Double, id: String)
        case missing(String)
        case failed(String)
    }

    private struct Row {
        var isCapture: Bool
        var file: String
        var query: PlaceQuery
        var end: End
    }

    private static func rows() throws -> [Row] {
        let table = String(decoding: try Fixtures.data("geocoders.tsv"), as: UTF8.self)
        return try table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            try #require(cells.count >= 7, "\(line)")
            let context = cells[3].split(separator: "-").map { String($0) }
            let end: End
            switch cells[5] {
            case "found":
                end = .found(
                    latitude: try #require(Double(cells[6])), longitude: try #require(Double(cells[7])),
                    precision: cells[8], confidence: try #require(Double(cells[9])),
                    id: cells.count > 10 ? cells[10] : "")
            case "missing": end = .missing(cells[6])
            default: end = .failed(cells[6])
            }
            return Row(
                isCapture: cells[0] == "capture", file: cells[1],
                query: PlaceQuery(
                    text: cells[2], folded: cells[2].lowercased(),
                    context: PlaceContext(country: context.first, region: context.count > 1 ? context[1] : nil),
                    namedCountry: cells[4].isEmpty ? nil : cells[4], evidence: .place),
                end: end)
        }
    }

    private static func answer(to row: Row) throws -> Result<ProviderAnswer, Failure> {
        let body = FetchedBody(
            data: try row.isCapture ? Captures.data(row.file) : Fixtures.data(row.file), url: "https://example.org/")
        let geocoder: Geocoder =
            row.file.hasPrefix("mapquest/")
            ? .mapquest(MapQuest(url: "https://example.org/address", key: Secret("k3y+with/signs==")))
            : .nominatim(Nominatim(url: "https://example.org/search"))
        do throws(Failure) {
            return .success(try geocoder.answer(body, to: row.query))
        } catch {
            return .failure(error)
        }
    }

    private static func end(_ answer: Result<ProviderAnswer, Failure>) -> End {
        switch answer {
        case .success(.found(let location)):
            .found(
                latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                precision: location.precision.rawValue, confidence: (location.confidence * 10_000).rounded() / 10_000,
                id: location.placeID ?? "")
        case .success(.missing(let reason)): .missing(reason)
        case .failure(let failure): .failed(failure.code)
        }
    }

    @Test("hand-written answers come to what the table says")
    func fixtures() throws {
        let rows = try Self.rows().filter { !$0.isCapture }
        try #require(rows.count >= 50)
        for row in rows {
            let end = Self.end(try Self.answer(to: row))
            #expect(end == row.end, "\(row.file) for \(row.query.text)")
        }
    }

    @Test("every hand-written answer is in the table")
    func everyFixtureIsListed() throws {
        let listed = Set(try Self.rows().filter { !$0.isCapture }.map { $0.file })
        for folder in ["mapquest", "nominatim"] {
            for file in try FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path) {
                #expect(listed.contains("\(folder)/\(file)"), "\(folder)/\(file)")
            }
        }
    }

    @Test(
        "captured answers come to what the table says",
        .enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func captures() throws {
        for row in try Self.rows().filter({ $0.isCapture }) {
            let end = Self.end(try Self.answer(to: row))
            #expect(end == row.end, "\(row.file) for \(row.query.text)")
        }
    }

    @Test("every capture is in the table", .enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func everyCaptureIsListed() throws {
        let listed = Set(try Self.rows().filter { $0.isCapture }.map { $0.file })
        for folder in ["mapquest", "nominatim"] {
            for file in try Captures.files(in: folder) where file != "PROVENANCE.md" {
                #expect(listed.contains("\(folder)/\(file)"), "\(folder)/\(file)")
            }
        }
    }

    @Test("no answer is at 0,0, in another country than asked for, or a country as a point")
    func noFalsePins() throws {
        for row in try Self.rows() where !row.isCapture || Captures.areAvailable {
            // Each row is also tested as if its text named no country.
            for named in [nil, row.query.namedCountry] {
                var asked = row
                asked.query.namedCountry = named
                guard case .success(.found(let location)) = try Self.answer(to: asked) else { continue }
                #expect(location.coordinate.latitude != 0 || location.coordinate.longitude != 0, "\(row.file)")
                #expect(named != nil || location.precision != .country, "\(row.file)")
                #expect((0...1).contains(location.confidence))
                #expect(location.matchedText == row.query.text)
                if let country = row.query.context.country { #expect(location.country == country, "\(row.file)") }
            }
        }
    }

    @Test(
        "a place has the country that the service names by its code, and none otherwise",
        arguments: [("US", "US"), ("us", "US"), ("United States", nil), ("U1", nil), ("", nil)] as [(String, String?)])
    func countries(named: String, code: String?) throws {
        let body = #"""
            {"info":{"statuscode":0},"results":[{"locations":[{"adminArea5":"Seattle","adminArea3":"WA",
            "adminArea1":"\#(named)","geocodeQualityCode":"A5XAX","latLng":{"lat":47.603229,"lng":-122.33028}}]}]}
            """#
        let answer = try MapQuest(url: "https://example.org/address", key: nil).answer(
            FetchedBody(data: Data(body.utf8), url: "https://example.org/"),
            to: PlaceQuery(text: "Seattle", folded: "seattle", evidence: .place))
        guard case .found(let location) = answer else {
            Issue.record("no place: \(answer)")
            return
        }
        #expect(location.country == code)
    }

    @Test("a place has the service's names, in one bounded line")
    func names() throws {
        func name(_ shown: String) throws -> String? {
            let body = #"""
                [{"osm_type":"node","osm_id":1,"lat":"46.4","lon":"125.3","category":"place","type":"city",
                "place_rank":16,"name":"Anda","display_name":"\#(shown)","address":{"country_code":"cn"}}]
                """#
            let answer = try Nominatim(url: "https://example.org/search").answer(
                FetchedBody(data: Data(body.utf8), url: "https://example.org/"),
                to: PlaceQuery(text: "Anda", folded: "anda", evidence: .place))
            guard case .found(let location) = answer else { return "no place: \(answer)" }
            return location.name
        }
        #expect(try name("Anda, Heilongjiang, China") == "Anda, Heilongjiang, China")
        #expect(try name(#"Anda,\n\u202eHeilongjiang"#) == "Anda, Heilongjiang")
        #expect(try name("") == nil)
        #expect(try name(String(repeating: "n", count: 900))?.count == 200)
    }

    @Test("no message of a failure holds the key, which services repeat")
    func failuresAreSecret() throws {
        for row in try Self.rows() where !row.isCapture {
            guard case .failure(let failure) = try Self.answer(to: row) else { continue }
            #expect(!failure.message.contains("k3y"), "\(row.file)")
            #expect(failure.excerpt == nil, "\(row.file)")
            let fault: Failure.Fault = failure.code == "key_refused" ? .operator : .server
            #expect(failure.fault == fault, "\(row.file)")
        }
    }
}
