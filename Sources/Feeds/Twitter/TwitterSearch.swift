import Foundation
import Model

/// The search of a source: its requests, and the step after each answer.
struct TwitterSearch {
    enum API: String, CaseIterable {
        case v2
        case v1 = "v1.1"
        /// The premium search of v1.1, 30 days or the full archive.
        case premium
    }

    /// The fewest messages of a page of API v2. A poll ends when it may read fewer.
    static let smallestPage = 10
    static let recentSearch = "https://api.twitter.com/2/tweets/search/recent"
    private static let searchV1 = "https://api.twitter.com/1.1/search/tweets.json"

    let api: API
    /// The search query; nil when option, URL and keywords give none.
    let query: String?
    private let base: String
    /// The URL's own parameters; they override ours.
    private let own: [(name: String, text: String)]
    let maximumMessages: Int
    private let pageSize: Int
    /// The least `max_results` that the interface takes.
    private static let leastPage = 10
    let monthlyCap: Int

    init(_ settings: SourceSettings) {
        api = settings.options["api"]?.text.flatMap { API(rawValue: $0) } ?? .v2
        maximumMessages = settings.options["most_messages"]?.integer ?? 100
        monthlyCap = settings.options[TwitterFeed.monthlyCapKey]?.integer ?? 0
        // A request reserves its greatest cost, which a small cap would refuse for ever.
        let page = settings.options["page_size"]?.integer ?? 100
        pageSize = monthlyCap > 0 ? max(Self.leastPage, min(page, monthlyCap)) : page
        let url = settings.url.prefix { $0 != "#" }
        let path = String(url.prefix { $0 != "?" })
        base = api == .v1 && path == Self.recentSearch ? Self.searchV1 : path
        // Paging parameters are set by this type only.
        let reserved: Set = [
            "since_id", "until_id", "max_id", "next_token", "pagination_token", "max_results", "count", "next",
            "maxResults", "fromDate", "toDate",
        ]
        own = url.dropFirst(path.count + 1).split(separator: "&").compactMap {
            parameter -> (name: String, text: String)? in
            let name = String(parameter.prefix { $0 != "=" })
            return reserved.contains(name) ? nil : (name, String(parameter))
        }
        let queryName = api == .v1 ? "q" : "query"
        query =
            own.first { $0.name == queryName }?.text
            ?? settings.options["query"]?.text.flatMap { $0.isEmpty ? nil : $0 }
            ?? Self.query(for: settings.filter.keywords?.searchWords ?? [])
    }

    /// A query of keywords, such as `(volcano OR "lava flow")`; nil without keywords.
    static func query(for keywords: [String]) -> String? {
        let terms = Self.terms(for: keywords)
        return terms.isEmpty ? nil : "(" + terms.joined(separator: " OR ") + ")"
    }

