import Foundation
import Model
import Reading

/// The filtered stream of API v2: one connection that brings each message in a line.
struct TwitterFilteredStream {
    /// What X documents of the connection: a blank line every 20 s at the latest; breaks wait 250 ms, 500 ms … 16 s,
    /// errors 5 s, 10 s … 320 s, too many requests from a minute on, doubled (there its windows of 15 minutes end it).
    /// https://docs.x.com/x-api/fundamentals/handling-disconnections
    static let terms = StreamTerms(
        silence: .seconds(25),
        afterBreaks: StreamTerms.Waits(first: .milliseconds(250), longest: .seconds(16), doubles: false),
        afterErrors: StreamTerms.Waits(first: .seconds(5), longest: .seconds(320), doubles: true),
        afterLimits: StreamTerms.Waits(first: .seconds(60), longest: .seconds(900), doubles: true))

    /// Most reads that are reserved at a time.
    private static let block = 500

    private let base: String
    /// The URL's own parameters, which stand above ours.
    private let own: [String]
    private let monthlyCap: Int

    init(_ settings: SourceSettings) {
        let url = settings.url.prefix { $0 != "#" }
        let path = String(url.prefix { $0 != "?" })
        base = path == TwitterSearch.recentSearch ? TwitterRuleSet.filteredStream : path
        own = url.dropFirst(path.count + 1).split(separator: "&").map { String($0) }
        monthlyCap = settings.options[TwitterFeed.monthlyCapKey]?.integer ?? 0
    }

    /// Where the rules are read and changed.
    var rulesURL: String { base + "/rules" }

    /// The request that opens the stream.
    /// - Parameter rules: ids of the rules whose messages are ours.
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

    /// Reads a batch of lines.
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
