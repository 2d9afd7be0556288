import Foundation
import Model
import Testing

@testable import Feeds

@Suite struct TwitterSearchTests {
    private let now = Date(timeIntervalSince1970: 1_772_366_400)  // 2026-03-01T12:00:00Z

    private func settings(
        url: String = "http://127.0.0.1:8080/2/tweets/search/recent", keywords: [String]? = nil,
        options: [String: OptionValue] = ["query": .text("lava OR ash"), "monthly_cap": .integer(2000)]
    ) -> SourceSettings {
        SourceSettings(
            name: "tweets", kind: "twitter", url: url,
            filter: Filter(keywords: keywords.map { KeywordFilter($0) }), options: options)
    }

    private func poll(_ state: [String: String] = [:], secrets: [String: String] = ["bearer": "AAA"]) -> PollContext {
        PollContext(now: now, state: FeedState(state), secrets: secrets.mapValues { Secret($0) })
    }

    /// An id created `hours` before now.
    private func id(_ hours: Double, _ sequence: Int64 = 0) -> Int64 {
        let milliseconds = now.addingTimeInterval(-hours * 3600).milliseconds
        return (milliseconds - 1_288_834_974_657) << 22 + sequence
    }

    private func parameters(_ request: FeedRequest) -> [String: String] {
        let items = URLComponents(string: request.url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    // MARK: Requests

    @Test func aSearchAsksForWhatTheDecoderReads() throws {
        let feed = try TwitterFeed(settings())
        let request = try #require(feed.requests(for: poll()).first)
        #expect(request.role == "search")
        #expect(request.authorization == .bearer)
        #expect(!request.isConditional)
        #expect(request.cost == 100 && request.monthlyCap == 2000)
        let asked = parameters(request)
        #expect(asked["query"] == "lava OR ash")
        #expect(asked["max_results"] == "100")
        #expect(asked["since_id"] == nil)
        #expect(asked["expansions"]?.contains("referenced_tweets.id.author_id") == true)
        #expect(asked["tweet.fields"]?.contains("note_tweet") == true)
        #expect(asked["place.fields"]?.contains("geo") == true)
        #expect(!request.url.contains("AAA"))
    }

    @Test(
        "A page is no larger than the monthly cap, and no smaller than the interface takes",
        arguments: [(60, 60), (5, 10)])
    func smallCap(cap: Int, page: Int) throws {
        let feed = try TwitterFeed(settings(options: ["query": .text("lava"), "monthly_cap": .integer(cap)]))
        let request = try #require(feed.requests(for: poll()).first)
        #expect(request.cost == page && request.monthlyCap == cap)
        #expect(parameters(request)["max_results"] == "\(page)")
    }

    @Test func version1HasItsOwnAddressAndNames() throws {
        let options: [String: OptionValue] = ["query": .text("lava"), "api": .text("v1.1")]
        let url = try #require(TwitterFeed.kind.defaultURL)
        let feed = try TwitterFeed(settings(url: url, options: options))
        let request = try #require(feed.requests(for: poll()).first)
        #expect(request.url.hasPrefix("https://api.twitter.com/1.1/search/tweets.json?"))
        let asked = parameters(request)
        #expect(asked["q"] == "lava")
        #expect(asked["tweet_mode"] == "extended")
        #expect(asked["result_type"] == "recent")
        #expect(asked["count"] == "100")
    }

    @Test func thePremiumSearchGoesByMinutesAndItsOwnToken() throws {
        let options: [String: OptionValue] = ["query": .text("lava"), "api": .text("premium")]
        let url = "http://127.0.0.1:8080/1.1/tweets/search/30day/test.json?fromDate=202001010000"
        let feed = try TwitterFeed(settings(url: url, options: options))
        let known = ["query": "lava", "since_id": "\(id(2))"]
        let first = try #require(feed.requests(for: poll(known)).first)
        #expect(first.url.hasPrefix("http://127.0.0.1:8080/1.1/tweets/search/30day/test.json?"))
        #expect(parameters(first) == ["query": "lava", "maxResults": "100", "fromDate": "202603011000"])
        func answer(_ newest: Int64, next: String?) throws -> FeedAnswer {
            let token = next.map { ",\"next\":\"\($0)\"" } ?? ""
            let body = "{\"results\":[{\"id\":\(newest),\"text\":\"ash\"}]\(token),\"requestParameters\":{}}"
            let response = FeedResponse(request: first, body: Data(body.utf8))
            return try feed.decode(response, for: poll(known))
        }
        let page = try answer(id(1), next: "abc")
        let second = try #require(page.followUps.first)
        #expect(
            parameters(second)
                == ["query": "lava", "maxResults": "99", "fromDate": "202603011000", "next": "abc"])
        // The next poll continues below the oldest message read.
        let values = try #require(page.state).values
        let rest = try #require(feed.requests(for: poll(values)).first)
        #expect(parameters(rest)["toDate"] == "202603011101" && parameters(rest)["next"] == nil)
        let last = try answer(id(1), next: nil)
        #expect(last.followUps.isEmpty && last.state?["since_id"] == "\(id(1))")
        #expect(throws: FeedSettingsError.self) {
            try TwitterFeed(settings(url: TwitterSearch.recentSearch, options: options))
        }
    }

