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
    case other

    /// The vocabulary and the local name of an element. The namespace of the enclosing item counts as core, and so does
    /// the item's undeclared prefix.
    static func of(_ node: XMLNode, in item: XMLNode? = nil) -> (vocabulary: FeedVocabulary, name: String) {
        let name = node.name
        let namespace = node.namespace
        guard namespace.isEmpty else { return (namespace == item?.namespace ? .core : named(namespace), name) }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return (.core, name) }
        let isHome = item?.namespace.isEmpty == true && item?.name.hasPrefix(name[...colon]) == true
        return (isHome ? .core : prefixed(name[..<colon]), String(name[name.utf8.index(after: colon)...]))
    }

    private static func named(_ namespace: String) -> FeedVocabulary {
        // GVP declares the Atom namespace with https.
        let scheme = namespace.hasPrefix("https://") ? 8 : namespace.hasPrefix("http://") ? 7 : 0
        switch Substring(namespace.utf8.dropFirst(scheme)) {
        case "www.w3.org/2005/Atom", "purl.org/atom/ns#", "purl.org/rss/1.0/", "my.netscape.com/rdf/simple/0.9/",
            "channel.netscape.com/rdf/simple/0.9/", "backend.userland.com/rss2", "backend.userland.com/RSS2",
            "backend.userland.com/rss", "purl.org/net/rss1.1#":
            return .core
        case "purl.org/dc/elements/1.1/", "purl.org/dc/terms/", "purl.org/dc/elements/1.0/": return .dublinCore
        case "purl.org/rss/1.0/modules/content/": return .content
        case "www.georss.org/georss", "www.georss.org/georss/", "www.georss.org/georss/10": return .geoRSS
        case "www.opengis.net/gml", "www.opengis.net/gml/", "www.opengis.net/gml/3.2": return .gml
        case "www.w3.org/2003/01/geo/wgs84_pos#", "www.w3.org/2003/01/geo/wgs84_pos": return .geo
        case "rssnamespace.org/feedburner/ext/1.0": return .feedBurner
        case "www.gdacs.org", "www.gdacs.org/": return .gdacs
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
        default: .other
        }
    }
}
