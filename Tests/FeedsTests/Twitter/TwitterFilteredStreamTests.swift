import Foundation
import Model
import Testing

@testable import Feeds

@Suite struct TwitterFilteredStreamTests {
    private static let url = "http://127.0.0.1:8080/2/tweets/search/stream"

    private func settings(
        url: String = TwitterFilteredStreamTests.url, keywords: [String]? = nil,
        _ options: [String: OptionValue] = [:], enabled: Bool = true
    ) -> SourceSettings {
        var all: [String: OptionValue] = ["mode": .text("stream"), "monthly_cap": .integer(10_000)]
        all.merge(options) { _, new in new }
        return SourceSettings(
            name: "tweets", kind: "twitter", url: url, isEnabled: enabled,
            filter: Filter(keywords: keywords.map { KeywordFilter($0) }), options: all)
    }

    private func poll(_ secrets: [String: String] = ["bearer": "AAA"]) -> PollContext {
        PollContext(now: Date(timeIntervalSince1970: 1_772_366_400), secrets: secrets.mapValues { Secret($0) })
    }

    private func texts(_ settings: SourceSettings) throws -> [String] { try TwitterRules(settings).texts }

    // MARK: What is wanted

    @Test func keywordsAuthorsAndBoxesMakeRules() throws {
        #expect(try texts(settings(keywords: ["volcan*", "lava flow"])) == ["(volcan OR \"lava flow\")"])
        #expect(
            try texts(settings(["authors": .texts(["@USGSVolcanoes", "gvp"])])) == ["(from:USGSVolcanoes OR from:gvp)"])
        #expect(
            try texts(settings(["boxes": .texts(["-155.4, 19.3,-155.1,19.5"])]))
                == ["bounding_box:[-155.4 19.3 -155.1 19.5]"])
        #expect(
            try texts(settings(keywords: ["lava", "ash"], ["authors": .texts(["gvp"])])) == ["(lava OR ash) from:gvp"],
            "a keyword, and one of the authors")
        #expect(
            try texts(settings(keywords: ["lava"], ["query": .text("a OR b"), "authors": .texts(["gvp"])]))
                == ["(a OR b) from:gvp"], "a query stands in place of the keywords")
    }

    @Test func whatIsTooLongForARuleIsDealtOut() throws {
        let words = (0..<200).map { "keyword\($0)" }
        let rules = try texts(settings(keywords: words, ["authors": .texts((0..<40).map { "author\($0)" })]))
        #expect(rules.count > 2)
        #expect(rules.allSatisfy { $0.unicodeScalars.count <= 512 })
        for word in words { #expect(rules.contains { $0.contains("\(word) ") || $0.contains("\(word))") }) }
    }

    @Test func settingsThatCannotWorkAreRefused() {
        func key(_ settings: SourceSettings) -> String? {
            do throws(FeedSettingsError) {
                _ = try TwitterFeed(settings)
                return nil
            } catch {
                return error.key
            }
        }
        #expect(key(settings()) == "query")
        #expect(key(settings(enabled: false)) == nil)
        #expect(key(settings(["authors": .texts(["no spaces"])])) == "authors")
        #expect(key(settings(["boxes": .texts(["1,2,3"])])) == "boxes")
        #expect(key(settings(["boxes": .texts(["10,2,3,4"])])) == "boxes")
        #expect(key(settings(["query": .text("a"), "api": .text("v1.1")])) == "mode")
        #expect(key(settings(url: "file:///a.json", ["query": .text("a")])) == "mode")
        #expect(key(settings(["mode": .text("poll"), "query": .text("a"), "authors": .texts(["gvp"])])) == "authors")
    }

    @Test func largeBoxesAndLongQueriesAreAdvisedAgainst() throws {
        let large = try TwitterFeed(settings(["boxes": .texts(["-156,19,-155,20"])]))
        #expect(large.advice.count == 1)
        let small = try TwitterFeed(settings(["boxes": .texts(["-155.3,19.3,-155.1,19.5"])]))
        #expect(small.advice.isEmpty)
        let long = try TwitterFeed(settings(["query": .text(String(repeating: "x", count: 600))]))
        #expect(long.advice.count == 1)
    }

    // MARK: Rules in step

    /// Connects a feed to a server that stores rules, until it opens the stream; returns that request and the changes
    /// of rules.
    private func converse(
        _ feed: TwitterFeed, _ rules: inout [(id: String, value: String, tag: String)]
    ) throws -> (stream: FeedRequest, changes: [String]) {
        var changes: [String] = []
        var request = try #require(feed.requests(for: poll()).first)
        var next = 100
        for _ in 0..<20 {
            #expect(request.authorization == .bearer && !request.isConditional)
            if request.stream != nil { return (request, changes) }
            #expect(request.url == Self.url + "/rules" && request.cost == 0)
            var body: [String: Any] = ["meta": ["sent": "2026-03-01T12:00:00Z"]]
            if let json = request.json {
                changes.append(json)
                let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
                if let gone = (object["delete"] as? [String: Any])?["ids"] as? [String] {
                    rules.removeAll { gone.contains($0.id) }
                }
                for rule in object["add"] as? [[String: String]] ?? [] {
                    rules.append((String(next), rule["value"] ?? "", rule["tag"] ?? ""))
                    next += 1
                }
            } else if !rules.isEmpty {
                body["data"] = rules.map { ["id": $0.id, "value": $0.value, "tag": $0.tag] }
            }
            let answer = try feed.decode(
                FeedResponse(request: request, body: try JSONSerialization.data(withJSONObject: body)), for: poll())
            #expect(answer.cost == 0 && answer.events.isEmpty)
            request = try #require(answer.followUps.first)
            #expect(answer.followUps.count == 1)
        }
        throw Failure(.feed, "no_end", "the rules are never in step")
    }

    @Test func missingRulesAreAddedAndTheStreamIsOpened() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        var rules: [(id: String, value: String, tag: String)] = []
        let (stream, changes) = try converse(feed, &rules)
        #expect(changes == [#"{"add":[{"value":"lava","tag":"visiventd:tweets"}]}"#])
        #expect(stream.url.hasPrefix(Self.url + "?tweet.fields="))
        #expect(stream.url.contains("expansions="))
        #expect(stream.stream == feed.stream)
        #expect(stream.notes["rules"] == "100")
        #expect(stream.cost == 500)
    }

    @Test func rulesInStepAreLeftAlone() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        var rules = [(id: "1", value: "lava", tag: "visiventd:tweets")]
        #expect(try converse(feed, &rules).changes.isEmpty)
    }

    @Test func staleRulesOfOursGoAndThoseOfOthersStay() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        var rules = [
            (id: "1", value: "old", tag: "visiventd:tweets"), (id: "2", value: "cats", tag: "visiventd:others"),
            (id: "3", value: "dogs", tag: ""),
        ]
        let (stream, changes) = try converse(feed, &rules)
        #expect(
            changes == [#"{"delete":{"ids":["1"]}}"#, #"{"add":[{"value":"lava","tag":"visiventd:tweets"}]}"#])
        #expect(rules.map { $0.value } == ["cats", "dogs", "lava"])
        #expect(stream.notes["rules"] == "100")
    }

    @Test func aRuleThatSomebodyElseHasIsUsed() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        var rules = [(id: "7", value: "lava", tag: "theirs")]
        let (stream, changes) = try converse(feed, &rules)
        #expect(changes.isEmpty && stream.notes["rules"] == "7")
    }

    @Test func aRuleThatIsRefusedIsTheOperators() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        let request = FeedRequest(
            url: Self.url + "/rules", role: "rules_change", json: "{}", notes: ["round": "1", "change": "add"])
        func failure(_ body: String) -> Failure? {
            do throws(Failure) {
                _ = try feed.decode(FeedResponse(request: request, body: Data(body.utf8)), for: poll())
                return nil
            } catch {
                return error
            }
        }
        let refused = failure(
            #"{"errors":[{"value":"lava (","details":["unbalanced parenthesis"],"title":"UnprocessableEntity"}]}"#)
        #expect(refused?.code == "rule_refused" && refused?.fault == .operator)
        #expect(refused?.message.contains("unbalanced parenthesis") == true)
        #expect(failure(#"{"errors":[{"value":"lava","id":"1","title":"DuplicateRule"}]}"#) == nil)
        #expect(failure(#"{"data":[{"id":"1","value":"lava"}],"meta":{"summary":{"created":1}}}"#) == nil)
    }

    @Test func aServerThatForgetsRulesIsGivenUp() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        var request = try #require(feed.requests(for: poll()).first)
        var failure: Failure?
        for _ in 0..<20 where failure == nil {
            do throws(Failure) {
                let answer = try feed.decode(
                    FeedResponse(request: request, body: Data(#"{"meta":{}}"#.utf8)), for: poll())
                request = answer.followUps[0]
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == "rules_differ")
    }

    @Test func aTokenIsGotFirst() throws {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        let request = try #require(feed.requests(for: poll(["key": "k", "secret": "s"])).first)
        #expect(request.role == "token" && request.url == "http://127.0.0.1:8080/oauth2/token")
        let answer = try feed.decode(
            FeedResponse(request: request, body: Data(#"{"access_token":"t"}"#.utf8)), for: poll([:]))
        #expect(answer.followUps.map(\.role) == ["rules"])
        #expect(feed.requests(for: poll([:])).isEmpty)
    }

    // MARK: Lines

    private func answer(_ lines: String...) throws -> FeedAnswer {
        let feed = try TwitterFeed(settings(keywords: ["lava"]))
        let request = FeedRequest(url: Self.url, role: "stream", notes: ["rules": "5"], stream: feed.stream)
        return try feed.decode(
            FeedResponse(request: request, body: Data(lines.map { $0 + "\n" }.joined().utf8)), for: poll())
    }

    private func message(_ id: String, rule: String = "5") -> String {
        #"{"data":{"id":"\#(id)","text":"lava","created_at":"2026-02-28T23:00:00.000Z"},"#
            + #""matching_rules":[{"id":"\#(rule)","tag":"visiventd:tweets"}]}"#
    }

    @Test func eachLineIsAMessageThatIsPaidFor() throws {
        let answer = try self.answer(message("11"), "{\"broken", message("12"))
        #expect(answer.events.map(\.id) == ["11", "12"])
        #expect(answer.cost == 2)
        #expect(answer.issues.count == 1)
        #expect(answer.closing == nil)
        #expect(answer.state == nil)
    }

    @Test func messagesOfOthersRulesAreLeftOutButPaidFor() throws {
        let answer = try self.answer(message("11"), message("12", rule: "6"))
        #expect(answer.events.map(\.id) == ["11"])
        #expect(answer.cost == 2)
        #expect(answer.issues.map(\.reason) == ["other_rule"])
    }

    @Test func aDisconnectMessageEndsTheStream() throws {
        let answer = try self.answer(
            message("11"),
            #"{"errors":[{"title":"operational-disconnect","disconnect_type":"UpstreamOperationalDisconnect","#
                + #""detail":"This stream has been disconnected upstream for operational reasons."}]}"#)
        #expect(answer.events.count == 1)
        #expect(answer.closing?.code == "disconnected")
        #expect(answer.closing?.message.contains("for operational reasons") == true)
        #expect(answer.closing?.isWorthAnotherTry == true)
        let other = try self.answer(
            #"{"title":"ConnectionException","detail":"maximum connections","connection_issue":"TooManyConnections"}"#)
        #expect(other.closing?.message.contains("maximum connections") == true)
    }

    @Test(arguments: [
        ("{}", "not_twitter", "expected a Twitter message"), ("{\"a\":1}", "not_twitter", "with the members a"),
        ("{\"data\":null}", "not_twitter", "{\"data\":null}"), ("{\"data\":{}}", "not_twitter", "a message without id"),
        ("{\"data\":null,\"meta\":{}}", "not_twitter", "a line without one"),
        ("{\"id\":\"x\",\"name\":\"y\"}", "not_twitter", "a message without id"),
        ("{\"error\":\"log in first\"}", "not_twitter", "log in first"), ("hello", "not_twitter", "hello"),
        ("[1]", "not_twitter", "array"), ("<!DOCTYPE html>", "html_page", "HTML page"),
    ]) func linesThatAreNotTwittersAreNamed(line: String, code: String, words: String) throws {
        let answer = try self.answer(line)
        #expect(answer.closing == nil && answer.events.isEmpty)
        let failure = try #require(answer.unrecognized)
        #expect(failure.fault == .feed && failure.code == code)
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(failure.excerpt == Data((line + "\n").utf8))
    }

    @Test func oneLineOfTwittersIsEnough() throws {
        #expect(try answer("{\"broken", message("11")).unrecognized == nil)
        #expect(try answer(message("11", rule: "6")).unrecognized == nil, "somebody else's rule")
        #expect(try answer(#"{"errors":[{"title":"operational-disconnect"}]}"#).unrecognized == nil)
        #expect(
            try answer(#"{"data":{"text":"x"},"matching_rules":[{"id":"5"}]}"#).unrecognized == nil, "one without id")
        #expect(try answer("", "").unrecognized == nil, "keep-alives")
    }
}

extension Failure {
    /// Whether it is a server's failure without a status, which the engine treats as transient.
    fileprivate var isWorthAnotherTry: Bool { fault == .server && status == nil }
}
