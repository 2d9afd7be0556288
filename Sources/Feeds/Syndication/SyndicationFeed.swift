import Foundation
public import Model
import Reading

/// RSS 2.0, 1.0 and 0.9x, Atom 1.0 and 0.3, with GeoRSS, and CDF.
///
/// Identity depends on the family of the feed (docs/feeds-rss.md). A Reuters story has the `idUS…` of its URL, so one
/// story in two topics is one event. GVP's weekly reports have volcano and week, USGS entries the earthquake's id. All
/// others have their guid, else their link (with a hash of the title if several items share the link), else a hash of
/// the content, under the feed's identity.
///
/// A fault in the markup costs only the items that it touches. The time of an event is its publication; an event
/// without a readable date has no time.
public struct SyndicationFeed: Feed {
    /// The kind `rss`: by default once an hour, category `news`, events kept 3 days; docs/feeds-rss.md describes it.
    /// The URL has no default.
    public static let kind = FeedKind(
        name: "rss", synonyms: ["atom", "georss", "rdf"],
        summary: "News and alerts: RSS 2.0, 1.0 and 0.9x, Atom 1.0 and 0.3, with GeoRSS positions",
        decoderVersion: 2, refreshInterval: .seconds(3600), offset: .seconds(180), maxAge: .seconds(72 * 3600),
        options: [
            FeedOption(
                "category", .text, default: .text("news"),
                "Category of the events, unless the feed's family has its own (USGS, GVP, GDACS).")
        ])

    private static let accept =
        "application/rss+xml, application/atom+xml, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, "
        + "*/*;q=0.1"

    private let settings: SourceSettings
    private let category: Model.Category

    /// Binds the kind to a source.
    /// - Throws: `FeedSettingsError` for a URL with `{topic}` and no topics.
    public init(_ settings: SourceSettings) throws(FeedSettingsError) {
        guard !settings.urls().isEmpty else {
            throw FeedSettingsError(key: "topics", found: "none", accepted: "at least one topic for {topic} in the URL")
        }
        self.settings = settings
        category = Model.Category(rawValue: settings.options["category"]?.text ?? "news")
    }

    /// One conditional request for each topic; a single one for a URL without `{topic}`.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        settings.urls().map { FeedRequest(url: $0.url, topic: $0.topic, headers: ["Accept": Self.accept]) }
    }

    /// Decodes an RSS, RDF, Atom or CDF document, plain or packed with gzip or zip, into one event for each item.
    ///
    /// Faulty items become issues. Of a truncated document the whole items count, and `isWhole` is false.
    /// `requestedInterval` is the document's `ttl`, else its `sy:updatePeriod`.
    /// - Throws: `Failure` with fault `feed` and code `not_a_feed`, `html_page` (retryable), or one of `XMLReader.read`
    ///   or `ArchiveReader.members`: `too_large` if the body unpacks to more than 64 MiB.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        do throws(ReadingError) {
            return try SyndicationDocument.decode(response, settings: settings, category: category)
        } catch {
            throw .feed(error, body: response.body)
        }
    }
}
