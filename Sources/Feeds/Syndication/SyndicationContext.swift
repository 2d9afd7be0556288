import Model
import Reading

/// The facts of a feed that its items depend on.
struct SyndicationContext: Hashable {
    /// The base of relative addresses: `xml:base`, else the feed's own link, else the URL of the document.
    var base: URLParts?
    /// Whether the feed's own link or id is below usgs.gov.
    var isUSGS = false

    init(base: String?) { self.base = HTMLText.webParts(base) }

    /// Reads the root and the element that describes the feed.
    init(of channel: XMLNode, root: XMLNode, url: String) {
        let links = channel.children("link")
        let page = links.first {
            $0.namespace == channel.namespace && $0.relation == "alternate"
        }
        // `BASE` is CDF's.
        let given = page.flatMap { Self.address($0) } ?? channel.attribute("BASE") ?? ""
        var base = HTMLText.absolute(given, base: url) ?? HTMLText.webURL(url)
        for element in [root, channel] {
            let own = element.attribute("base", namespace: "http://www.w3.org/XML/1998/namespace")
            base = HTMLText.absolute(own ?? "", base: url) ?? base
        }
        self.base = HTMLText.webParts(base)
        let names = links.compactMap { Self.address($0) } + [channel.child("id")?.trimmed ?? ""]
        isUSGS = names.contains { URLParts.web($0)?.isBelow("usgs.gov") == true }
    }

    private static func address(_ link: XMLNode) -> String? { link.attribute("href") ?? link.trimmed }
}
