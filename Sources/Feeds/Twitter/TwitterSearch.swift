import Foundation
import Model

/// The search a source stands for: which requests it takes, and what follows each answer.
struct TwitterSearch {
    /// The API asked.
    enum API: String, CaseIterable {
        case v2
        case v1 = "v1.1"
        /// The premium search of v1.1, 30 days or the full archive.
        case premium
    }

    /// The fewest messages a page of API v2 may have; a poll that may read fewer than that any more has ended.
    static let smallestPage = 10
    static let recentSearch = "https://api.twitter.com/2/tweets/search/recent"
    private static let searchV1 = "https://api.twitter.com/1.1/search/tweets.json"

    let api: API
    /// What is searched for; nil when neither option, URL nor keywords say.
    let query: String?
    private let base: String
    /// The URL's own parameters, which stand above ours.
    private let own: [(name: String, text: String)]
    private let maximumMessages: Int
    private let pageSize: Int
    private let monthlyCap: Int

    init(_ settings: SourceSettings) {
        api = settings.options["api"]?.text.flatMap { API(rawValue: $0) } ?? .v2
        maximumMessages = settings.options["most_messages"]?.integer ?? 100
        pageSize = settings.options["page_size"]?.integer ?? 100
        monthlyCap = settings.options[TwitterFeed.monthlyCapKey]?.integer ?? 0
        let url = settings.url.prefix { $0 != "#" }
        let path = String(url.prefix { $0 != "?" })
        base = api == .v1 && path == Self.recentSearch ? Self.searchV1 : path
        // Where to read on is ours to say.
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
            ?? Self.query(for: settings.filter.keywords?.words ?? [])
    }

    /// `(volcano OR "lava flow")`. Nil without words.
    static func query(for keywords: [String]) -> String? {
        let terms = Self.terms(for: keywords)
        return terms.isEmpty ? nil : "(" + terms.joined(separator: " OR ") + ")"
    }

    /// Keywords as Twitter writes them; prefixes lose their `*`, since it searches for whole words.
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

    /// The next request from here on; nil when the poll has read its fill, or nothing is searched for.
    ///
    /// - Parameter token: The API's name for the page that follows; v1.1 has none.
    func request(_ cursor: TwitterCursor, token: String? = nil) -> FeedRequest? {
        let room = min(pageSize, maximumMessages - cursor.read)
        // Pages may be empty and still have a successor, so they are counted too.
        guard room >= Self.smallestPage, cursor.pages <= maximumMessages / Self.smallestPage + 1, query != nil else {
            return nil
        }
        return FeedRequest(
            url: url(cursor, room: room, token: token), role: cursor.pages == 0 ? "search" : "page",
            headers: ["Accept": "application/json"], authorization: .bearer, isConditional: false, cost: room,
            monthlyCap: monthlyCap, notes: cursor.notes)
    }

    /// The request that turns consumer key and secret into a bearer token, at the host that is searched.
    var tokenRequest: FeedRequest {
        FeedRequest(
            url: origin + "/oauth2/token", role: "token", headers: ["Accept": "application/json"],
            form: "grant_type=client_credentials", authorization: .basic, isConditional: false)
    }

    /// Scheme, host and port.
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
        // A token belongs to the request it came from, whose bounds are repeated.
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
            // `max_id` itself is among the answers.
            add("max_id", cursor.until.map { String($0 - 1) })
            add("tweet_mode", "extended")
            add("result_type", "recent")
        case .premium:
            add("query", query)
            add("maxResults", String(room))
            // Its bounds are minutes, of which the last does not count: the messages of one are read again.
            add("fromDate", cursor.since.flatMap { Self.minute(of: $0) })
            add("toDate", until.flatMap { Self.minute(of: $0, later: 60) })
            add("next", token)
        }
        return base + "?" + parameters.joined(separator: "&")
    }

    /// When an id was given, or some seconds later, as `yyyyMMddHHmm` in UTC.
    private static func minute(of id: Int64, later seconds: TimeInterval = 0) -> String? {
        TwitterID.date(of: id).map {
            String($0.addingTimeInterval(seconds).rfc3339.filter { ("0"..."9").contains($0) }.prefix(12))
        }
    }

    /// What API v2 is asked to tell of each message.
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

    /// Where an answer leads: the cursor to store, and the next request of this poll.
    struct Step {
        var cursor: TwitterCursor
        var next: FeedRequest?
        /// Whether older messages wait for the next poll.
        var isWaiting: Bool
    }

    /// Moves on past a page.
    ///
    /// - Parameters:
    ///   - asked: The cursor its request carried.
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
            // The gap below is closed; now what is new above it.
            if wasGap && !isLimited { next = request(cursor) }
        }
        return Step(cursor: cursor, next: next, isWaiting: next == nil && cursor.until != nil)
    }
}
