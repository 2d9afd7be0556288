import Foundation
public import Model
import Reading

/// Messages from Twitter (X): searches through API v2, v1.1 and the premium search, the filtered stream of v2, and
/// files of their JSON or JSON lines.
///
/// Identity: provider `twitter` and the id of a message's first version; the ids of later versions are aliases. A
/// retweet counts as the original message. A quote is one event that contains the quoted text. A delete message erases
/// the event. `docs/feeds-twitter.md` describes `most_messages`, paging and the stored ids.
public struct TwitterFeed: Feed {
    /// The option for the most paid reads in a calendar month (`FeedRequest.monthlyCap`).
    static let monthlyCapKey = "monthly_cap"
    private static let resetHeader = "x-rate-limit-reset"

    /// The kind `twitter`: disabled by default; when enabled, a recent search of API v2 once an hour for at most 100
    /// messages, 10,000 a month, events kept 3 days. docs/feeds-twitter.md has its keys.
    public static let kind = FeedKind(
        name: "twitter", synonyms: ["tweets", "x"],
        summary: "Twitter (X): search through API v2 or v1.1, filtered stream of v2, files of their JSON or JSON lines",
        decoderVersion: 1, defaultURL: TwitterSearch.recentSearch, refreshInterval: .seconds(3600),
        offset: .seconds(240), maxAge: .seconds(72 * 3600), isEnabledByDefault: false,
        provider: "twitter",
        options: [
            FeedOption(
                "mode", .choice(["poll", "stream"]), default: .text("poll"),
                "Whether messages are searched for at each interval, or a connection is held open that brings them."),
            FeedOption(
                "query", .text,
                "What to search for, in Twitter's own syntax; when missing, the keywords joined by OR."),
            FeedOption("authors", .texts, "Of a stream: the user names of whom messages are wanted."),
            FeedOption("boxes", .texts, "Of a stream: where messages are wanted from, as \"west,south,east,north\"."),
            FeedOption(
                "rule_tag", .text, default: .text("visiventd"),
                "Of a stream: what the tags of its rules begin with; rules with other tags are left alone."),
            FeedOption(
                "api", .choice(TwitterSearch.API.allCases.map { $0.rawValue }), default: .text("v2"),
                "Which API the URL belongs to."),
            FeedOption(
                "most_messages", .integer(10...10_000), default: .integer(100),
                "The most messages read in a poll; what remains is read by the next polls."),
            FeedOption(
                monthlyCapKey, .integer(0...10_000_000), default: .integer(10_000),
                "The most messages read in a calendar month (UTC), since X bills each."),
            FeedOption(
                "page_size", .integer(10...100), default: .integer(100), "The most messages asked for in a request."),
            FeedOption("bearer_token_file", .secretFile(secret: "bearer"), "File with the bearer token."),
            FeedOption(
                "api_key_file", .secretFile(secret: "key"),
                "File with the consumer key, which with the secret gives a bearer token where none is given."),
            FeedOption("api_secret_file", .secretFile(secret: "secret"), "File with the consumer secret."),
        ])

    private let settings: SourceSettings
    private let search: TwitterSearch
    private let isOnline: Bool
    /// The parts of a stream; nil for a source that polls.
    private let streaming: (wanted: TwitterRules, rules: TwitterRuleSet, lines: TwitterFilteredStream)?

