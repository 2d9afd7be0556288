import Feeds
import Foundation
import Gazetteer
import Model
import Reading
import Simulation
import TestSupport
import Testing

/// No event of any capture is located at 0,0, or as a point in the middle of a country, neither by its feed nor by the
/// city table.
@Suite struct NoFalsePinTests {
    /// Captures by file, with their kinds of feed.
    private static func captures() throws -> [(file: String, kind: String)] {
        let table = String(decoding: try Fixtures.data("captures.tsv"), as: UTF8.self)
        return table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            return (cells[0], cells[1])
        }
    }

    /// The points at which GeoNames places countries, as quoted by a news corpus.
    private static func countryCentres() throws -> [Coordinate] {
        let text = String(decoding: try Captures.data("toponyms/TR-News.xml"), as: UTF8.self)
        let entry = try Regex(#"<fcode>PCL\w*</fcode>\s*<lat>([-0-9.]+)</lat>\s*<lon>([-0-9.]+)</lon>"#)
        return text.matches(of: entry).compactMap { match in
            guard let latitude = match.output[1].substring.flatMap({ Double($0) }),
                let longitude = match.output[2].substring.flatMap({ Double($0) })
            else { return nil }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    private static func evidence(_ details: String) -> PlaceEvidence {
        [.author, .dateline].first { details.contains("\"place_from\":\"\($0.rawValue)\"") } ?? .place
    }

    private static func table(_ folder: TemporaryDirectory) throws -> CityTable {
        let files = ["cities15000", "admin1CodesASCII", "countryInfo"].map { "cities/geonames_\($0).txt" }
        let inputs = try files.map { SeedInput(name: $0, stream: try ByteStream(path: Captures.url($0).path)) }
        let path = folder.path + "/cities.sqlite"
        _ = try Seeder(inputs, into: path).run(at: InProcessDaemon.start) { _ in }
        return try CityTable(path: path)
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func noEventOfAnyCaptureIsPinnedToNowhere() throws {
        let folder = TemporaryDirectory()
        let table = try Self.table(folder)
        let list = try VolcanoList(try Captures.data("gvp/2019-10-23_GVP_Volcano_List_Holocene.csv"))
        let places = EventPlaces(table, resolver: Resolver(table), volcanoes: list.entries.map { $0.point })
        let centres = Set(try Self.countryCentres())
        #expect(centres.count > 40)
        var methods: [Location.Method: Int] = [:]
        var elsewhere: [String] = []
        for (file, kind) in try Self.captures() {
            var settings = SourceSettings(name: "capture", kind: kind, url: "file:/capture")
            let type = try #require(FeedRegistry.all.first { $0.kind.name == kind })
            for option in type.kind.options { settings.options[option.key] = option.defaultValue }
            let response = FeedResponse(request: FeedRequest(url: settings.url), body: try Captures.data(file))
            let feed = try type.init(settings)
            guard let answer = try? feed.decode(response, for: PollContext(now: InProcessDaemon.start)) else {
                continue
            }
            for event in answer.events {
                var location = event.location
                if location == nil {
                    let unlocated = UnlocatedEvent(
                        category: event.category.rawValue, place: event.place,
                        placeEvidence: Self.evidence(event.details), title: event.title,
                        summary: event.summary, language: event.language)
                    if case .located(let found) = try places.outcome(for: unlocated) {
                        location = found
                        if unlocated.placeEvidence == .dateline, found.evidence != .dateline {
                            elsewhere.append("\(event.place ?? "") \(found.matchedText ?? "")")
                        }
                        #expect(
                            found.precision != .point || found.evidence == .distance
                                || found.placeID?.hasPrefix("gvp:") == true, "\(file): \(event.title)")
                        #expect(found.evidence != nil && found.matchedText != nil, "\(file): \(event.title)")
                    }
                }
                guard let location else { continue }
                methods[location.method, default: 0] += 1
                let point = location.coordinate
                #expect(point.latitude != 0 || point.longitude != 0, "\(file): \(event.title)")
                if location.precision == .point {
                    #expect(!centres.contains(point), "\(file): \(event.title)")
                }
            }
        }
        // In the other reports with a dateline nothing is sure to have happened elsewhere.
        #expect(elsewhere == ["UNITED NATIONS Moscow", "AMMAN Idlib", "ANKARA Idlib"])
        #expect((methods[.gazetteer] ?? 0) > 100, "\(methods)")
    }
}
