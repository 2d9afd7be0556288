/// The event field that an element of an item fills.
enum ItemField {
    case title, link, description, summary, content, encoded, guid, published, dated, updated, author, category, subject
    case enclosure, comments, source, language, originalLink
    /// A title or text for an item that has none of its own; its value is kept under its name, too.
    case spare(SpareText)
    /// An element of Media RSS that may have title and text inside.
    case medium
    /// A position or shape, read by `GeoRSS`.
    case position
    /// An element of GDACS, read by `DisasterFields`.
    case disaster
    /// An item inside the item.
    case item
    /// An element without a field of its own; its value is kept under its name.
    case extra
    /// An ignored element.
    case nothing

    /// The field of an element with this vocabulary and local name.
    init(_ vocabulary: FeedVocabulary, _ name: String) {
        self =
            switch vocabulary {
            case .core: Self.core(name)
            case .dublinCore: Self.dublinCore(name)
            case .content: name == "encoded" ? .encoded : .nothing
            case .feedBurner: name == "origLink" ? .originalLink : .nothing
            case .geoRSS, .gml, .geo: .position
            case .gdacs: .disaster
            case .iTunes: Self.podcast(name)
            case .media: Self.mediaRSS(name)
            case .xhtml: name == "body" ? .spare(.body) : .extra
            case .other: .extra
            }
    }

    private static func core(_ name: String) -> ItemField {
        switch name {
        case "title": .title
        case "link": .link
        case "description": .description
        case "summary": .summary
        case "content": .content
        case "guid", "id": .guid
        case "pubDate", "pubdate", "published", "issued": .published
        case "created": .dated
        case "updated", "modified": .updated
        case "author": .author
        case "category": .category
        case "enclosure": .enclosure
        case "comments": .comments
        case "source": .source
        case "item", "entry": .item
        case "body": .spare(.body)
        case "fullitem": .spare(.fullItem)
        case "abstract": .spare(.abstract)
        default: .extra
        }
    }

    private static func dublinCore(_ name: String) -> ItemField {
        switch name {
        case "date", "created", "issued": .dated
        case "modified": .updated
        case "creator": .author
        case "subject": .subject
        case "language": .language
        case "title": .spare(.dublinCoreTitle)
        case "description", "abstract": .spare(.dublinCore)
        default: .extra
        }
    }

    private static func podcast(_ name: String) -> ItemField {
        switch name {
        case "title": .spare(.iTunesTitle)
        case "summary": .spare(.iTunes)
        case "subtitle": .spare(.iTunesSubtitle)
        default: .extra
        }
    }

    private static func mediaRSS(_ name: String) -> ItemField {
        switch name {
        case "title": .spare(.mediaTitle)
        case "description": .spare(.media)
        case "group", "content": .medium
        default: .extra
        }
    }
}

/// Titles and texts of an item that has no `title`, or none of `description`, `content:encoded`, `summary` and
/// `content`. The first with words counts.
enum SpareText {
    case dublinCoreTitle, mediaTitle, iTunesTitle
    /// `body`, mostly of XHTML.
    case body
    case fullItem
    /// The text of CDF.
    case abstract
    /// `dc:description`, `dcterms:abstract`.
    case dublinCore
    case iTunes
    case media
    case iTunesSubtitle

    /// The titles in order of preference.
    static let titles: [SpareText] = [.dublinCoreTitle, .mediaTitle, .iTunesTitle]
    /// The texts in order of preference: whole articles, summaries, descriptions of a medium.
    static let texts: [SpareText] = [.body, .fullItem, .abstract, .dublinCore, .iTunes, .media, .iTunesSubtitle]
}