    /// Binds the kind to a source.
    ///
    /// - Throws: `FeedSettingsError` for an enabled source at an http or https URL without query or keywords; for a URL
    ///   with `{topic}`; for the premium search without its own URL; for one of `api_key_file` and `api_secret_file`
    ///   without the other, unless a bearer token is given; for `authors` or `boxes` without `mode: stream`; and for a
    ///   stream without an http or https URL, with another API than v2, without rules or with invalid `authors` or
    ///   `boxes`.
    public init(_ settings: SourceSettings) throws(FeedSettingsError) {
        self.settings = settings
        search = TwitterSearch(settings)
        isOnline = settings.url.hasPrefix("http://") || settings.url.hasPrefix("https://")
        streaming = try Self.streaming(settings, isOnline: isOnline, api: search.api)
        if settings.url.contains("{topic}") {
            throw FeedSettingsError(
                key: "url", found: "{topic}", accepted: "a URL without {topic}; one source makes one search")
        }
        if search.api == .premium, settings.url == TwitterSearch.recentSearch {
            throw FeedSettingsError(
                key: "url", found: settings.url,
                accepted: "that of your environment, https://api.twitter.com/1.1/tweets/search/30day/NAME.json")
        }
        if isOnline, settings.isEnabled, streaming == nil, search.query == nil {
            throw FeedSettingsError(
                key: "query", found: "",
                accepted: "query or keywords without word sets, such as \"(earthquake OR volcano) -is:retweet\"")
        }
        let pair = ["api_key_file", "api_secret_file"]
        let missing = pair.filter { settings.options[$0] == nil }
        if settings.options["bearer_token_file"] == nil, missing.count == 1 {
            throw FeedSettingsError(key: missing[0], found: "", accepted: "\(pair.joined(separator: " and ")) together")
        }
    }

    private static func streaming(
        _ settings: SourceSettings, isOnline: Bool, api: TwitterSearch.API
    ) throws(FeedSettingsError) -> (wanted: TwitterRules, rules: TwitterRuleSet, lines: TwitterFilteredStream)? {
        guard settings.options["mode"]?.text == "stream" else {
            for key in ["authors", "boxes"] {
                guard let first = settings.options[key]?.texts?.first else { continue }
                throw FeedSettingsError(
                    key: key, found: first, accepted: "\(key) with mode: stream; a search has from:NAME in its query")
            }
            return nil
        }
        guard isOnline, api == .v2 else {
            throw FeedSettingsError(
                key: "mode", found: "stream", accepted: "stream with an http or https URL and api: v2; else poll")
        }
        let wanted = try TwitterRules(settings)
        if settings.isEnabled, wanted.texts.isEmpty {
            throw FeedSettingsError(
                key: "query", found: "", accepted: "query, keywords without word sets, authors or boxes")
        }
        let lines = TwitterFilteredStream(settings)
        return (wanted, TwitterRuleSet(wanted, lines), lines)
    }

    /// With `mode: stream` the terms of X's filtered stream: it counts as broken after 25 s of silence, and the waits
    /// are those that X documents. Nil for a source that polls.
    public var stream: StreamTerms? { streaming == nil ? nil : TwitterFilteredStream.terms }

    /// `x-rate-limit-reset`: the end of the rate limit in seconds since 1970.
    public var rateLimitResetHeader: String? { Self.resetHeader }

    /// `monthly_cap` and, for a search, `most_messages`; nil for a file.
    public var paidReads: PaidReads? {
        isOnline
            ? PaidReads(monthlyCap: search.monthlyCap, perPoll: streaming == nil ? search.maximumMessages : nil) : nil
    }

