import Foundation
import Model
import Store
import Testing

@testable import Serving

/// How numbers are written: clients take the types of columns from the first values.
@Suite struct NumberTests {
    @Test func numbersOfFeaturesAlwaysHaveAFraction() throws {
        let test = try TestAPI()
        var event = quake("small", magnitude: 1)
        event.weight = 3.4 / 10
        event.location?.confidence = 0.1 + 0.2
        event.details = #"{"gap":63,"nst":12}"#
        try test.poll([event])
        let items = "/collections/earthquakes/items"
        let id = try test.publicID("small")
        for path in [items, "\(items)/\(id)", "/changes"] {
            let text = try test.text(test.get(path))
            for member in [
                #""magnitude":1.0,"#, #""depth_km":10.0,"#, #""weight":0.34,"#, #""location_confidence":0.3,"#,
                #""revision":1,"#,
            ] {
                #expect(text.contains(member), "\(path): \(text)")
            }
        }
        let feeds: [(String, String?)] = [
            ("/fdsnws/event/1/query", "format=geojson"), ("/earthquakes/feed/v1.0/summary/all_day.geojson", nil),
        ]
        for (path, query) in feeds {
            let text = try test.text(test.get(path, query))
            for member in [#""mag":1.0,"#, #""gap":63.0,"#, #""nst":12,"#] {
                #expect(text.contains(member), "\(path): \(text)")
            }
        }
        let columns = try test.text(test.get(items, "f=columns&properties=location_confidence"))
        for column in [#""magnitude":[1]"#, #""weight":[0.34]"#, #""location_confidence":[0.3]"#] {
            #expect(columns.contains(column), "\(columns)")
        }
        let csv = try test.text(test.get(items, "f=csv&properties=magnitude,weight,location_confidence"))
        #expect(csv == "magnitude,weight,location_confidence\r\n1,0.34,0.3\r\n")
    }

    @Test func distancesOfVolcanoesHaveAFractionToo() throws {
        let test = try TestAPI()
        let place = try #require(Coordinate(latitude: 37.7, longitude: 15))
        _ = try test.store.seed(
            [PointOfInterest(number: 211060, name: "Etna", foldedName: "etna", coordinate: place)], at: start)
        let text = try test.text(test.get("/collections/volcanoes/items", "latitude=37.7&longitude=15&radius=20"))
        #expect(text.contains(#""number":211060,"#) && text.contains(#""distance_km":0.0,"#), "\(text)")
    }
}
