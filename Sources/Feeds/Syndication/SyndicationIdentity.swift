import Foundation
import Model
import Reading

/// The provider and id of an item, by family of feed.
///
/// - Reuters, recognized by a guid below reuters.com or FeedBurner's, or by the link if there is no guid: provider
///   `reuters`. The id is the `idUS…` at the end of the path, else the path of an article without its query, which
///   contains the topic. Another address (`/news?id=7`) keeps its query.
/// - GVP, recognized by a guid or link below volcano.si.edu and a report week in the title: provider `gvp`. Id and
///   aliases come from volcano and week (`GVPReport.identity`), since guids such as `#vn_262000` recur every week.
/// - USGS, recognized by an id such as `urn:earthquake-usgs-gov:nc:73096871` when the link of the entry or the feed is
///   below usgs.gov: provider `usgs` and the id `nc73096871`, as in GeoJSON.
/// - All others, including GDACS: the feed's identity is the provider. The id is the guid, Atom id or `rdf:about`, else
///   the link, else a hash of title, summary and date (FNV-1a, 64 bits). A number behind the link, such as the BBC's `#3`,
///   counts revisions and is no part of the id. `SyndicationDocument` separates items of one document that share an id.
///
/// `isPermaLink` says nothing about identity and is ignored.
struct SyndicationIdentity: Hashable {
    enum Family { case reuters, gvp, usgs, other }

    /// The family whose rule applied.
    let family: Family
    /// `reuters`, `gvp`, `usgs` or the feed's identity.
    let provider: String
    /// The item's id under that provider.
    let id: String
    /// Further ids of the item.
    var aliases: [String] = []
    /// The country of a GVP report; nil in other families.
    var place: String?
    /// Whether `id` is the link because there is no guid, or none but the link with a number.
    var isLink = false

    /// Determines an item's identity.
    /// - Parameters:
    ///   - link: The item's link, without FeedBurner's redirect if the feed gives the original.
    ///   - date: The date of publication.
    ///   - feed: The feed's identity.
    ///   - isFromUSGS: Whether the feed itself is from USGS.
    ///   - content: The text to hash for an item with neither guid nor link.
    init(
        guid: String?, link: URLParts?, title: String, date: Date?, feed: String, isFromUSGS: Bool,
        content: @autoclosure () -> String
    ) {
        let own = guid.flatMap { link?.isExactly($0) == true ? link : HTMLText.webParts($0) }
        func isEither(below domain: StaticString) -> Bool {
            own?.isBelow(domain) == true || link?.isBelow(domain) == true
        }
        func first(_ name: (URLParts) -> String?) -> String? { own.flatMap(name) ?? link.flatMap(name) }
        // Anybody may link to Reuters, so an item with another publisher's guid belongs to that publisher.
        let mayBeReuters = guid.map { Self.isReuters($0, own) } ?? true
        if let guid, let id = Self.quake(guid), isFromUSGS || isEither(below: "usgs.gov") {
            self.init(.usgs, "usgs", id)
        } else if mayBeReuters, let id = first(Self.reutersToken) ?? first(Self.reutersPath) {
            self.init(.reuters, Self.reuters, id)
        } else if isEither(below: "volcano.si.edu"),
            let report = Self.report(title, number: guid.flatMap { Self.volcanoNumber($0) }, near: date)
        {
            self = report
        } else {
            let name = guid.map { HTMLText.cleaned($0) }.flatMap { $0.isEmpty ? nil : $0 }
            if let name, let link, let (own, number) = Self.revision(name, of: link) {
                self.init(.other, feed, Self.bounded(own))
                aliases = (0...number).map { Self.bounded("\(own)#\($0)") }
                isLink = true
            } else {
                self.init(.other, feed, Self.bounded(name ?? link?.text ?? FNV64.hex(content())))
                isLink = name == nil && link != nil
            }
        }
    }

    private init(_ family: Family, _ provider: String, _ id: String) {
        self.family = family
        self.provider = provider
        self.id = id
    }

    // MARK: Reuters

    /// The provider of Reuters' stories.
    static let reuters = "reuters"

    /// The id of a Reuters story from its URL: the `idUS…` at the end of the path, else the path of an article, else
    /// the URL with its query. Nil for other hosts.
    static func reutersID(_ address: URLParts) -> String? { reutersToken(address) ?? reutersPath(address) }

    /// The URL of a Reuters story without the topic; nil for other hosts and FeedBurner's redirects.
    static func reutersLink(_ address: URLParts) -> String? {
        guard address.isBelow("reuters.com"), !address.isDetour else { return nil }
        return reutersToken(address) != nil || isArticle(address) ? address.location : address.identity
    }

