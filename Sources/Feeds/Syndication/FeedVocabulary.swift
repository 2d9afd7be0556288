import Reading

/// The XML vocabularies of feeds, identified by namespace, or by the usual prefix if no namespace is declared.
enum FeedVocabulary {
    /// RSS in all versions and Atom.
    case core
    /// Dublin Core elements and terms.
    case dublinCore
    /// The RSS 1.0 content module.
    case content
    /// GeoRSS Simple, and the wrapper of GeoRSS GML.
    case geoRSS
    /// GML inside GeoRSS.
    case gml
    /// W3C Basic Geo.
    case geo
    /// FeedBurner's extensions.
    case feedBurner
    /// Global Disaster Alert and Coordination System.
    case gdacs
    /// Apple's podcasts.
    case iTunes
    /// Media RSS.
    case media
    /// XHTML.
    case xhtml
    case other

    /// The vocabulary and the local name of an element, in lower case in an item that begins with a capital (CDF, and
    /// RSS in capitals). The namespace of the enclosing item counts as core, and so does the item's undeclared prefix.
    static func of(_ node: XMLNode, in item: XMLNode? = nil) -> (vocabulary: FeedVocabulary, name: String) {
        let (vocabulary, name) = meaning(of: node, in: item)
        return (vocabulary, item?.name.hasPrefix("I") == true ? name.lowercased() : name)
    }

    private static func meaning(
        of node: XMLNode, in item: XMLNode?
    ) -> (vocabulary: FeedVocabulary, name: String) {
        let name = node.name
        let namespace = node.namespace
        guard namespace.isEmpty else { return (namespace == item?.namespace ? .core : named(namespace), name) }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return (.core, name) }
        let isHome = item?.namespace.isEmpty == true && item?.name.hasPrefix(name[...colon]) == true
        return (isHome ? .core : prefixed(name[..<colon]), String(name[name.utf8.index(after: colon)...]))
    }

    /// `XMLNode.namespace` has the usual spelling.
    private static func named(_ namespace: String) -> FeedVocabulary {
        switch namespace {
        case "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/",
            "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2", "http://purl.org/net/rss1.1#":
            return .core
        case "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/": return .dublinCore
        case "http://purl.org/rss/1.0/modules/content/": return .content
        case "http://www.georss.org/georss": return .geoRSS
        case "http://www.opengis.net/gml": return .gml
        case "http://www.w3.org/2003/01/geo/wgs84_pos#": return .geo
        case "http://rssnamespace.org/feedburner/ext/1.0": return .feedBurner
        case "http://www.gdacs.org": return .gdacs
        case "http://www.itunes.com/dtds/podcast-1.0.dtd": return .iTunes
        case "http://search.yahoo.com/mrss/": return .media
        case "http://www.w3.org/1999/xhtml": return .xhtml
        default: return .other
        }
    }

    private static func prefixed(_ prefix: Substring) -> FeedVocabulary {
        switch prefix {
        case "atom", "atom10", "rss", "a10": .core
        case "dc", "dcterms": .dublinCore
        case "content": .content
        case "georss": .geoRSS
        case "gml": .gml
        case "geo": .geo
        case "feedburner": .feedBurner
        case "gdacs": .gdacs
        case "itunes": .iTunes
        case "media": .media
        case "xhtml": .xhtml
        default: .other
        }
    }
}
