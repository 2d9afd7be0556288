import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct USGSFeedTests {
    /// The hour of the fixtures' snapshots.
    private static let now = Date(milliseconds: 1_700_003_600_000)
    private static let template = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/{period}.geojson"

    private func feed(
        period: String = "all_day", every interval: Duration = .seconds(300), url: String = USGSFeedTests.template
    ) throws -> USGSFeed {
        try USGSFeed(
            SourceSettings(
                name: "quakes", kind: "usgs", url: url, refreshInterval: interval,
                options: ["period": .text(period)]))
    }

    private func decode(_ fixture: String) throws -> FeedAnswer {
        let body = try Fixtures.data("usgs/\(fixture)")
        let request = FeedRequest(url: "https://earthquake.usgs.gov/x.geojson")
        return try feed().decode(FeedResponse(request: request, body: body), for: PollContext(now: Self.now))
    }

    @Test func anEventHasAllNamesAndTheRemainingFields() throws {
        let answer = try decode("several-ids.geojson")
        let event = try #require(answer.events.first)
        #expect(event.provider == "usgs" && event.id == "us7000aaaa" && event.aliases == ["ci40000001"])
        #expect(event.time == Date(milliseconds: 1_700_000_000_000))
        #expect(event.updated == Date(milliseconds: 1_700_000_600_000))
        #expect(event.title == "M 4.6 - 12 km SW of Somewhere, Chile")
        #expect(event.magnitude == 4.6 && abs(event.weight - 0.46) < 1e-9 && event.depth == 23.97)
        #expect(event.status == "reviewed" && event.category == .earthquake)
        #expect(event.location?.coordinate == Coordinate(latitude: -19.8363, longitude: -70.5966))
        #expect(event.details.contains("\"magType\":\"mb\"") && !event.details.contains("\"mag\""))
        #expect(!event.details.contains("null"))
        #expect(answer.issues.isEmpty)
    }

    @Test func aCompleteSummaryFeedCoversItsWindow() throws {
        let coverage = try #require(try decode("several-ids.geojson").coverage)
        #expect(coverage.provider == "usgs" && coverage.generated == Date(milliseconds: 1_700_003_600_000))
        #expect(coverage.present == ["us7000aaaa", "ci40000001"])
        let window = try #require(coverage.window)
        #expect(window.upperBound == coverage.generated)
        #expect(window.lowerBound == coverage.generated.addingTimeInterval(-23 * 3600))
    }

    @Test func aFeedWithAnotherCountProvesNoAbsence() throws {
        let coverage = try #require(try decode("count-differs.geojson").coverage)
        #expect(coverage.window == nil)
    }

    @Test func aQueryResultProvesNothing() throws {
        let answer = try decode("fdsnws-query.geojson")
        #expect(answer.coverage == nil && answer.events.count == 1)
    }

    @Test func missingMagnitudeAndPlaceAreNormal() throws {
        let answer = try decode("null-magnitude-and-negative-depth.geojson")
        let event = try #require(answer.events.first)
        #expect(event.magnitude == nil && event.weight == 0 && event.depth == -1.2 && event.place == nil)
        #expect(answer.issues.isEmpty)
    }

    @Test func otherTypesAreCategoriesOfTheirOwn() throws {
        let event = try #require(try decode("quarry-blast.geojson").events.first)
        #expect(event.category.rawValue == "quarry_blast" && event.weight == 1 && event.status == "automatic")
        #expect(event.magnitude == -0.4)
    }

    @Test func aDeletedEventIsWithdrawn() throws {
        let answer = try decode("deleted.geojson")
        #expect(answer.events.isEmpty)
        #expect(answer.withdrawals.map(\.id) == ["us7000bbbb"] && answer.withdrawals.first?.reason == .deleted)
        #expect(answer.coverage?.present == ["us7000bbbb"])
    }

    @Test func anOddFeatureCostsItselfOnly() throws {
        let answer = try decode("odd-features.geojson")
        #expect(answer.events.map(\.id) == ["us7000cccc", "us7000dddd", "us7000eeee"])
        #expect(answer.issues.map(\.reason) == ["no_id", "bad_coordinate", "bad_date", "no_geometry"])
        #expect(answer.issues.filter(\.costsItem).map(\.position) == ["feature 2"])
        #expect(answer.events.dropFirst().allSatisfy { $0.location == nil })
        #expect(answer.coverage?.window == nil, "a feature without an id may be any event")
    }

    @Test func anImpossibleMagnitudeOrDepthCostsItselfOnly() throws {
        let answer = try decode("odd-magnitudes.geojson")
        let magnitudes: [Double?] = [nil, nil, nil, -5, 11]
        let depths: [Double?] = [23.97, 23.97, nil, -10, 1000]
        #expect(answer.events.map(\.magnitude) == magnitudes)
        #expect(answer.events.map(\.depth) == depths)
        #expect(answer.events.allSatisfy { $0.location != nil })
        #expect(answer.issues.map(\.reason) == ["bad_magnitude", "bad_magnitude", "bad_magnitude", "bad_depth"])
        #expect(answer.issues.map { $0.position.prefix(9) } == ["feature 1", "feature 2", "feature 3", "feature 3"])
        #expect(answer.issues.allSatisfy { !$0.costsItem })
        #expect(answer.coverage?.window != nil)
    }

    @Test(arguments: [("jsonp.js", "jsonp", "eqfeed_callback"), ("page.html", "html_page", "HTML")])
    func otherDocumentsAreNamed(fixture: String, code: String, word: String) throws {
        let failure = try #require(throws: Failure.self) { try decode(fixture) }
        #expect(failure.fault == .feed && failure.code == code && failure.message.contains(word))
        #expect(failure.excerpt?.isEmpty == false)
    }

    @Test(arguments: ["", "   ", "[]", "42", "{}", "{\"type\":\"Feature\"}", "{\"features\":{}}", "\u{0}\u{1}", "nul"])
    func uselessBodiesFailClearly(body: String) throws {
        let request = FeedRequest(url: "https://x.test/")
        let failure = try #require(throws: Failure.self) {
            try feed().decode(FeedResponse(request: request, body: Data(body.utf8)), for: PollContext(now: Self.now))
        }
        #expect(failure.fault == .feed && !failure.message.isEmpty)
    }

    @Test func deepNestingIsRefused() throws {
        let body = Data(repeating: UInt8(ascii: "["), count: 10 << 20)
        let request = FeedRequest(url: "https://x.test/")
        let failure = try #require(throws: Failure.self) {
            try feed().decode(FeedResponse(request: request, body: body), for: PollContext(now: Self.now))
        }
        #expect(failure.code == "too_deep" || failure.code == "not_json")
    }

    @Test func aTruncatedDocumentNeverCrashesAndNeverPasses() throws {
        let whole = try Fixtures.data("usgs/several-ids.geojson")
        let feed = try feed()
        let request = FeedRequest(url: "https://x.test/")
        let trimmed = whole.prefix { _ in true }.count - 2
        for length in stride(from: 0, through: trimmed, by: 7) {
            #expect(throws: Failure.self, "cut after \(length) bytes") {
                try feed.decode(
                    FeedResponse(request: request, body: whole.prefix(length)), for: PollContext(now: Self.now))
            }
        }
    }

    @Test func anOutageWidensTheWindowUntilOneSucceeds() throws {
        let now = Date(milliseconds: 1_700_000_000_000)
        func asked(after outage: Double?) throws -> FeedRequest {
            let poll = PollContext(now: now, lastSuccess: outage.map { now.addingTimeInterval(-$0) })
            return try #require(try feed().requests(for: poll).first)
        }
        #expect(try asked(after: nil).url.hasSuffix("/all_day.geojson"))
        #expect(try asked(after: 600).url.hasSuffix("/all_day.geojson"))
        #expect(try asked(after: 2 * 86_400).url.hasSuffix("/all_week.geojson"))
        #expect(try asked(after: 20 * 86_400).url.hasSuffix("/all_month.geojson"))
        let uncovered = try asked(after: 40 * 86_400)
        #expect(uncovered.url.hasSuffix("/all_month.geojson") && uncovered.notes["uncovered"] == "40d")
    }

    @Test func aWindowTooShortIsAdvisedAgainst() throws {
        #expect(try feed(period: "all_hour", every: .seconds(3600)).advice.count == 1)
        #expect(try feed(period: "all_day", every: .seconds(300)).advice.isEmpty)
    }

    @Test func aPeriodThatTheURLDoesNotUseIsNamed() throws {
        let query = "https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson"
        #expect(
            try feed(period: "4.5_week", url: query).advice == [
                "period: 4.5_week is not used, since the url has no {period}"
            ])
        #expect(try feed(url: query).advice.isEmpty)
        let summary = Self.template.replacing("{period}", with: "4.5_week")
        #expect(try feed(period: "4.5_week", url: summary).advice.isEmpty)
        #expect(try feed(period: "4.5_month", url: summary).advice.count == 1)
    }

    @Test func anUnknownPeriodIsRefused() {
        #expect(throws: FeedSettingsError.self) { try feed(period: "all_decade") }
    }

    @Test func severalSnapshotsInOneSourceAreRefused() {
        let settings = SourceSettings(
            name: "quakes", kind: "usgs", url: "https://x.test/summary/{topic}.geojson",
            topics: ["all_day", "4.5_month"])
        #expect(throws: FeedSettingsError.self) { try USGSFeed(settings) }
    }

    private func decode(text: String, now: Date = USGSFeedTests.now) throws -> FeedAnswer {
        let request = FeedRequest(url: "https://x.test/")
        return try feed().decode(FeedResponse(request: request, body: Data(text.utf8)), for: PollContext(now: now))
    }

    @Test func extremeNumbersAreOneBadDate() throws {
        let answer = try decode(
            text:
                #"{"features":[{"id":"us1","properties":{"time":-9223372036854775808,"updated":9223372036854775807}}]}"#
        )
        #expect(answer.events.count == 1 && answer.events.first?.time == nil)
        #expect(answer.issues.map(\.reason).contains("bad_date"))
    }

    @Test func aSnapshotFromTheFutureIsNotBelieved() throws {
        let body = String(decoding: try Fixtures.data("usgs/several-ids.geojson"), as: UTF8.self)
            .replacingOccurrences(of: "1700003600000", with: "253402300799000")
        let answer = try decode(text: body)
        #expect(answer.coverage == nil && answer.events.count == 1)
        #expect(answer.issues.map(\.reason) == ["bad_generated"])
    }

    @Test func nothingIsPinnedToTheOriginOfTheMap() throws {
        let answer = try decode(
            text:
                #"{"features":[{"id":"us1","properties":{"time":1},"geometry":{"type":"Point","coordinates":[0,0,0]}}]}"#
        )
        #expect(answer.events.first?.location == nil)
        #expect(answer.issues.map(\.reason) == ["bad_coordinate"])
    }

    @Test func textsAreCleanedAndWrongTypesNoted() throws {
        let answer = try decode(
            text:
                #"{"features":[{"id":"us1","properties":{"time":1,"title":"M 1 - <b>x</b> &amp; y","place":{},"status":"re\u001bviewed\n","ids":["a"]}}]}"#
        )
        let event = try #require(answer.events.first)
        #expect(event.title == "M 1 - x & y" && event.place == nil && event.status == "reviewed")
        #expect(answer.issues.filter { $0.reason == "bad_field" }.count == 2)
    }

    @Test func idsWithControlCharactersAreNone() throws {
        let answer = try decode(text: #"{"features":[{"id":"us\n1","properties":{"time":1}}]}"#)
        #expect(answer.events.isEmpty && answer.issues.map(\.reason) == ["no_id"])
    }

    /// Warnings of the National Weather Service, earthquakes of EMSC (dates as text, depths negative), broken features.
    @Test(arguments: [
        #"{"id":"https://api.weather.gov/alerts/urn:oid:2.49","type":"Feature","geometry":null,"properties":{"event":"Wind Advisory"}}"#,
        #"{"id":"20240101_1","geometry":{"coordinates":[1,2,-10]},"properties":{"mag":4,"time":"2024-01-01T00:00:00.0Z"}}"#,
        #"{"properties":{"time":null}},{"properties":null},{}"#, "1,{}",
    ])
    func collectionsOfOthersAreRefused(features: String) throws {
        let failure = try #require(throws: Failure.self) {
            try decode(text: #"{"type":"FeatureCollection","features":[\#(features)]}"#)
        }
        #expect(failure.fault == .feed && failure.code == "not_usgs")
        #expect(failure.message.contains("no USGS feed") && failure.excerpt?.isEmpty == false)
    }

    @Test func oneTimeOrNoFeatureIsEnough() throws {
        #expect(try decode(text: #"{"type":"FeatureCollection","features":[]}"#).events.isEmpty)
        let one = #"{"features":[{"id":"x1","properties":{}},{"id":"us1","properties":{"time":1700000000000}}]}"#
        #expect(try decode(text: one).events.map(\.id) == ["x1", "us1"])
        let deleted = try decode(text: #"{"features":[{"id":"us1","properties":{"time":null,"status":"deleted"}}]}"#)
        #expect(deleted.withdrawals.map(\.id) == ["us1"])
    }
}
