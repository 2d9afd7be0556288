import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct CAPIndexTests {
    @Test func alertsInsideEntriesNeedNoSecondStep() throws {
        let answer = try CAPTesting.fixture("atom-with-alerts.xml")
        #expect(answer.events.map(\.id) == ["A1", "A2"])
        #expect(answer.followUps.isEmpty)
    }

    @Test func indexLeadsToDocumentsNewestFirst() throws {
        let answer = try CAPTesting.fixture("atom-index.xml")
        #expect(answer.events.isEmpty)
        #expect(
            answer.followUps.map(\.url) == [
                "https://example.org/2.cap", "https://example.org/4.cap", "https://example.org/1.cap",
                "https://example.org/alerts/3.cap",
            ])
        #expect(answer.followUps.allSatisfy { $0.role == "document" && $0.headers["Accept"] != nil })
        #expect(answer.issues.map(\.reason) == ["no_link"])
        #expect(answer.tallies["links"] == 5)
    }

    @Test func rssIndexWorksAlike() throws {
        let answer = try CAPTesting.fixture("rss-index.xml")
        #expect(answer.followUps.map(\.url) == ["https://example.org/2.cap", "https://example.org/1.cap"])
    }

    /// With two documents a poll, the index is requested unconditionally until all are read, and none is read twice.
    @Test func whatDoesNotFitIsLeftForLaterPolls() throws {
        let index = try Fixtures.data("cap/atom-index.xml")
        let options: [String: OptionValue] = ["most_documents": .integer(2)]
        var state = FeedState()
        var asked: [[String]] = []
        for poll in 1...3 {
            let context = PollContext(now: Date(milliseconds: 0), state: state)
            let request = try #require(try CAPTesting.feed(options).requests(for: context).first)
            #expect(request.isConditional == (poll != 2))
            let answer = try CAPTesting.decode(index, options: options, request: request, state: state)
            state = try #require(answer.state)
            asked.append(answer.followUps.map(\.url))
        }
        #expect(
            asked == [
                ["https://example.org/2.cap", "https://example.org/4.cap"],
                ["https://example.org/1.cap", "https://example.org/alerts/3.cap"], [],
            ])
        #expect(state["seen"]?.split(separator: " ").count == 4)
    }

    @Test func changedEntriesAreReadAgainAndVanishedOnesForgotten() throws {
        let state = try #require(try CAPTesting.fixture("rss-index.xml").state)
        #expect(try CAPTesting.decode(try Fixtures.data("cap/rss-index.xml"), state: state).followUps.isEmpty)
        let text = String(decoding: try Fixtures.data("cap/rss-index.xml"), as: UTF8.self)
        let changed = text.split(separator: "Mon, 01 Jan 2024 00:00:00").joined(separator: "Mon, 01 Jan 2024 00:00:01")
        let answer = try CAPTesting.decode(Data(changed.utf8), state: state)
        #expect(answer.followUps.map(\.url) == ["https://example.org/1.cap"])

        let empty = Data("<rss version=\"2.0\"><channel><title>Index</title></channel></rss>".utf8)
        #expect(try CAPTesting.decode(empty, state: state).state?["seen"] == nil)
    }

    /// Refused statuses may be accepted later, so documents read under other settings are requested again.
    @Test func otherSettingsReadAgain() throws {
        let state = try #require(try CAPTesting.fixture("rss-index.xml").state)
        let body = try Fixtures.data("cap/rss-index.xml")
        let options: [String: OptionValue] = ["statuses": .texts(["Actual", "Test"])]
        #expect(try CAPTesting.decode(body, options: options, state: state).followUps.count == 2)
    }

    @Test func documentsCostThemselvesAlone() throws {
        let answer = try CAPTesting.fixture("rss-index.xml")
        #expect(answer.followUps.allSatisfy { !$0.isEssential })
        let document = try CAPTesting.decode(
            try Fixtures.data("cap/version-1.0.xml"), request: answer.followUps[0], state: try #require(answer.state))
        #expect(document.events.count == 1)
        #expect(document.state == nil, "what the index has settled stays")
    }

    /// Polls an index three times; one of its two documents fails each time.
    /// - Returns: The requested documents by poll.
    private func polls(failing refusal: Failure) throws -> [[FeedRequest]] {
        let index = try Fixtures.data("cap/rss-index.xml")
        var state = FeedState()
        var asked: [[FeedRequest]] = []
        for _ in 1...3 {
            let answer = try CAPTesting.decode(index, state: state)
            state = try #require(answer.state)
            asked.append(answer.followUps)
            for request in answer.followUps where request.url == Self.first {
                let context = PollContext(now: Date(milliseconds: 0), state: state)
                guard let next = try CAPTesting.feed().state(after: refusal, of: request, for: context) else {
                    #expect(!CAPIndex.wasIncomplete(state, topic: nil))
                    continue
                }
                state = next
                #expect(CAPIndex.wasIncomplete(state, topic: nil))
            }
        }
        return asked
    }

    private static let first = "https://example.org/1.cap"
    private static let second = "https://example.org/2.cap"

    /// A document that is listed before it exists, or is half written, is requested twice and no more.
    @Test(arguments: [
        Failure(.server, "http_404", "Not found", status: 404),
        Failure(.feed, "truncated", "The document ends before <alert> is closed."),
    ])
    func missingDocumentsAreAskedForTwice(after refusal: Failure) throws {
        #expect(try polls(failing: refusal).map { $0.map(\.url) } == [[Self.second, Self.first], [Self.first], []])
    }

    /// A document whose server is under maintenance is requested as long as it is listed, and does not hold up the
    /// index.
    @Test(arguments: [
        Failure(.server, "http_503", "answered 503", status: 503), Failure.feed("html_page", "found an HTML page"),
        Failure(.network, .connectTimeout, "no connection was made in time"),
    ])
    func lateDocumentsAreAskedForAgain(after failure: Failure) throws {
        let asked = try polls(failing: failure)
        #expect(asked.map { $0.map(\.url) } == [[Self.second, Self.first], [Self.first], [Self.first]])
        #expect(asked.map { $0.last?.maximumTries } == [2, 1, 1])
    }

    /// A failing document does not displace others.
    @Test func lateDocumentsStandBehindTheOthers() throws {
        let index = try Fixtures.data("cap/rss-index.xml")
        let options: [String: OptionValue] = ["most_documents": .integer(1)]
        var state = FeedState()
        var asked: [String] = []
        for _ in 1...3 {
            let answer = try CAPTesting.decode(index, options: options, state: state)
            state = try #require(answer.state)
            let request = try #require(answer.followUps.first)
            asked.append(request.url)
            let context = PollContext(now: Date(milliseconds: 0), state: state)
            let failure = Failure(.server, "http_503", "answered 503", status: 503)
            state = try #require(try CAPTesting.feed().state(after: failure, of: request, for: context))
        }
        #expect(asked == [Self.second, Self.first, Self.second])
    }

    @Test func documentsThatAreGoneStaySettled() throws {
        let request = try #require(try CAPTesting.fixture("rss-index.xml").followUps.first)
        let context = PollContext(now: Date(milliseconds: 0))
        let gone = Failure(.server, "http_410", "Gone", status: 410)
        #expect(try CAPTesting.feed().state(after: gone, of: request, for: context) == nil)
    }

    @Test func documentMustBeAnAlert() throws {
        let request = FeedRequest(url: "https://example.org/1.cap", role: "document")
        for name in ["atom-index.xml", "html-page.xml"] {
            let body = try Fixtures.data("cap/" + name)
            #expect(throws: Failure.self, "\(name)") { try CAPTesting.decode(body, request: request) }
        }
    }

    @Test func topicsRememberApart() throws {
        let settings = SourceSettings(
            name: "alerts", kind: "cap", url: "https://example.org/{topic}.xml", topics: ["north", "south"])
        let context = PollContext(
            now: Date(milliseconds: 0), state: FeedState(["north\u{1F}incomplete": "1", "south\u{1F}seen": "a b"]))
        let requests = try CAPFeed(settings).requests(for: context)
        #expect(requests.map(\.topic) == ["north", "south"])
        #expect(requests.map(\.isConditional) == [false, true])
        #expect(!CAPIndex.wasIncomplete(context.state, topic: "nor"), "no other topic's beginning")
    }
}