    /// Whether a guid, which may be a web address, is from Reuters or FeedBurner.
    private static func isReuters(_ guid: String, _ address: URLParts?) -> Bool {
        if let address { return address.isBelow("reuters.com") || isBurned(address) }
        return guid.hasPrefix("tag:reuters.com,") || guid.hasPrefix("urn:newsml:reuters.com:")
    }

    private static func isBurned(_ address: URLParts) -> Bool {
        address.isBelow("feedburner.com") || address.isAt("feedproxy.google.com")
    }

    /// Whether the path alone identifies a document: `/article/…`, or three components with a hyphenated slug as the
    /// last.
    private static func isArticle(_ address: URLParts) -> Bool {
        let path = address.trimmedPath
        let parts = path.split(separator: "/")
        return path.hasPrefix("/article/") || (parts.count >= 3 && parts.last?.contains("-") == true)
    }

    /// `idUSKBN1FJ2QW`, `idUSBRE89M11220121025`: `id`, the edition in two capitals, then capitals and digits.
    private static func reutersToken(_ address: URLParts) -> String? {
        let isReuters = address.isBelow("reuters.com")
        guard isReuters || isBurned(address) else { return nil }
        let separators: [UInt8] = [UInt8(ascii: "/"), UInt8(ascii: "-")]
        guard let word = address.trimmedPath.utf8.split(whereSeparator: { separators.contains($0) }).last,
            (8...64).contains(word.count)
        else { return nil }
        let token = String(Substring(word))
        let isCode = word.dropFirst(2).allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
        let isEdition = word.dropFirst(2).prefix(2).allSatisfy { (0x41...0x5A).contains($0) }
        return token.hasPrefix(isReuters ? "id" : "idUS") && isCode && isEdition ? token : nil
    }

    private static func reutersPath(_ address: URLParts) -> String? {
        guard address.isBelow("reuters.com"), !address.isDetour else { return nil }
        let path = address.trimmedPath
        guard !path.isEmpty else { return nil }
        return bounded(isArticle(address) ? path : address.identity)
    }

    // MARK: GVP

    /// Reads `Krakatau (Indonesia) - Report for 10 September-16 September 2026 - New Eruptive Activity`.
    private static func report(_ title: String, number: Int?, near date: Date?) -> SyndicationIdentity? {
        guard let mark = title.range(of: " - Report for "),
            let week = GVPReport.week(in: String(title[mark.upperBound...]), near: date)
        else { return nil }
        var volcano = title[..<mark.lowerBound]
        var country: String?
        if let open = volcano.lastIndex(of: "("), volcano.last == ")" {
            country = HTMLText.cleaned(String(volcano[volcano.index(after: open)...].dropLast()))
            volcano = volcano[..<open]
        }
        let name = HTMLText.cleaned(String(volcano))
        guard !name.isEmpty else { return nil }
        let (id, aliases) = GVPReport.identity(volcano: name, number: number, week: week)
        var identity = SyndicationIdentity(.gvp, GVPReport.provider, id)
        identity.aliases = aliases
        identity.place = country
        return identity
    }

    /// The number after `vn_` in a guid.
    private static func volcanoNumber(_ guid: String) -> Int? {
        guard let mark = guid.range(of: "vn_") else { return nil }
        return Int(guid[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }

    // MARK: Others

    /// The item's own address and the number of its revision, of a guid such as `https://example.org/a#3` beside the
    /// link `https://example.org/a?from=rss`. Nil for other guids, and where the link has a fragment itself.
    private static func revision(_ guid: String, of link: URLParts) -> (own: String, number: Int)? {
        let digits = guid.utf8.suffix(2).reversed().prefix { (0x30...0x39).contains($0) }.count
        guard digits > 0, guid.utf8.dropLast(digits).last == UInt8(ascii: "#"), let number = Int(guid.suffix(digits)),
            !link.text.utf8.contains(UInt8(ascii: "#"))
        else { return nil }
        let own = guid.dropLast(digits + 1)
        guard own == link.location || own == link.text else { return nil }
        return (String(own), number)
    }

    /// `nc73096871` from `urn:earthquake-usgs-gov:nc:73096871`.
    static func quake(_ guid: String) -> String? {
        let prefix = "urn:earthquake-usgs-gov:"
        guard guid.hasPrefix(prefix) else { return nil }
        let parts = guid.dropFirst(prefix.count).split(separator: ":")
        let isID = parts.count == 2 && guid.utf8.count <= 100 && guid.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isID ? parts.joined() : nil
    }

    /// An id of more than 1,024 bytes is cut, and its hash is appended.
    static func bounded(_ id: String) -> String {
        id.utf8.count <= 1024 ? id : id.beginning(200) + "#" + FNV64.hex(id)
    }
}
