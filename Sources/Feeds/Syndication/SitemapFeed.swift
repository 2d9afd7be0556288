import Foundation
public import Model
import Reading

/// News sitemaps (sitemaps.org with Google's news extension), alone or below an index, plain or gzip.
///
/// The newest documents of an index are read, at most `most_documents` in a poll. An index below an index is not
/// followed. An entry without `news:title` is an issue. Identity: the article's URL without fragment and tracking
/// parameters, under the feed's identity; Reuters' articles have the identity they have in `rss`.
public struct SitemapFeed: Feed {
    /// The kind `sitemap`: by default once an hour, 20 documents of an index in a poll, category `news`, events kept 3
    /// days. The URL has no default.
    public static let kind = FeedKind(
        name: "sitemap", summary: "News sitemaps and indexes of them", decoderVersion: 2,
        refreshInterval: .seconds(3600), offset: .seconds(180), maxAge: .seconds(72 * 3600),
        options: [
            FeedOption("category", .text, default: .text("news"), "Category of the events."),
            FeedOption(
                "most_documents", .integer(1...1000), default: .integer(20),
                "How many sitemaps of an index are asked in one poll, newest first."),
        ])

    private static let headers = ["Accept": "application/xml, text/xml;q=0.9, */*;q=0.1"]

    private let settings: SourceSettings
    private let category: Model.Category
    private let maximumDocuments: Int

    /// Binds the kind to a source.
    /// - Throws: `FeedSettingsError` for a URL with `{topic}` and no topics.
    public init(_ settings: SourceSettings) throws(FeedSettingsError) {
        guard !settings.urls().isEmpty else {
            throw FeedSettingsError(key: "topics", found: "none", accepted: "at least one topic for {topic} in the URL")
        }
        self.settings = settings
        category = Model.Category(rawValue: settings.options["category"]?.text ?? "news")
        maximumDocuments = settings.options["most_documents"]?.integer ?? 20
    }

    /// One conditional request for each topic; a single one for a URL without `{topic}`.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        settings.urls().map { FeedRequest(url: $0.url, topic: $0.topic, headers: Self.headers) }
    }

    /// Decodes a sitemap into one event for each `<url>`, or an index into follow-up requests with the role `document`.
    ///
    /// Faulty entries and an index below an index become issues. Of a truncated sitemap the whole entries count, and
    /// `isWhole` is false.
    /// - Throws: `Failure` with fault `feed` and code `not_a_sitemap`, `html_page` (retryable), or one of
    ///   `XMLReader.read` or `ArchiveReader.members`: `too_large` if the body unpacks to more than 64 MiB.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        do throws(ReadingError) {
            return try decode(SyndicationDocument.unpacked(response.body), of: response)
        } catch {
            throw .feed(error, body: response.body)
        }
    }

    private func decode(_ body: Data, of response: FeedResponse) throws(ReadingError) -> FeedAnswer {
        let feed = settings.identity
        var answer = FeedAnswer()
        var children: [(url: String, changed: Date?)] = []
        var count = 0
        let document = try XMLReader.read(body, itemNames: ["url", "sitemap"], charset: response.charset) { node in
            count += 1
            var entry = SitemapEntry(node, number: count)
            if FeedVocabulary.of(node).name != "sitemap" {
                if let event = entry.event(of: feed, category: category) { answer.events.append(event) }
            } else if let url = entry.location {
                children.append((url, entry.changed))
            } else {
                entry.note("no_loc", found: "", costsItem: true)
            }
            for issue in entry.issues { answer.report(issue) }
        }
        switch FeedVocabulary.of(document.root).name {
        case "urlset": break
        case "sitemapindex": follow(children, from: response.request, in: &answer)
        case "html": throw .htmlPage("expected a sitemap, found a web page")
        case "rss", "RDF", "feed":
            throw ReadingError(code: "not_a_sitemap", message: "expected a sitemap, found a feed; its kind is rss")
        case let name:
            throw ReadingError(
                code: "not_a_sitemap", message: "expected the root element urlset or sitemapindex, found \(name)")
        }
        answer.issues += SyndicationDocument.problems(of: document)
        answer.isWhole = !document.isTruncated
        return answer
    }

    /// Requests the newest documents of an index, each once. Documents without a date come last, in the order of the
    /// index.
    private func follow(
        _ children: [(url: String, changed: Date?)], from request: FeedRequest, in answer: inout FeedAnswer
    ) {
        answer.tallies["links"] = children.count
        guard request.role != "document" else {
            answer.issues.append(FeedIssue("nested_index", at: "document", found: "an index below an index"))
            return
        }
        let newest = children.enumerated().sorted { a, b in
            let (first, second) = (a.element.changed ?? .distantPast, b.element.changed ?? .distantPast)
            return first == second ? a.offset < b.offset : first > second
        }
        var asked: Set<String> = []
        let documents = newest.map { $0.element.url }.filter { asked.insert($0).inserted }
        answer.followUps = documents.prefix(maximumDocuments).map {
            // A document that fails must not delay the index. It is requested again with the next poll.
            FeedRequest(
                url: $0, role: "document", topic: request.topic, headers: Self.headers, isEssential: false,
                maximumTries: 1)
        }
    }
}
