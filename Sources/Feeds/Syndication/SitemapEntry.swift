import Foundation
import Model
import Reading

/// One `<url>` of a news sitemap, or one `<sitemap>` of an index (sitemaps.org; Google's news extension).
struct SitemapEntry {
    /// The entry's faults.
    private(set) var issues: [FeedIssue] = []
    /// The http or https URL; nil when missing or invalid.
    private(set) var location: String?
    /// The time of the last change (`lastmod`); nil when missing or unreadable.
    private(set) var changed: Date?

    private let position: String
    private var title: String?
    private var published: Date?
    private var publication: String?
    private var language: String?
    private var keywords: String?
    private var genres: String?
    private var tickers: String?
    private var place: String?

    /// Reads an element. `number` is its place among the document's entries, from 1.
    init(_ node: XMLNode, number: Int) {
        position = "\(node.name) \(number) (line \(node.line))"
        for child in node.children {
            switch FeedVocabulary.of(child).name {
            case "loc": location = location ?? HTMLText.webURL(child.trimmed)
            case "lastmod": changed = changed ?? date(child)
            case "news": for field in child.children { takeNews(field) }
            default: break
            }
        }
    }

    private mutating func takeNews(_ node: XMLNode) {
        switch FeedVocabulary.of(node).name {
        case "title": title = title ?? SyndicationText.plain(node)
        case "publication_date": published = published ?? date(node)
        case "publication":
            for child in node.children {
                switch FeedVocabulary.of(child).name {
                case "name": publication = publication ?? SyndicationText.plain(child)
                case "language": language = language ?? HTMLText.language(child.trimmed)
                default: break
                }
            }
        case "keywords": keywords = keywords ?? SyndicationText.line(node)
        case "genres": genres = genres ?? SyndicationText.line(node)
        case "geo_locations": place = place ?? SyndicationText.line(node)
        case "stock_tickers": tickers = tickers ?? SyndicationText.line(node)
        default: break
        }
    }

    /// The event, or nil with an issue when the entry has no URL or no news title.
    ///
    /// Identity: provider `reuters` and the story's id for URLs below reuters.com; else the feed's identity and the URL
    /// without fragment and tracking parameters.
    mutating func event(of feed: String, category: Model.Category) -> Event? {
        guard let location, let address = URLParts.web(location) else {
            note("no_loc", found: title ?? "", costsItem: true)
            return nil
        }
        guard let title else {
            note("no_title", found: location, costsItem: true)
            return nil
        }
        let story = SyndicationIdentity.reutersID(address)
        var event = Event(
            provider: story == nil ? feed : SyndicationIdentity.reuters,
            id: story ?? SyndicationIdentity.bounded(address.identity),
            time: published ?? changed, updated: changed, category: category, title: title, link: location,
            language: language)
        event.place = place
        var details = JSONWriter()
        details.member("publication", publication)
        details.member("keywords", keywords)
        details.member("genres", genres)
        details.member("stock_tickers", tickers)
        event.details = details.finish()
        return event
    }

    private mutating func date(_ node: XMLNode) -> Date? {
        guard let text = node.trimmed else { return nil }
        return DateReader.date(text) { note($0, found: $1) }
    }

    mutating func note(_ reason: String, found: String, costsItem: Bool = false) {
        issues.append(FeedIssue(reason, at: position, found: found, costsItem: costsItem))
    }
}
