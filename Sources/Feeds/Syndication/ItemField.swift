/// The event field that an element of an item fills.
enum ItemField {
    case title, link, description, summary, content, encoded, guid, published, dated, updated, author, category, subject
    case enclosure, comments, source, language, originalLink
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
        default: .extra
        }
    }
}
