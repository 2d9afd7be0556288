import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct GVPReportTests {
    @Test(
        arguments: [
            ("Volcanic activity report for Cleveland (United States), 25 June-1 July 2014", "2014-06-25/2014-07-01"),
            ("Report for 28 October-3 November 2015", "2015-10-28/2015-11-03"),
            ("Krakatau (Indonesia) - Report for 10 September-16 September 2026 - New", "2026-09-10/2026-09-16"),
            ("Report for 3-9 June 2020", "2020-06-03/2020-06-09"),
            ("30 December 2015-5 January 2016", "2015-12-30/2016-01-05"),
            ("30 December-5 January 2016", "2015-12-30/2016-01-05"),
            ("25 June \u{2013} 1 July 2014", "2014-06-25/2014-07-01"),
            ("24 Feb-2 Mar 2016", "2016-02-24/2016-03-02"),
            ("during 2-3 November 2015, report for 28 October-3 November 2015", "2015-10-28/2015-11-03"),
            ("31 June-6 July 2014", nil),
            ("a report of no week, 12 to 18 of 2014", nil),
            ("", nil),
        ] as [(String, String?)])
    func weekInWords(text: String, interval: String?) {
        #expect(GVPReport.week(in: text, near: nil)?.interval == interval)
    }

    @Test func weekWithoutAYearIsTheNearest() throws {
        let january = try #require(date("2016-01-07"))
        let week = GVPReport.week(in: "Report for 30 December-5 January", near: january)
        #expect(week?.interval == "2015-12-30/2016-01-05")
        #expect(GVPReport.week(in: "Report for 30 December-5 January", near: nil) == nil)
    }

    @Test(arguments: [
        ("2014-07-02", "2014-06-25/2014-07-01"), ("2014-07-03", "2014-06-25/2014-07-01"),
        ("2014-07-01", "2014-06-18/2014-06-24"), ("2014-07-08", "2014-06-25/2014-07-01"),
        ("2014-07-09", "2014-07-02/2014-07-08"), ("1969-12-31", "1969-12-24/1969-12-30"),
    ])
    func weekBeforeTheDayOfIssue(issued: String, interval: String) throws {
        #expect(GVPReport.Week(issued: try #require(date(issued))).interval == interval)
    }

    @Test(arguments: [
        ("Kīlauea", "kilauea"), ("Kilauea", "kilauea"), ("Soufrière Hills", "soufriere-hills"),
        ("St. Helens", "saint-helens"), ("Saint Helens", "saint-helens"), ("Ibu", "ibu"),
        ("Santa María / Santiaguito", "santa-maria-santiaguito"), ("Bárðarbunga", "bardarbunga"),
        ("Krakatau (Indonesia)", "krakatau"), ("Fournaise, Piton de la", "piton-de-la-fournaise"),
        ("Ta\u{2bb}u", "tau"), ("Stromboli", "stromboli"), ("  ", "unnamed"),
    ])
    func spellingsAreOne(name: String, slug: String) {
        #expect(GVPReport.slug(name) == slug)
    }

    @Test func identityHasTheNumberAsSecondName() throws {
        let week = try #require(GVPReport.week(in: "28 October-3 November 2015", near: nil))
        let known = GVPReport.identity(volcano: "Etna", number: 211060, week: week)
        #expect(known.id == "etna@2015-10-28")
        #expect(known.aliases == ["vn211060@2015-10-28"])
        #expect(GVPReport.identity(volcano: "Etna", number: nil, week: week).aliases.isEmpty)
    }

    /// CAP and KML give one report the same id; only KML has the number.
    @Test func capAndKMLMeet() throws {
        let cap = try CAPTesting.decode(try Fixtures.data("gvp/same-report.cap.xml"))
        let kml = try KMLTesting.decode(try Fixtures.data("gvp/same-report.kml"))
        let first = try #require(cap.events.first)
        let second = try #require(kml.events.first)
        #expect(first.provider == "gvp")
        #expect(second.provider == first.provider)
        #expect(first.id == "soufriere-hills@2015-10-28")
        #expect(second.id == first.id)
        #expect(second.aliases == ["vn360050@2015-10-28"])
        #expect(second.location == first.location)
        #expect(first.summary == "The observatory noted rockfalls on the dome\u{2019}s west side.")
        #expect(second.summary == first.summary)
        let issued = try #require(first.updated)
        let undated = try #require(second.updated)
        #expect(undated < issued, "the version with a date of issue stays")
        #expect(cap.events.map(\.id) == ["soufriere-hills@2015-10-28", "saint-helens@2015-10-28"])
    }

    /// Volcanoes of the same name in one week are told apart by country, else by number.
    @Test func volcanoesOfOneNameStayApart() throws {
        let cap = try CAPTesting.decode(try Fixtures.data("gvp/one-name.cap.xml")).events
        try #require(cap.count == 6)
        #expect(cap[0].id == "unnamed-tonga@2015-10-28")
        #expect(cap[1].id == "unnamed-iceland@2015-10-28")
        #expect(cap[2].id.hasPrefix("unnamed-") && cap[2].id != cap[0].id)
        #expect(cap[3].id == "agua@2015-10-28")
        #expect(cap[4].id == "agua-mexico@2015-10-28")
        #expect(cap[5].id == "unnamed-japan@2015-10-28")

        let kml = try KMLTesting.decode(try Fixtures.data("gvp/one-name.kml")).events
        let ids = ["vn243000@2015-10-28", "vn372000@2015-10-28", "agua@2015-10-28", "vn341000@2015-10-28"]
        #expect(kml.map(\.id) == ids)
        #expect(kml.map(\.aliases) == [[], [], ["vn342100@2015-10-28"], []])
    }

    /// The RSS feed has both country and number, so its aliases join the different names of CAP and KML.
    @Test func countryAndNumberMeet() throws {
        let week = try #require(GVPReport.week(in: "28 October-3 November 2015", near: nil))
        let known = GVPReport.identity(volcano: "Unnamed", number: 243000, week: week, country: "Tonga")
        #expect(known.id == "unnamed-tonga@2015-10-28")
        #expect(known.aliases == ["vn243000@2015-10-28"])
        #expect(GVPReport.identity(volcano: "Unnamed (Tonga)", number: nil, week: week).id == known.id)
        #expect(GVPReport.identity(volcano: "Etna", number: nil, week: week, country: "Italy").id == "etna@2015-10-28")
        #expect(GVPReport.identity(volcano: "Unknown", number: nil, week: week).id == "unknown@2015-10-28")
    }

    private func date(_ day: String) -> Date? {
        let parts = day.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        return Date(milliseconds: CivilDate.daysSince1970(year: parts[0], month: parts[1], day: parts[2]) * 86_400_000)
    }
}
