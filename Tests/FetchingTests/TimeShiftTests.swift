import Foundation
import ScriptedUpstream
import Testing

@Suite struct TimeShiftTests {
    /// 2027-01-15T08:00:00Z.
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func shifted(_ text: String, _ kind: String) -> String {
        String(decoding: TimeShift.shift(Data(text.utf8), kind: kind, newestAt: now), as: UTF8.self)
    }

    @Test func usgsTimesMoveTogetherAndTheNewestQuakeIsNow() {
        let feed = """
            {"metadata":{"generated":1395415303000,"count":2},"features":[
            {"properties":{"time": 1395415243250,"updated":1395415300000,"tz":-480},"id":"us1"},
            {"properties":{"time":1395411643250,"code":"1395411643250"},"id":"us2"}]}
            """
        #expect(
            shifted(feed, "usgs") == """
                {"metadata":{"generated":1800000059750,"count":2},"features":[
                {"properties":{"time": 1800000000000,"updated":1800000056750,"tz":-480},"id":"us1"},
                {"properties":{"time":1799996400000,"code":"1395411643250"},"id":"us2"}]}
                """)
    }

    @Test func rssDatesKeepTheirZoneAndGetTheRightWeekday() {
        let feed = """
            <lastBuildDate>Tue, 30 Jan 2018 18:54:13 -0500</lastBuildDate>
            <pubDate>Tue, 30 Jan 2018 17:54:13 -0500</pubDate>
            <pubDate> 30 Jan 2018 21:54 GMT </pubDate>
            <description>On Tue, 30 Jan 2018 17:54:13 -0500 it rained.</description>
            """
        #expect(
            shifted(feed, "rss") == """
                <lastBuildDate>Fri, 15 Jan 2027 04:00:00 -0500</lastBuildDate>
                <pubDate>Fri, 15 Jan 2027 03:00:00 -0500</pubDate>
                <pubDate> Fri, 15 Jan 2027 06:59:47 GMT </pubDate>
                <description>On Tue, 30 Jan 2018 17:54:13 -0500 it rained.</description>
                """)
    }

    @Test func capExpiryMovesButIsNoItemsTime() {
        let alert = """
            <identifier>GVP-Weekly-20140702</identifier><sent>2014-07-02T02:01:28-04:00</sent>
            <expires>2014-07-09T02:01:28-04:00</expires><headline>25 June-1 July 2014</headline>
            """
        #expect(
            shifted(alert, "cap") == """
                <identifier>GVP-Weekly-20140702</identifier><sent>2027-01-15T04:00:00-04:00</sent>
                <expires>2027-01-22T04:00:00-04:00</expires><headline>25 June-1 July 2014</headline>
                """)
    }

    @Test func fractionsKeepTheirDigits() {
        let feed = "<updated>2018-11-19T21:45:04.398Z</updated><published>2018-11-19T21:45:03.5Z</published>"
        #expect(
            shifted(feed, "atom")
                == "<updated>2027-01-15T08:00:00.000Z</updated><published>2027-01-15T07:59:59.1Z</published>")
    }

    @Test func bothTwitterFormsMove() {
        let page = """
            [{"created_at":"Wed Aug 27 13:08:45 +0000 2008"},{"created_at":"2008-08-27T13:08:44.000Z"}]
            """
        #expect(
            shifted(page, "twitter") == """
                [{"created_at":"Fri Jan 15 08:00:00 +0000 2027"},{"created_at":"2027-01-15T07:59:59.000Z"}]
                """)
    }

    @Test func bytesThatAreNoUTF8Survive() {
        let feed = Data("<when>2015-11-04T00:00:00Z</when>".utf8) + Data([0x92, 0xE9])
        let moved = TimeShift.shift(feed, kind: "kml", newestAt: now)
        #expect(moved == Data("<when>2027-01-15T08:00:00Z</when>".utf8) + Data([0x92, 0xE9]))
    }

    @Test(arguments: [
        ("usgs", ""), ("usgs", "{\"time\":"), ("usgs", "{\"time\":12"), ("rss", "<pubDate>yesterday</pubDate>"),
        ("rss", "<pubDate>Tue, 45 Jan 2018 17:54:13 GMT</pubDate>"), ("cap", "<sent>2014-07-02T02:01"),
        ("csv", "<when>2015-11-04T00:00:00Z</when>"), ("atom", "<updated>2018-13-01T00:00:00Z</updated>"),
    ])
    func whatHoldsNoReadableTimeStaysAsItIs(kind: String, text: String) {
        #expect(shifted(text, kind) == text)
        #expect(TimeShift.newest(in: Data(text.utf8), kind: kind) == nil)
    }
}
