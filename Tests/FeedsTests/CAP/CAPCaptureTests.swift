import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Real documents, read from beside the checkout.
@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
struct CAPCaptureTests {
    private func capture(_ path: String) throws -> FeedAnswer {
        try CAPTesting.decode(try Captures.data(path))
    }

    @Test func weeklyVolcanoes() throws {
        let answer = try capture("gvp/2014-07-02_WeeklyVolcanoCAP.xml")
        #expect(answer.issues.isEmpty)
        try #require(answer.events.count == 18)
        #expect(answer.events.allSatisfy { $0.provider == "gvp" && $0.category == .volcano })
        #expect(answer.events.allSatisfy { $0.id.hasSuffix("@2014-06-25") })
        #expect(answer.events.allSatisfy { $0.location?.precision == .point && $0.geometry == nil })
        let cleveland = answer.events[0]
        #expect(cleveland.id == "cleveland@2014-06-25")
        #expect(cleveland.aliases == ["GVP-Weekly-20140702 cleveland"])
        #expect(cleveland.title == "Volcanic activity report for Cleveland (United States), 25 June-1 July 2014")
        #expect(cleveland.place == "United States")
        #expect(cleveland.time?.rfc3339 == "2014-07-02T06:01:28Z")
        #expect(cleveland.location?.coordinate == Coordinate(latitude: 52.825, longitude: -169.944))
        #expect(cleveland.link == "http://www.volcano.si.edu/weekly_report.cfm")
        let details = try CAPTesting.details(cleveland)
        #expect(details["week"] as? String == "2014-06-25/2014-07-01")
        #expect((details["eventCodes"] as? [String: Any])?["New Activity"] as? String == "Yes")
        // Byte 0x92 under a declared ISO-8859-1.
        #expect(answer.events[1].summary?.contains("Kusatsu-Shiranesan\u{2019}s crater") == true)
        #expect(answer.events.contains { $0.id == "santa-maria@2014-06-25" })
        #expect(answer.events.allSatisfy { !$0.details.contains("\"\"") }, "empty values are left out")
    }

    @Test func tsunamiCancellationIsAnUpdate() throws {
        let answer = try capture("cap/PAAQ-4-mg5a94_tsunami_cancel.xml")
        #expect(answer.issues.isEmpty)
        let event = try #require(answer.events.first)
        #expect(event.id == "PAAQ-4-mg5a94")
        #expect(event.aliases == ["PAAQ-1-mg5a94", "PAAQ-2-mg5a94", "PAAQ-3-mg5a94"])
        #expect(event.category == .alert)
        #expect(event.location?.coordinate == Coordinate(latitude: 55.3, longitude: -134.9))
        #expect(answer.withdrawals.map(\.id) == event.aliases)
        #expect(answer.withdrawals.allSatisfy { $0.replacements == ["PAAQ-4-mg5a94"] })
    }

    @Test func cancelWithoutAnInfo() throws {
        let answer = try capture("cap/ipaws_5e6dd9de.xml")
        #expect(answer.events.isEmpty)
        #expect(answer.issues.isEmpty)
        #expect(answer.withdrawals.map(\.id) == ["AS-NV-e18921c7-1b35-4a81-9705-42d25c265ddd"])
    }

    @Test func embeddedSoundStaysOut() throws {
        let answer = try capture("cap/ipaws_5ea321f3_base64.xml")
        let event = try #require(answer.events.first)
        #expect(event.provider == "482277582702553")
        #expect(event.details.utf8.count < 3000)
        #expect(event.location == nil)
        #expect(event.place == "State of MI")
        #expect(event.language == "en-US")
    }

    @Test(
        arguments: [
            ("nws_blizzard_cap11.xml", nil), ("oasis_v1.1_appendix_1.xml", nil),
            ("oasis_v1.1_appendix_2.xml", .polygon), ("oasis_v1.1_appendix_3.xml", .coordinates),
            ("oasis_v1.1_appendix_4.xml", nil),
        ] as [(String, Location.Method?)])
    func oneAlertOneEvent(name: String, method: Location.Method?) throws {
        let answer = try capture("cap/" + name)
        #expect(answer.events.count == 1)
        #expect(answer.issues.isEmpty)
        #expect(answer.events.first?.location?.method == method)
    }

    @Test func nationalIndex() throws {
        let answer = try capture("cap/nws_us_atom_cap_index_2018-08-15.xml")
        #expect(answer.events.isEmpty)
        #expect(answer.issues.isEmpty)
        #expect(answer.tallies["links"] == 163)
        #expect(answer.followUps.count == 100)
        #expect(Set(answer.followUps.map(\.url)).count == 100)
        #expect(answer.followUps.first?.url.hasSuffix("948572c7a130ca57af3669a5ef5b8418") == true)
        #expect(answer.state?["incomplete"] == "1")
    }
}
