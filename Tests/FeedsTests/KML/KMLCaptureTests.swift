import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Real documents, read from beside the checkout.
@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
struct KMLCaptureTests {
    private func capture(_ name: String) throws -> FeedAnswer {
        try KMLTesting.decode(try Captures.data("kml/" + name))
    }

    @Test func weeklyVolcanoes() throws {
        let answer = try capture("2015-11-04_WeeklyVolcanoGE-Reports_first2.kml")
        #expect(answer.events.map(\.id) == ["fuego@2015-10-28", "heard@2015-10-28"])
        #expect(answer.issues.map(\.reason) == ["bad_xml"], "says that bytes are not UTF-8")
        let fuego = try #require(answer.events.first)
        #expect(fuego.provider == "gvp")
        #expect(fuego.aliases == ["vn342090@2015-10-28"])
        #expect(fuego.category == .volcano)
        #expect(fuego.title == "Fuego: Report for 28 October-3 November 2015")
        #expect(fuego.link == "http://www.volcano.si.edu/volcano.cfm?vn=342090")
        #expect(fuego.location?.coordinate == Coordinate(latitude: 14.473, longitude: -90.88))
        let summary = try #require(fuego.summary)
        #expect(summary.hasPrefix("INSIVUMEH reported that during 30 October-3 November"))
        #expect(summary.hasSuffix("during 2-3 November."))
        // Byte 0xED under a declared UTF-8.
        #expect(summary.contains("Santa Sof\u{ED}a (12 km SW)"))
        let details = try CAPTesting.details(fuego)
        #expect(details["number"] as? Int == 342090)
        #expect(details["activity"] as? String == "New Activity / Unrest")
        #expect((details["source"] as? String)?.hasPrefix("Source: Instituto Nacional") == true)
    }

    @Test func earthquakesOfNewZealand() throws {
        let answer = try capture("geonet_nz_earthquakes_2010-09.kml")
        #expect(answer.issues.isEmpty)
        #expect(answer.events.count == 1006)
        #expect(Set(answer.events.map(\.id)).count == 1006)
        let darfield = try #require(answer.events.first)
        #expect(darfield.id == "3366146")
        #expect(darfield.title == "M7.1 - 2010-09-03T16:35:41.291Z")
        #expect(darfield.time?.rfc3339 == "2010-09-03T16:35:41.291Z")
        #expect(darfield.magnitude == 7.1)
        #expect(darfield.depth == 10.8659)
        #expect(darfield.location?.coordinate == Coordinate(latitude: -43.5506, longitude: 172.1745))
        #expect(darfield.link == "http://magma.geonet.org.nz/services/quake/details/3366146")
        #expect(try CAPTesting.details(darfield)["folder"] as? String == "Mag 7+ earthquakes by date")
    }

    @Test func samplesOfTheFormat() throws {
        let answer = try capture("KML_Samples.kml")
        #expect(answer.events.count == 20)
        #expect(answer.issues.map(\.reason) == ["no_geometry"])
        #expect(answer.events.filter { $0.location == nil }.map(\.title) == ["Descriptive HTML"])
        #expect(answer.events.filter { $0.location?.method == .line }.count == 6)
        #expect(answer.events.filter { $0.location?.method == .polygon }.count == 9)
    }

    @Test func smallDocuments() throws {
        let world = try capture("small_world.kmz")
        #expect(world.events.isEmpty)
        #expect(world.tallies == ["links": 1, "other_documents": 1])
        #expect(world.issues.map(\.found) == ["0/0/0.kml"])

        let ring = try capture("LinearRingWith1DTuple.kml")
        #expect(ring.events.isEmpty)
        #expect(ring.issues.map(\.reason) == ["bad_coordinate"])

        let bare = try capture("nogeomplacemark.kml")
        #expect(bare.events.map(\.title) == ["With all inline styles"])
        #expect(bare.issues.map(\.reason) == ["no_geometry"])

        let extended = try capture("extended_data.kml")
        #expect(extended.issues.isEmpty)
        let event = try #require(extended.events.first)
        #expect(try CAPTesting.details(event)["data"] as? [String: String] == ["foo": "bar"])
    }
}