    @Test func keywordsMakeAQuery() throws {
        let words = ["volcan*", "lava flow", "séisme", "C++", "volcan", " ", "*", "\"ash\""]
        let feed = try TwitterFeed(settings(keywords: words, options: [:]))
        let request = try #require(feed.requests(for: poll()).first)
        #expect(parameters(request)["query"] == "(volcan OR \"lava flow\" OR séisme OR \"C++\" OR ash)")
        let handles = try TwitterFeed(settings(keywords: ["@@quakebot", "lava"], options: [:]))
        #expect(parameters(try #require(handles.requests(for: poll()).first))["query"] == "(@quakebot OR lava)")
    }

    @Test func wordSetsAreTooLongForAQuery() throws {
        #expect(throws: FeedSettingsError.self) {
            try TwitterFeed(settings(keywords: ["@earthquake", "lava"], options: [:]))
        }
        let feed = try TwitterFeed(settings(keywords: ["@earthquake"], options: ["query": .text("lava OR ash")]))
        #expect(parameters(try #require(feed.requests(for: poll()).first))["query"] == "lava OR ash")
    }

    @Test func theAddressMayBringItsOwnParameters() throws {
        let url = "http://127.0.0.1:8080/search?query=fire&since_id=5&user.fields=name#top"
        let feed = try TwitterFeed(settings(url: url, options: [:]))
        let asked = parameters(try #require(feed.requests(for: poll()).first))
        #expect(asked["query"] == "fire")
        #expect(asked["user.fields"] == "name")
        #expect(asked["since_id"] == nil)
        #expect(asked["expansions"] != nil)
    }

    @Test func settingsThatCannotWorkAreRefused() {
        #expect(throws: FeedSettingsError.self) { try TwitterFeed(settings(options: [:])) }
        #expect(throws: FeedSettingsError.self) { try TwitterFeed(settings(url: "https://example.org/{topic}")) }
        var disabled = settings(options: [:])
        disabled.isEnabled = false
        #expect(throws: Never.self) { try TwitterFeed(disabled) }
    }

    @Test func filesAreAskedForAsTheyAre() throws {
        let feed = try TwitterFeed(settings(url: "file:///var/messages.ndjson", options: [:]))
        #expect(feed.requests(for: poll(secrets: [:])) == [FeedRequest(url: "file:///var/messages.ndjson")])
    }

    @Test func queriesAndIntervalsThatAreTooLongGiveAdvice() throws {
        var long = settings(options: ["query": .text(String(repeating: "x", count: 513))])
        #expect(try TwitterFeed(long).advice.count == 1)
        long.refreshInterval = .seconds(4 * 86_400)
        #expect(try TwitterFeed(long).advice.count == 2)
        #expect(try TwitterFeed(settings()).advice.isEmpty)
    }

    // MARK: Tokens

    @Test func keyAndSecretGiveATokenFirst() throws {
        let feed = try TwitterFeed(settings())
        let context = poll(secrets: ["key": "k", "secret": "s"])
        let request = try #require(feed.requests(for: context).first)
        #expect(request.role == "token")
        #expect(request.url == "http://127.0.0.1:8080/oauth2/token")
        #expect(request.form == "grant_type=client_credentials")
        #expect(request.authorization == .basic)
        #expect(!request.isConditional)
        let body = Data(#"{"token_type":"bearer","access_token":"AAAA%2F"}"#.utf8)
        let answer = try feed.decode(FeedResponse(request: request, body: body), for: context)
        #expect(answer.secrets["bearer"]?.value == "AAAA%2F")
        #expect(answer.followUps.map(\.role) == ["search"])
        #expect(answer.state == nil)
    }

    @Test func nothingIsAskedWithoutCredentials() throws {
        let feed = try TwitterFeed(settings())
        #expect(feed.requests(for: poll(secrets: [:])).isEmpty)
        #expect(feed.requests(for: poll(secrets: ["key": "k"])).isEmpty)
    }

    @Test(arguments: [
        (#"{"errors":[{"code":99,"message":"Unable to verify your credentials"}]}"#, "twitter_99"),
        (#"{"token_type":"bearer"}"#, "bad_token"), ("<html>", "bad_token"), ("", "bad_token"),
    ])
    func refusedTokensFailWithoutTheBody(body: String, code: String) throws {
        let feed = try TwitterFeed(settings())
        let context = poll(secrets: ["key": "k", "secret": "s"])
        let request = try #require(feed.requests(for: context).first)
        let response = FeedResponse(request: request, body: Data(body.utf8))
        do {
            _ = try feed.decode(response, for: context)
            Issue.record("a token was found")
        } catch {
            #expect(error.code == code)
            #expect(error.excerpt == nil)
        }
    }

    // MARK: Reading on

    @Test func aUsedUpRateLimitEndsThePollAndKeepsItsPlace() throws {
        let feed = try TwitterFeed(settings())
        let context = poll(["since_id": String(id(3)), "query": "lava OR ash"])
        let request = try #require(feed.requests(for: context).first)
        let (new, old) = (id(1), id(2))
        let body = """
            {"data":[{"id":"\(new)","text":"a"},{"id":"\(old)","text":"b"}],"meta":{"next_token":"t"}}
            """
        let reset = now.addingTimeInterval(600)
        let headers = [
            "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(Int(clamping: reset.timeIntervalSince1970)),
        ]
        let answer = try feed.decode(
            FeedResponse(request: request, headers: headers, body: Data(body.utf8)), for: context)
        #expect(answer.notBefore == reset)
        #expect(answer.followUps.isEmpty)
        #expect(answer.state?["since_id"] == String(id(3)))
        #expect(answer.state?["until_id"] == String(old))
        #expect(answer.state?["newest_id"] == String(new))
        #expect(answer.issues.map(\.reason) == ["messages_waiting"])
    }

    @Test func idsOutOfReachAreDroppedAndSaid() throws {
        let feed = try TwitterFeed(settings())
        let context = poll(["since_id": String(id(24 * 7)), "query": "lava OR ash"])
        let request = try #require(feed.requests(for: context).first)
        #expect(parameters(request)["since_id"] == nil)
        let answer = try feed.decode(
            FeedResponse(request: request, body: Data(#"{"meta":{"result_count":0}}"#.utf8)), for: context)
        #expect(answer.issues.map(\.reason) == ["gap_not_covered"])
        #expect(answer.state?["since_id"] == nil)

        let gap = poll([
            "since_id": String(id(24 * 8)), "until_id": String(id(24 * 7)), "newest_id": String(id(5)),
            "query": "lava OR ash",
        ])
        let next = try #require(feed.requests(for: gap).first)
        #expect(parameters(next)["since_id"] == String(id(5)))
        #expect(parameters(next)["until_id"] == nil)
    }

    @Test func anotherQueryBeginsAnew() throws {
        let feed = try TwitterFeed(settings())
        let request = try #require(feed.requests(for: poll(["since_id": String(id(1)), "query": "fire"])).first)
        #expect(parameters(request)["since_id"] == nil)
    }

    @Test func aRefusedSinceIdIsForgotten() throws {
        let feed = try TwitterFeed(settings())
        let context = poll(["since_id": String(id(1)), "query": "lava OR ash"])
        let request = try #require(feed.requests(for: context).first)
        let words = Data(#"{"errors":[{"message":"'since_id' must be a tweet id created after [x]"}]}"#.utf8)
        let refusal = Failure(.server, "http_400", "Bad Request", status: 400, excerpt: words)
        #expect(feed.state(after: refusal, of: request, for: context) == FeedState())
        let other = Failure(.server, "http_400", "Bad Request", status: 400, excerpt: Data("{}".utf8))
        #expect(feed.state(after: other, of: request, for: context) == nil)
        let late = Failure(.server, "http_503", "since_id", status: 503)
        #expect(feed.state(after: late, of: request, for: context) == nil)
    }

    @Test func emptyPagesDoNotGoOnForEver() throws {
        let feed = try TwitterFeed(settings(options: ["query": .text("x"), "most_messages": .integer(50)]))
        let body = Data(#"{"meta":{"result_count":0,"next_token":"again"}}"#.utf8)
        var pending = feed.requests(for: poll())
        var asked = 0
        while let request = pending.first, asked < 100 {
            asked += 1
            pending = try feed.decode(FeedResponse(request: request, body: body), for: poll()).followUps
        }
        #expect(asked < 10)
    }
}
