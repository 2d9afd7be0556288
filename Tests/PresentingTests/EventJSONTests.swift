import Foundation
import Model
import Presenting
import Testing

/// The output format of events, byte by byte: other programs read it.
@Suite struct EventJSONTests {
    /// 2026-03-01T00:00:00Z.
    private static let start = Date(timeIntervalSince1970: 1_772_323_200)

    private static func quake() throws -> Event {
        let coordinate = try #require(Coordinate(latitude: -20, longitude: -70.5))
        return Event(
            provider: "usgs", id: "us1", aliases: ["ci1", "ak2"], time: start, updated: start + 61.5,
            category: .earthquake, title: "A \"quake\"\n", weight: 0.45, magnitude: 4.5, depth: -1, status: "reviewed",
            place: "10 km N of Town", location: Location(coordinate), details: #"{"nst":12}"#)
    }

    private static let quakeMembers = [
        #""provider":"usgs","upstream_id":"us1","aliases":["ci1","ak2"],"time":"2026-03-01T00:00:00.000Z""#,
        #""updated":"2026-03-01T00:01:01.500Z","category":"earthquake","title":"A \"quake\"\n","weight":0.45"#,
        #""magnitude":4.5,"depth_km":-1,"status":"reviewed","place_text":"10 km N of Town","latitude":-20"#,
        #""longitude":-70.5,"location_method":"coordinates","location_precision":"point","location_confidence":1"#,
        #""details":{"nst":12}"#,
    ].joined(separator: ",")

    /// An undated, withdrawn article whose place was found by name.
    private static func article() throws -> StoredEvent {
        let coordinate = try #require(Coordinate(latitude: 37.5, longitude: 15))
        let event = Event(
            provider: "reuters", id: "a", time: start, expires: start + 3600, category: .news, title: "Ash",
            summary: "Étna", link: "https://example.org/a",
            author: Author(name: "Ann", link: "https://example.org/ann", picture: "https://example.org/ann.png"),
            language: "en",
            location: Location(
                coordinate, method: .gazetteer, precision: .city, confidence: 0.9, matchedText: "Catania",
                name: "Catania, Sicily, Italy", evidence: .title, placeID: "geonames:2", country: "IT", radius: 12.5),
            geometry: shape)
        return StoredEvent(
            publicID: "0123456789abcdef", event: event, hasFeedTime: false, firstSeen: start,
            lastChanged: start + 60, revision: 2, changeSequence: 7,
            withdrawal: StoredEvent.Withdrawal(reason: "deleted", at: start + 59, evidence: "deleted by its author"),
            sources: ["news", "world-news"])
    }

    private static let shape = #"{"type":"LineString","coordinates":[[14.0,37.0],[15.0,38.0]]}"#

    private static let articleMembers = [
        #""public_id":"0123456789abcdef","revision":2,"first_seen":"2026-03-01T00:00:00.000Z""#,
        #""last_changed":"2026-03-01T00:01:00.000Z","time_source":"first_seen","change_seq":7"#,
        #""sources":["news","world-news"],"withdrawn":"deleted""#,
        #""withdrawn_at":"2026-03-01T00:00:59.000Z","withdrawn_evidence":"deleted by its author","provider":"reuters""#,
        #""upstream_id":"a","time":"2026-03-01T00:00:00.000Z","expires":"2026-03-01T01:00:00.000Z","category":"news""#,
        #""title":"Ash","summary":"Étna","link":"https://example.org/a","author_name":"Ann""#,
        #""author_link":"https://example.org/ann","author_picture":"https://example.org/ann.png","weight":1"#,
        #""language":"en","latitude":37.5,"longitude":15,"location_method":"gazetteer""#,
        #""location_precision":"city","location_confidence":0.9,"location_matched_text":"Catania""#,
        #""location_name":"Catania, Sicily, Italy","location_evidence":"title","location_place_id":"geonames:2""#,
        #""location_country":"IT","location_radius_km":12.5"#,
        #""geometry":\#(shape)"#,
    ].joined(separator: ",")

    private static func stored() throws -> StoredEvent {
        StoredEvent(
            publicID: "fedcba9876543210", event: try quake(), firstSeen: start, lastChanged: start, changeSequence: 1)
    }

    private static let storedMembers =
        #""public_id":"fedcba9876543210","revision":1,"first_seen":"2026-03-01T00:00:00.000Z","#
        + #""last_changed":"2026-03-01T00:00:00.000Z","time_source":"feed","change_seq":1,"# + quakeMembers

    @Test func anEventAsItsFeedTellsIt() throws {
        #expect(try Self.quake().json == "{" + Self.quakeMembers + "}")
    }

    @Test func anEventAsItIsStored() throws {
        #expect(try Self.stored().json == "{" + Self.storedMembers + "}")
        #expect(try Self.article().json == "{" + Self.articleMembers + "}")
    }

    @Test(arguments: [
        (3.4, "0.34"), (2.1, "0.21"), (5.7, "0.57"), (6.6, "0.66"), (2.123, "0.2123"), (5.123_456_789, "0.5123456789"),
        (1.929_999_95, "0.192999995"), (0.0, "0"), (10.0, "1"),
    ]) func aWeightIsPrintedInDecimals(magnitude: Double, weight: String) throws {
        var quake = try Self.quake()
        quake.weight = magnitude / 10
        #expect(quake.json.contains(#","weight":\#(weight),"#), "\(quake.json)")
    }

    private static func change(_ kind: EventChange.Kind) -> EventChange {
        EventChange(sequence: 9, kind: kind, publicID: "0123456789abcdef", at: start)
    }

    @Test func whatHasHappenedToAnEventStandsInFrontOfIt() throws {
        let update = EventUpdate.changed(try Self.stored(), .revised)
        #expect(update.json() == #"{"change":"revised","# + Self.storedMembers + "}")
        let merged = EventUpdate.gone(Self.change(.merged), into: "fedcba9876543210")
        let gone = #"{"public_id":"0123456789abcdef","change":"merged","change_seq":9,"into":"fedcba9876543210"}"#
        #expect(merged.json() == gone)
        let truncated = EventUpdate.gone(Self.change(.truncated), into: nil)
        #expect(truncated.json() == #"{"public_id":"0123456789abcdef","change":"truncated","change_seq":9}"#)
    }

    @Test func whatAProviderTakesBack() {
        let withdrawal = Withdrawal(provider: "usgs", id: "us1", reason: .cancelled, evidence: "Cancel us1")
        let json = #"{"provider":"usgs","upstream_id":"us1","withdrawn":"cancelled","evidence":"Cancel us1"}"#
        #expect(withdrawal.json == json)
    }

    @Test func aFeatureIsAPointItsFullShapeOrNowhere() throws {
        func feature(_ id: String, _ geometry: String, _ members: String) -> String {
            #"{"type":"Feature","id":"\#(id)","geometry":\#(geometry),"properties":{\#(members)}}"#
        }
        // Numbers that may have a fraction have one; integers have none.
        func inFeature(_ members: String) -> String {
            members.replacingOccurrences(of: #""depth_km":-1,"#, with: #""depth_km":-1.0,"#)
                .replacingOccurrences(of: #""location_confidence":1,"#, with: #""location_confidence":1.0,"#)
                .replacingOccurrences(of: #""weight":1,"#, with: #""weight":1.0,"#)
        }
        // Values that are in the geometry are not repeated as properties.
        let members = inFeature(Self.storedMembers)
            .replacingOccurrences(of: #""latitude":-20,"longitude":-70.5,"#, with: "")
        let point = #"{"type":"Point","coordinates":[-70.5,-20.0]}"#
        #expect(try Self.stored().feature == feature("fedcba9876543210", point, members))
        let articleMembers = inFeature(Self.articleMembers)
            .replacingOccurrences(of: #""latitude":37.5,"longitude":15,"#, with: "")
            .replacingOccurrences(of: #","geometry":\#(Self.shape)"#, with: "")
        #expect(try Self.article().feature == feature("0123456789abcdef", Self.shape, articleMembers))
        var unlocated = try Self.stored()
        unlocated.event.location = nil
        let location = #""location_method":"coordinates","location_precision":"point","location_confidence":1.0,"#
        let without = members.replacingOccurrences(of: location, with: "")
        #expect(unlocated.feature == feature("fedcba9876543210", "null", without))
    }

    @Test func aShapeAcross180IsCutInAllForms() throws {
        var event = try Self.stored()
        event.event.geometry = #"{"type":"LineString","coordinates":[[170.0,0.0],[-170.0,10.0]]}"#
        let lines = "[[[170.0,0.0],[180.0,5.0]],[[-180.0,5.0],[-170.0,10.0]]]"
        let cut = #""geometry":{"type":"MultiLineString","coordinates":\#(lines)}"#
        #expect(event.json.contains(cut))
        #expect(event.event.json.contains(cut))
        #expect(event.feature.contains(cut))
    }

    @Test(arguments: 0...2) func aCollectionIsOneDocument(count: Int) throws {
        let event = try Self.stored()
        let lines = (0..<count).map { FeatureCollection.line(event.feature, isFirst: $0 == 0) }
        let text = ([FeatureCollection.head] + lines + [FeatureCollection.tail]).joined(separator: "\n")
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(document?["type"] as? String == "FeatureCollection")
        #expect((document?["features"] as? [Any])?.count == count)
    }
}
