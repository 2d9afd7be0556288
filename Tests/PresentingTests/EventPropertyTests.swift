import Foundation
import Model
import Presenting
import Testing

@Suite struct EventPropertyTests {
    /// 2026-03-01T00:00:00Z.
    private static let start = Date(timeIntervalSince1970: 1_772_323_200)

    private static let stored = StoredEvent(
        publicID: "fedcba9876543210",
        event: Event(
            provider: "usgs", id: "us1", time: start, category: .earthquake, title: "A \"quake\"", magnitude: 5),
        firstSeen: start, lastChanged: start, changeSequence: 1, sources: ["a", "b"])

    @Test func namesAreUnique() {
        let names = EventProperty.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(EventProperty.named("magnitude")?.kind == .number)
        let unknown = EventProperty.named("nothing")
        #expect(unknown?.name == nil)
    }

    @Test(arguments: [
        ("title", #""A \"quake\"""#, "A \"quake\""), ("magnitude", "5", "5"), ("sources", #"["a","b"]"#, "a;b"),
        ("change_seq", "1", "1"), ("time", #""2026-03-01T00:00:00.000Z""#, "2026-03-01T00:00:00.000Z"),
    ]) func aValueIsWrittenAsJSONAndAsACell(name: String, json: String, cell: String) {
        let value = EventProperty.named(name)?.value(of: Self.stored)
        #expect(value?.json == json)
        #expect(value?.cell == cell)
    }

    @Test(
        arguments: [
            (.alert, #"{"category":["Met"],"severity":"Severe"}"#, "Severe"),
            (.alert, #"{"text":"severity","severity":"Extreme"}"#, "Extreme"), (.alert, "{}", nil),
            (.volcano, #"{"severity":"Severe"}"#, nil),
        ] as [(Model.Category, String, String?)])
    func anAlertHasItsSeverity(category: Model.Category, details: String, severity: String?) {
        var stored = Self.stored
        stored.event.category = category
        stored.event.details = details
        #expect(EventProperty.named("severity")?.value(of: stored)?.cell == severity)
    }

    @Test(
        arguments: [
            (1.0, "1.0"), (-20, "-20.0"), (0.76, "0.76"), (0, "0.0"), (1e-5, "1e-05"), (1e300, "1e+300"),
        ] as [(Double, String)])
    func aNumberOfAFeatureAlwaysHasAFractionOrAnExponent(number: Double, text: String) {
        var stored = Self.stored
        stored.event.depth = number
        let depth = [EventProperty.named("depth_km")].compactMap { $0 }
        #expect(stored.feature(depth, isExact: nil).hasSuffix(#""properties":{"depth_km":\#(text)}}"#))
        stored.event.depth = .infinity
        #expect(stored.feature(depth, isExact: nil).hasSuffix(#""properties":{}}"#))
    }

    @Test func chosenPropertiesMakeAFeature() {
        let chosen = ["title", "latitude", "depth_km"].compactMap { EventProperty.named($0) }
        let properties = #"{"title":"A \"quake\"","exact":false}"#
        let feature = #"{"type":"Feature","id":"fedcba9876543210","geometry":null,"properties":\#(properties)}"#
        #expect(Self.stored.feature(chosen, isExact: false) == feature)
        #expect(Self.stored.json(chosen, isExact: nil) == #"{"title":"A \"quake\""}"#)
    }
}