    /// Requests the next messages or the stream's rules; without a bearer token, first a token. Without token, key and
    /// secret, or without a query, there is no request. A URL of another scheme than http and https is requested
    /// unchanged.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        guard isOnline else { return [FeedRequest(url: settings.url)] }
        guard streaming != nil || search.query != nil else { return [] }
        if poll.secrets["bearer"] != nil { return first(for: poll) }
        return poll.secrets["key"] != nil && poll.secrets["secret"] != nil ? [search.tokenRequest] : []
    }

    /// The first requests once there is a token.
    private func first(for poll: PollContext) -> [FeedRequest] {
        if let streaming { return [streaming.rules.list()] }
        // The cursor belongs to the query that gave it.
        let state = poll.state["query"] == search.query ? poll.state : FeedState()
        return search.request(TwitterCursor(state, now: poll.now)).map { [$0] } ?? []
    }

    /// Decodes messages, rules of the stream or a token, according to `role` of the request.
    ///
    /// The answer to a search has its cursor as `state` and the next page, if any, as follow-up. `notBefore` is set
    /// when the rate limit is used up, at most a day ahead. A token goes into `secrets`. A stream's batch never throws:
    /// if none of its lines has a message of Twitter's, `unrecognized` is set.
    /// - Throws: `Failure` with fault `feed` and code `not_twitter`, `twitter_errors`, `too_large`, `bad_token`,
    ///   `bad_rules`, `rules_differ`, or one of `JSONParser.withValue`; with fault `operator` and code `rule_refused`
    ///   or, for refused credentials, `twitter_32`, `…_89`, `…_99`, `…_215`; with fault `server` and `twitter_N` for
    ///   Twitter's other error numbers.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        if response.request.role == "token" {
            let bearer = try TwitterToken.read(response.body)
            return FeedAnswer(followUps: first(for: poll), secrets: ["bearer": bearer])
        }
        if let streaming {
            switch response.request.role {
            case "rules": return try streaming.rules.answer(toList: response)
            case "rules_change": return try streaming.rules.answer(toChange: response)
            case "stream": return streaming.lines.answer(to: response)
            default: break
            }
        }
        var decoder = try TwitterBody.read(response.body)
        var answer = decoder.finish()
        guard let asked = TwitterCursor(notes: response.request.notes) else { return answer }
        let limit = Self.rateLimit(response.headers, now: poll.now)
        let step = search.step(from: asked, past: decoder.page, isLimited: limit != nil)
        answer.notBefore = limit
        answer.followUps = step.next.map { [$0] } ?? []
        var state = step.cursor.state
        state["query"] = search.query
        answer.state = state
        if let lost = asked.lost { answer.issues.append(FeedIssue("gap_not_covered", at: "search", found: lost)) }
        if step.isWaiting {
            answer.issues.append(
                FeedIssue(
                    "messages_waiting", at: "search",
                    found: "\(step.cursor.read) messages read; older ones wait for the next poll"))
        }
        return answer
    }

    /// An empty state, with which the search starts over, when Twitter refuses a `since_id` or `until_id` with 400;
    /// otherwise nil, which changes nothing.
    public func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState? {
        guard refusal.status == 400, TwitterCursor(notes: request.notes) != nil else { return nil }
        let words = refusal.message + String(decoding: refusal.excerpt ?? Data(), as: UTF8.self)
        guard words.contains("since_id") || words.contains("until_id") else { return nil }
        return FeedState()
    }

    /// The start of the next rate limit window, at most a day away, when the requests of the present one are used up;
    /// nil otherwise.
    private static func rateLimit(_ headers: [String: String], now: Date) -> Date? {
        guard let remaining = headers["x-rate-limit-remaining"].flatMap({ Int($0) }), remaining <= 0,
            let reset = headers[resetHeader].flatMap({ Double($0) }), reset.isFinite
        else { return nil }
        let date = Date(timeIntervalSince1970: reset)
        return date > now ? min(date, now.addingTimeInterval(86_400)) : nil
    }

    /// Warnings about settings that X refuses or that lose messages: a rule or query of more than 512 characters, a box
    /// of more than 25 miles, a refresh interval above 84 h. Empty if there are none.
    public var advice: [String] {
        var advice: [String] = []
        if let streaming {
            for text in streaming.wanted.texts where text.unicodeScalars.count > TwitterRules.longestRule {
                advice.append(
                    "a rule of the stream has \(text.unicodeScalars.count) characters; X takes "
                        + "\(TwitterRules.longestRule) on most plans: shorten the query")
            }
            for box in streaming.wanted.largeBoxes {
                advice.append("the box \(box) is more than 25 miles wide or high, which X refuses")
            }
            return advice
        }
        if settings.refreshInterval > .seconds(84 * 3600) {
            advice.append(
                "a search reaches back 7 days, less than twice the refresh interval of "
                    + "\(settings.refreshInterval.compact): messages may be missed")
        }
        if search.api != .premium, let query = search.query, query.unicodeScalars.count > 512 {
            advice.append("the query has \(query.unicodeScalars.count) characters; recent search takes 512 at most")
        }
        return advice
    }
}
