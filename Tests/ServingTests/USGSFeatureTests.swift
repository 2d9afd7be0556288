import Foundation
import Model
import Testing

@testable import Serving

@Suite struct USGSFeatureTests {
    private static let details = """
        {"magType":"mww","net":"us","code":"7000abcd","sources":",us,ci,","types":",origin,","nst":87,"gap":31.5,\
        "dmin":0.4,"rms":0.62,"felt":12,"tsunami":1,"sig":500,"alert":"green","tz":null,"other":[1]}
        """

    private func stored(_ event: Event) -> StoredEvent {
        StoredEvent(
            publicID: "0123456789abcdef", event: event, firstSeen: start, lastChanged: start + 60, changeSequence: 1)
    }

    private func object(_ event: Event) throws -> [String: Any] {
        let text = USGSFeature(stored(event)).json(base: "http://api.example")
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aCommaInAnIDPartsNoIDs() throws {
        let feature = try object(quake("usgs,us7000abcd", updated: 1))
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["ids"] as? String == ",usgs%2Cus7000abcd,")
    }

    @Test func aFeatureHasTheNamesOfUSGS() throws {
        var event = quake("us7000abcd", updated: 1)
        event.details = Self.details
        event.link = "https://example.org/us7000abcd"
        event.place = "10 km S of \"Iquique\""
        let feature = try object(event)
        #expect(feature["id"] as? String == "0123456789abcdef")
        let geometry = try #require(feature["geometry"] as? [String: Any])
        #expect(geometry["coordinates"] as? [Double] == [-70, -20, 10])
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(
            Set(properties.keys) == [
                "mag", "place", "time", "updated", "tz", "url", "detail", "felt", "cdi", "mmi", "alert", "status",
                "tsunami", "sig", "net", "code", "ids", "sources", "types", "nst", "dmin", "rms", "gap", "magType",
                "type", "title",
            ])
        #expect(properties["mag"] as? Double == 5)
        #expect(properties["time"] as? Int == 1_772_316_000_000)
        #expect(properties["updated"] as? Int == 1_772_323_260_000)
        #expect(properties["place"] as? String == "10 km S of \"Iquique\"")
        #expect(properties["url"] as? String == "https://example.org/us7000abcd")
        #expect(properties["ids"] as? String == ",us7000abcd,")
        #expect(properties["net"] as? String == "us")
        #expect(properties["code"] as? String == "7000abcd")
        #expect(properties["sources"] as? String == ",us,ci,")
        #expect(properties["magType"] as? String == "mww")
        #expect(properties["nst"] as? Int == 87)
        #expect(properties["gap"] as? Double == 31.5)
        #expect(properties["type"] as? String == "earthquake")
        #expect(properties["status"] as? String == "automatic")
        #expect(properties["tz"] is NSNull)
        #expect(properties["cdi"] is NSNull)
    }

    @Test func whatAnotherProviderCallsTheSameIsNotTakenForUSGS() throws {
        var event = quake("q1")
        event.provider = "example.org"
        event.category = Model.Category(rawValue: "quarry blast")
        event.details = Self.details
        event.link = "javascript:alert(1)"
        event.depth = nil
        let feature = try object(event)
        let geometry = try #require(feature["geometry"] as? [String: Any])
        #expect(geometry["coordinates"] as? [Double] == [-70, -20])
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["net"] as? String == "example.org")
        #expect(properties["magType"] is NSNull)
        #expect(properties["url"] as? String == "http://api.example/collections/events/items/0123456789abcdef")
        #expect(properties["type"] as? String == "quarry blast")
        // The event was last changed a minute after the start.
        #expect(properties["updated"] as? Int == 1_772_323_260_000)
    }

    @Test func aRecordOfCSVHasTheColumnsOfUSGS() {
        var event = quake("us7000abcd", updated: 1)
        event.details = Self.details
        event.place = "10 km S of Iquique, Chile"
        var record: [UInt8] = []
        USGSCSV.append(USGSFeature(stored(event)), to: &record)
        #expect(USGSCSV.head.split(separator: ",").count == 22)
        #expect(
            String(decoding: record, as: UTF8.self) == """
                2026-02-28T22:00:00.000Z,-20,-70,10,5,mww,87,31.5,0.4,0.62,us,0123456789abcdef,\
                2026-03-01T00:01:00.000Z,"10 km S of Iquique, Chile",earthquake,,,,,automatic,,
                """)
    }
}
