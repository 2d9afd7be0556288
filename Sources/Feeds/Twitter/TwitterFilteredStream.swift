import Foundation
import Model
import Reading

/// The filtered stream of API v2: one connection, one message per line.
struct TwitterFilteredStream {
    /// The terms that X documents: a blank line at least every 20 s. The waits are 250 ms, 500 ms … 16 s after breaks,
    /// 5 s, 10 s … 320 s after errors, and 60 s doubled each time after too many requests, up to the 15 minutes of its
    /// rate limit window.
    /// https://docs.x.com/x-api/fundamentals/handling-disconnections
    static let terms = StreamTerms(
        silence: .seconds(25),
        afterBreaks: StreamTerms.Waits(first: .milliseconds(250), longest: .seconds(16), doubles: false),
        afterErrors: StreamTerms.Waits(first: .seconds(5), longest: .seconds(320), doubles: true),
        afterLimits: StreamTerms.Waits(first: .seconds(60), longest: .seconds(900), doubles: true))

    /// The most paid reads reserved at a time.
    private static let block = 500

    private let base: String
    /// The URL's own parameters; they override ours.
    private let own: [String]
    private let monthlyCap: Int

    init(_ settings: SourceSettings) {
        let url = settings.url.prefix { $0 != "#" }
        let path = String(url.prefix { $0 != "?" })
        base = path == TwitterSearch.recentSearch ? TwitterRuleSet.filteredStream : path
        own = url.dropFirst(path.count + 1).split(separator: "&").map { String($0) }
        monthlyCap = settings.options[TwitterFeed.monthlyCapKey]?.integer ?? 0
    }

    /// The URL at which the rules are read and changed.
    var rulesURL: String { base + "/rules" }

    /// The request that opens the stream.
    /// - Parameter rules: The ids of our rules.
    func request(rules: [String]) -> FeedRequest {
        let names = Set(own.map { $0.prefix { $0 != "=" } })
        let fields = TwitterSearch.fields.filter { !names.contains($0.name[...]) }
        let parameters = own + fields.map { $0.name + "=" + $0.value.percentEncoded }
        return FeedRequest(
            url: base + "?" + parameters.joined(separator: "&"), role: "stream",
            headers: ["Accept": "application/json"], authorization: .bearer, isConditional: false,
            cost: max(1, min(Self.block, monthlyCap / 4)), monthlyCap: monthlyCap,
            notes: ["rules": rules.joined(separator: ",")], stream: Self.terms)
    }

    /// Reads a batch of lines. `unrecognized` is set when none of them is from Twitter.
    func answer(to response: FeedResponse) -> FeedAnswer {
        let rules = response.request.notes["rules"]?.split(separator: ",").map { String($0) } ?? []
        var decoder = TwitterDecoder()
        decoder.streamRules = Set(rules)
        response.body.withUnsafeBytes { decoder.readLines($0, limit: Self.terms.longestLine, with: JSONParser()) }
        var answer = decoder.finish()
        if decoder.understood == 0, decoder.lostLines > 0 {
            let issue = answer.issues.first
            let found = issue.map { $0.found.isEmpty ? $0.reason : $0.found } ?? "a line without one"
            answer.unrecognized = .feed(
                issue?.reason == ReadingError.htmlPageCode ? ReadingError.htmlPageCode : "not_twitter",
                "the stream brings no message of Twitter's: \(found)", body: response.body)
        }
        return answer
    }
}
