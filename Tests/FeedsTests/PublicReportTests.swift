import Feeds
import Foundation
import Model
import TestSupport
import Testing

/// Documents rebuilt from public reports about other readers, where they stand beside the checkout.
@Suite(.enabled(if: PublicReports.areAvailable, "the reports are not beside the checkout"))
struct PublicReportTests {
    private func decode(_ file: String, as kind: String) throws -> FeedAnswer {
        try PublicReports.decode(file, as: kind)
    }

    @Test func aNumberBehindTheLinkIsNoIdentity() throws {
        let answer = try decode("07-bbc-guid-fragments.xml", as: "rss")
        let address = "https://www.bbc.com/news/articles/c0000000001o"
        #expect(Set(answer.events.map(\.id)) == [address])
        #expect(answer.events.last?.aliases == (0...3).map { "\(address)#\($0)" })
    }

    @Test func zonesAreReadByTheirNames() throws {
        let times = try decode("08-zone-names.xml", as: "rss").events.map { $0.time?.rfc3339 }
        #expect(times == ["2019-07-26T01:00:00Z", "2021-09-30T00:18:45Z", "2021-09-29T14:18:45Z"])
    }

    @Test func datesAreReadInOtherForms() throws {
        let times = try decode("09-dates-unread.xml", as: "rss").events.map { $0.time?.rfc3339 }
        #expect(
            times == [
                "2023-03-19T03:21:00Z", "2022-12-29T10:13:20Z", "2023-06-22T17:11:00Z",
                "2020-11-16T13:16:28Z", "2017-12-22T15:09:00Z", "2016-06-29T15:07:41Z",
                "2020-11-08T21:20:00Z",
            ])
    }
}

/// The folder of the reports.
enum PublicReports {
    private static let root = Captures.root.deletingLastPathComponent().appendingPathComponent("review/reports")
    static let areAvailable = FileManager.default.fileExists(atPath: root.path)

    /// What a source of a kind makes of a report.
    static func decode(_ file: String, as kind: String) throws -> FeedAnswer {
        let source = SourceSettings(name: "report", kind: kind, url: "https://reports.example/\(file)")
        let feed = try #require(try FeedRegistry.feed(for: source))
        let body = try Data(contentsOf: root.appendingPathComponent(file))
        let request = FeedRequest(url: source.url)
        let context = PollContext(now: Date(timeIntervalSince1970: 1_732_838_400))
        return try feed.decode(FeedResponse(request: request, body: body), for: context)
    }
}
