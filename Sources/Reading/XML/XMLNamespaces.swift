/// The known XML namespaces and their usual spellings.
///
/// XML compares namespaces exactly (Namespaces in XML 1.0 §2.3), and feeds miss them narrowly: EMSC and Thailand's TMD
/// write `http://www.w3.org/2003/01/geo/`, others blanks, `https`, or a slash at the end.
enum XMLNamespaces {
    /// The usual spelling of a namespace; an unknown one as it is written.
    ///
    /// Scheme, case, blanks, `www.`, and slashes and number signs at the end do not matter.
    static func usual(_ written: String) -> String {
        guard written.utf8.count <= longest else { return written }
        let bytes = written.utf8.lazy.filter { !$0.isXMLSpace }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var key = Substring(decoding: Array(bytes), as: UTF8.self)
        for start in ["https://", "http://", "www."] where key.hasPrefix(start) { key = key.dropFirst(start.count) }
        while let last = key.last, last == "/" || last == "#" { key.removeLast() }
        return known[String(key)] ?? (isGeo(key) ? geo : written)
    }

    /// The most bytes of a known namespace in any spelling.
    private static let longest = 120

    private static let geo = "http://www.w3.org/2003/01/geo/wgs84_pos#"

    /// Whether it is W3C Basic Geo, of any year and month: `w3.org/2003/01/geo`, `w3.org/2003/01/geo/wgs84_pos`.
    private static func isGeo(_ key: Substring) -> Bool {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 || parts.count == 5 && parts[4] == "wgs84_pos" else { return false }
        return parts[0] == "w3.org" && parts[1].utf8.count == 4 && parts[2].utf8.count == 2 && parts[3] == "geo"
            && (parts[1] + parts[2]).utf8.allSatisfy { $0.isASCIIDigit }
    }

    /// The usual spellings by what `usual` leaves of a namespace.
    private static let known = [
        "w3.org/2005/atom": "http://www.w3.org/2005/Atom",
        "purl.org/atom/ns": "http://purl.org/atom/ns#",
        "purl.org/rss/1.0": "http://purl.org/rss/1.0/",
        "purl.org/net/rss1.1": "http://purl.org/net/rss1.1#",
        "my.netscape.com/rdf/simple/0.9": "http://my.netscape.com/rdf/simple/0.9/",
        "channel.netscape.com/rdf/simple/0.9": "http://my.netscape.com/rdf/simple/0.9/",
        "backend.userland.com/rss": "http://backend.userland.com/rss2",
        "backend.userland.com/rss2": "http://backend.userland.com/rss2",
        "purl.org/dc/elements/1.0": "http://purl.org/dc/elements/1.1/",
        "purl.org/dc/elements/1.1": "http://purl.org/dc/elements/1.1/",
        "purl.org/dc/terms": "http://purl.org/dc/terms/",
        "purl.org/rss/1.0/modules/content": "http://purl.org/rss/1.0/modules/content/",
        "georss.org": "http://www.georss.org/georss",
        "georss.org/georss": "http://www.georss.org/georss",
        "georss.org/georss/10": "http://www.georss.org/georss",
        "georss.org/georss/1.0": "http://www.georss.org/georss",
        "opengis.net/gml": "http://www.opengis.net/gml",
        "opengis.net/gml/3.1": "http://www.opengis.net/gml",
        "opengis.net/gml/3.2": "http://www.opengis.net/gml",
        "rssnamespace.org/feedburner/ext/1.0": "http://rssnamespace.org/feedburner/ext/1.0",
        "gdacs.org": "http://www.gdacs.org",
        "itunes.com/dtds/podcast-1.0.dtd": "http://www.itunes.com/dtds/podcast-1.0.dtd",
        "search.yahoo.com/mrss": "http://search.yahoo.com/mrss/",
        "video.search.yahoo.com/mrss": "http://search.yahoo.com/mrss/",
        "tools.search.yahoo.com/mrss": "http://search.yahoo.com/mrss/",
        "w3.org/1999/xhtml": "http://www.w3.org/1999/xhtml",
        "w3.org/1999/02/22-rdf-syntax-ns": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    ]
}