    /// Keywords in Twitter's syntax. Prefixes lose their `*`, since Twitter searches for whole words.
    static func terms(for keywords: [String]) -> [String] {
        var terms: [String] = []
        for keyword in keywords {
            var word = keyword.filter { $0 != "\"" }
            if word.hasSuffix("*") { word.removeLast() }
            while word.hasPrefix(" ") { word.removeFirst() }
            while word.hasSuffix(" ") { word.removeLast() }
            if word.isEmpty { continue }
            let isOneWord = word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "#" || $0 == "@" }
            let term = isOneWord ? word : "\"" + word + "\""
            if !terms.contains(term) { terms.append(term) }
        }
        return terms
    }

    // MARK: Requests

    /// The request that continues the search; nil when the poll has read its limit or has no query.
    ///
    /// - Parameter token: The API's token of the next page; v1.1 has none.
    func request(_ cursor: TwitterCursor, token: String? = nil) -> FeedRequest? {
        let room = min(pageSize, maximumMessages - cursor.read)
        // Empty pages may have successors, so pages are limited, too.
        guard room >= Self.smallestPage, cursor.pages <= maximumMessages / Self.smallestPage + 1, query != nil else {
            return nil
        }
        return FeedRequest(
            url: url(cursor, room: room, token: token), role: cursor.pages == 0 ? "search" : "page",
            headers: ["Accept": "application/json"], authorization: .bearer, isConditional: false, cost: room,
            monthlyCap: monthlyCap, notes: cursor.notes)
    }

    /// The request for a bearer token with consumer key and secret, at the host of the search.
    var tokenRequest: FeedRequest {
        FeedRequest(
            url: origin + "/oauth2/token", role: "token", headers: ["Accept": "application/json"],
            form: "grant_type=client_credentials", authorization: .basic, isConditional: false)
    }

    /// Scheme, host and port of the URL.
    private var origin: String {
        guard let colon = base.range(of: "://") else { return base }
        return String(base[..<colon.upperBound]) + String(base[colon.upperBound...].prefix { $0 != "/" })
    }

    private func url(_ cursor: TwitterCursor, room: Int, token: String?) -> String {
        var parameters = own.map { $0.text }
        func add(_ name: String, _ value: String?) {
            guard let value, !own.contains(where: { $0.name == name }) else { return }
            parameters.append(name + "=" + value.percentEncoded)
        }
        let since = cursor.since.map { String($0) }
        // A token is valid only with the bounds of the request it came from.
        let until = token == nil ? cursor.until : cursor.lowered
        switch api {
        case .v2:
            add("query", query)
            add("max_results", String(room))
            add("since_id", since)
            add("until_id", until.map { String($0) })
            for field in Self.fields { add(field.name, field.value) }
            add("next_token", token)
        case .v1:
            add("q", query)
            add("count", String(room))
            add("since_id", since)
            // The message `max_id` itself is included in the results.
            add("max_id", cursor.until.map { String($0 - 1) })
            add("tweet_mode", "extended")
            add("result_type", "recent")
        case .premium:
            add("query", query)
            add("maxResults", String(room))
            // The bounds are whole minutes and the last minute is excluded, so the messages of one minute are read
            // again.
            add("fromDate", cursor.since.flatMap { Self.minute(of: $0) })
            add("toDate", until.flatMap { Self.minute(of: $0, later: 60) })
            add("next", token)
        }
        return base + "?" + parameters.joined(separator: "&")
    }

    /// The time of an id, plus some seconds, as `yyyyMMddHHmm` in UTC.
    private static func minute(of id: Int64, later seconds: TimeInterval = 0) -> String? {
        TwitterID.date(of: id).map {
            String($0.addingTimeInterval(seconds).rfc3339.filter { ("0"..."9").contains($0) }.prefix(12))
        }
    }

    /// The fields of messages, users and places that API v2 is asked for.
    static let fields: [(name: String, value: String)] = [
        (
            "tweet.fields",
            "author_id,created_at,edit_history_tweet_ids,entities,geo,in_reply_to_user_id,lang,note_tweet,"
                + "possibly_sensitive,public_metrics,referenced_tweets,source"
        ), ("expansions", "author_id,geo.place_id,referenced_tweets.id,referenced_tweets.id.author_id"),
        ("user.fields", "location,name,profile_image_url,username"),
        ("place.fields", "country,country_code,full_name,geo,id,name,place_type"),
    ]

    // MARK: Answers

    /// The result of an answer: the cursor to store, and the poll's next request.
    struct Step {
        var cursor: TwitterCursor
        var next: FeedRequest?
        /// Whether older messages are left for the next poll.
        var isWaiting: Bool
    }

    /// Advances past a page.
    ///
    /// - Parameters:
    ///   - asked: The cursor of the page's request.
    ///   - isLimited: Whether the rate limit is used up, which ends the poll.
    func step(from asked: TwitterCursor, past page: TwitterPage, isLimited: Bool) -> Step {
        var cursor = asked
        cursor.take(page)
        var next: FeedRequest?
        if page.hasMore {
            if !isLimited { next = request(cursor, token: page.token) }
            if next == nil && cursor.isFirst { cursor.close() }
        } else {
            let wasGap = cursor.lowered != nil
            cursor.close()
            // The gap below is closed; newer messages above it come next.
            if wasGap && !isLimited { next = request(cursor) }
        }
        return Step(cursor: cursor, next: next, isWaiting: next == nil && cursor.until != nil)
    }
}
