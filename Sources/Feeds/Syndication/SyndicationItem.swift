import Foundation
import Model
import Reading

/// One `<item>` or `<entry>`, read into an event. The first value of each field counts, whatever its vocabulary.
///
/// The value is large, so a document has a single one and reuses it for each element.
struct SyndicationItem {
    /// The item's faults.
    private(set) var issues: [FeedIssue] = []
    /// Items inside this one. Broken XML nests the items that follow.
    private(set) var nested: [XMLNode] = []

    /// Whether the event's id is the link because there is no guid.
    private(set) var isNamedByLink = false
    /// Whether the event depends on the feed's own address or publisher (`SyndicationContext`).
    private(set) var needsContext = false

    private let context: SyndicationContext
    private var node: XMLNode?
    private var number = 0

    private var title: XMLNode?
    private var description: XMLNode?
    private var encoded: XMLNode?
    private var summary: XMLNode?
    private var content: XMLNode?
    /// The first element of each `SpareText` that the item has; few have one.
    private var spares: [(rank: SpareText, node: XMLNode)] = []
    private var guid: String?
    private var originalLink: URLParts?
    private var plainLink: URLParts?
    private var alternate: URLParts?
    private var isAlternatePage = false
    private var published: XMLNode?
    private var dated: XMLNode?
    private var updated: XMLNode?
    private var author: Author?
    private var language: String?
    private var tags: [String] = []
    private var enclosure: String?
    private var enclosureType: String?
    private var comments: String?
    private var source: String?
    private var extras: [(name: String, value: String)] = []
    private var geography = GeoRSS()
    private var disaster: DisasterFields?

    /// The most tags and the most further fields of an item.
    private static let maximumTags = 50
    private static let maximumExtras = 40
    private static let xml = "http://www.w3.org/XML/1998/namespace"
    /// A stand-in base that shows whether a reference can be resolved.
    private static let unknownBase = URLParts("http://unknown.invalid/")

    init(_ context: SyndicationContext) { self.context = context }

    /// Starts over with an element. `number` is its place among the document's items, from 1; `names` belongs to the
    /// document.
    mutating func begin(_ node: XMLNode, number: Int, names: inout ItemNames) {
        clear()
        self.node = node
        self.number = number
        for child in node.children { take(child, in: node, &names) }
        geography.finish()
        // The address in CDF.
        if plainLink == nil, alternate == nil { plainLink = address(node.attribute("HREF"), in: node) }
        guid = guid ?? node.attribute("about", namespace: "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
        language = language ?? node.attribute("lang", namespace: Self.xml)
    }

    /// Forgets the previous element; lists that most items use keep their capacity.
    private mutating func clear() {
        issues = []
        nested = []
        isNamedByLink = false
        needsContext = false
        title = nil
        description = nil
        encoded = nil
        summary = nil
        content = nil
        if !spares.isEmpty { spares = [] }
        guid = nil
        originalLink = nil
        plainLink = nil
        alternate = nil
        isAlternatePage = false
        published = nil
        dated = nil
        updated = nil
        author = nil
        language = nil
        tags.removeAll(keepingCapacity: true)
        enclosure = nil
        enclosureType = nil
        comments = nil
        source = nil
        extras.removeAll(keepingCapacity: true)
        geography = GeoRSS()
        disaster = nil
    }

    // MARK: Fields

    private mutating func take(_ child: XMLNode, in item: XMLNode, _ names: inout ItemNames) {
        let name = names.name(of: child, in: item)
        switch name.field {
        case .title: title = title ?? child
        case .link: takeLink(child)
        case .description: description = description ?? child
        case .summary: summary = summary ?? child
        case .content: content = content ?? child
        case .encoded: encoded = encoded ?? child
        case .guid: guid = guid ?? child.trimmed
        case .published: published = published ?? Self.filled(child)
        case .dated: dated = dated ?? Self.filled(child)
        case .updated: updated = updated ?? Self.filled(child)
        case .author: author = author ?? SyndicationText.author(child)
        case .category: takeCategory(child)
        case .subject: takeTag(SyndicationText.htmlText(of: child))
        case .enclosure: takeEnclosure(child.attribute("url"), child)
        case .comments: comments = comments ?? address(child.trimmed, in: child)?.text
        case .source: source = source ?? SyndicationText.plain(child.child("title") ?? child)
        case .language: language = language ?? child.trimmed
        case .originalLink: originalLink = originalLink ?? HTMLText.webParts(child.trimmed)
        case .position: geography.take(names.local(of: child), name.vocabulary, child)
        case .disaster:
            disaster = disaster ?? DisasterFields()
            disaster?.take(names.local(of: child), child)
            takeExtra(names.local(of: child), child)
        case .item: nested.append(child)
        case .spare(let rank):
            takeSpare(rank, child)
            takeExtra(names.local(of: child), child)
        case .medium:
            takeExtra(names.local(of: child), child)
            takeMedia(child, in: item, &names)
        case .extra: takeExtra(names.local(of: child), child)
        case .nothing: break
        }
    }

    private mutating func takeSpare(_ rank: SpareText, _ node: XMLNode) {
        if !spares.contains(where: { $0.rank == rank }) { spares.append((rank, node)) }
    }

    /// Takes title and text inside an element of Media RSS.
    private mutating func takeMedia(_ media: XMLNode, in item: XMLNode, _ names: inout ItemNames) {
        for child in media.children {
            let name = names.name(of: child, in: item)
            guard name.vocabulary == .media else { continue }
            switch name.field {
            case .spare(let rank): takeSpare(rank, child)
            case .medium: takeMedia(child, in: item, &names)
            default: break
            }
        }
    }

    /// The element unless it has only white space.
    private static func filled(_ child: XMLNode) -> XMLNode? {
        child.withText { $0.contains { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 && $0 != 0x0D } } ? child : nil
    }

    /// RSS has the address as text, Atom in `href` with a relation (RFC 4287 §4.2.7).
    private mutating func takeLink(_ child: XMLNode) {
        guard let href = child.attribute("href") else {
            plainLink = plainLink ?? address(child.trimmed, in: child)
            return
        }
        switch child.relation {
        case "alternate": takeAlternate(href, child)
        case "enclosure": takeEnclosure(href, child)
        case "replies": comments = comments ?? address(href, in: child)?.text
        default: break
        }
    }

    /// Takes the first alternate of type HTML or without a type, else the first one.
    private mutating func takeAlternate(_ href: String, _ child: XMLNode) {
        guard !isAlternatePage else { return }
        let isPage = child.attribute("type").map { $0.lowercased().contains("html") } ?? true
        guard alternate == nil || isPage, let url = address(href, in: child) else { return }
        alternate = url
        isAlternatePage = isPage
    }

    private mutating func takeEnclosure(_ url: String?, _ child: XMLNode) {
        guard enclosure == nil, let url = address(url, in: child) else { return }
        enclosure = url.text
        enclosureType = child.attribute("type").map { Self.line($0) }
    }

    /// The web address in a child element, resolved against `xml:base` or the feed's base.
    private mutating func address(_ reference: String?, in child: XMLNode) -> URLParts? {
        guard let reference else { return nil }
        if let url = HTMLText.webParts(reference) { return url }
        var base = context.base
        for element in [node, child] {
            guard let own = element?.attribute("base", namespace: Self.xml) else { continue }
            base = HTMLText.webParts(own, base: base) ?? base
        }
        guard let url = HTMLText.webParts(reference, base: base ?? Self.unknownBase) else { return nil }
        needsContext = true
        return base == nil ? nil : url
    }

    private static func line(_ text: String) -> String {
        HTMLText.bounded(HTMLText.cleaned(text), SyndicationText.longestLine)
    }

    /// Atom has the word in attributes (RFC 4287 §4.2.2), RSS as text.
    private mutating func takeCategory(_ child: XMLNode) {
        let word = child.hasAttributes ? child.attribute("term") ?? child.attribute("label") : nil
        takeTag(word.map { HTMLText.plain($0) } ?? SyndicationText.htmlText(of: child))
    }

    private mutating func takeTag(_ text: String) {
        guard tags.count < Self.maximumTags else { return }
        let tag = HTMLText.bounded(text, SyndicationText.longestLine)
        if !tag.isEmpty, !tags.contains(tag) { tags.append(tag) }
    }

    /// Keeps a simple element without a field of its own, under its local name.
    private mutating func takeExtra(_ name: String, _ child: XMLNode) {
        guard extras.count < Self.maximumExtras, !child.containsElements, !extras.contains(where: { $0.name == name }),
            let value = child.trimmed ?? child.attribute("value") ?? address(child.attribute("url"), in: child)?.text
                ?? address(child.attribute("href"), in: child)?.text
        else { return }
        let line = Self.line(value)
        if !line.isEmpty { extras.append((name, line)) }
    }

    // MARK: Event

    /// The event, or nil with an issue when the item has neither title nor text.
    ///
    /// `topic` is kept only for events of the feed's own provider; others may come by several topics. The remaining
    /// fields go to `details`. The document adds the feed's own facts at its end.
    mutating func event(
        of feed: String, category: Model.Category, topic: String?, _ details: inout JSONWriter
    ) -> Event? {
        let given = text(title, limit: SyndicationText.longestLine)
        let own = text(description) ?? text(encoded) ?? text(summary) ?? text(content)
        let body = own ?? spare(of: SpareText.texts)
        guard
            let heading = given ?? spare(of: SpareText.titles, limit: SyndicationText.longestLine)
                ?? body.map({ SyndicationText.headline(of: $0) })
        else {
            note("empty_item", found: guid ?? (plainLink ?? alternate)?.text ?? "", costsItem: true)
            return nil
        }
        let time = date(published, dated)
        let identity = SyndicationIdentity(
            guid: guid, link: link, title: heading, date: time, feed: feed, isFromUSGS: context.isUSGS,
            // Ids in databases stay: spare texts are no part of the hash of an item with a text of its own.
            content: [
                given ?? own.map { SyndicationText.headline(of: $0) } ?? heading, own ?? "",
                (published ?? dated ?? updated)?.trimmed ?? "",
            ].joined(separator: "\u{0}"))
        isNamedByLink = identity.isLink
        // An entry without a link is from USGS only in a feed of USGS.
        if !context.isUSGS, identity.family != .usgs, let guid, SyndicationIdentity.quake(guid) != nil {
            needsContext = true
        }
        var event = Event(
            provider: identity.provider, id: identity.id, aliases: identity.aliases, time: time, category: category,
            title: heading, summary: body, link: link?.text ?? HTMLText.webURL(guid), author: author,
            language: HTMLText.language(language))
        event.updated = date(updated)
        // The time in CDF.
        if updated == nil, let written = node?.attribute("LASTMOD") {
            event.updated = DateReader.date(written) { note($0, found: $1) }
        }
        if published == nil, dated == nil { event.time = event.updated }
        let named = identity.place ?? geography.place ?? disaster?.country
        let dateline = named == nil ? body.flatMap { Dateline($0)?.place } : nil
        event.place = named ?? dateline
        event.location = geography.location
        event.geometry = geography.geometry
        for fault in geography.faults { note("bad_coordinate", found: fault) }
        if let excess = geography.excess { note("too_many_points", found: excess) }
        disaster?.describe(&event)
        disaster?.locate(&event)
        specialise(&event, identity.family)
        for fault in event.removeImpossible() { note(fault.reason, found: fault.found) }
        event.weight = event.magnitude == nil ? 1 : Event.weight(event.category, magnitude: event.magnitude)
        if let dateline, event.place == dateline { details.member("place_from", "dateline") }
        write(&details, identity.family, id: event.id, topic: event.provider == feed ? topic : nil)
        return event
    }

    /// The item's link, without FeedBurner's redirect if the feed gives the original.
    private var link: URLParts? { originalLink ?? plainLink ?? alternate }

    /// The text of an element; an issue for one that should be base64 and is not.
    private mutating func text(_ node: XMLNode?, limit: Int = SyndicationText.longestSummary) -> String? {
        guard let node else { return nil }
        if let text = SyndicationText.plain(node, limit: limit) { return text }
        if SyndicationText.isBadBase64(node) { note("bad_base64", found: node.text.beginning(200)) }
        return nil
    }

    /// The first text of these ranks.
    private func spare(of ranks: [SpareText], limit: Int = SyndicationText.longestSummary) -> String? {
        guard !spares.isEmpty else { return nil }
        for rank in ranks {
            let node = spares.first { $0.rank == rank }?.node
            if let text = SyndicationText.plain(node, limit: limit) { return text }
        }
        return nil
    }

    /// Applies the conventions of a feed family.
    private func specialise(_ event: inout Event, _ family: SyndicationIdentity.Family) {
        switch family {
        case .other: break
        case .reuters:
            // Query and redirect contain the topic. Two topics must not keep changing one story.
            let known = [originalLink, HTMLText.webParts(guid), link].compactMap { $0 }
            event.link = known.lazy.compactMap { SyndicationIdentity.reutersLink($0) }.first ?? event.link
        case .gvp: event.category = .volcano
        case .usgs:
            event.category = .earthquake
            event.depth = geography.elevation.map { 0 - $0 / 1000 }
            event.time = event.summary.flatMap { QuakeTitle.origin(in: $0) } ?? (published == nil ? nil : event.time)
            guard let title = QuakeTitle(event.title) else { return }
            event.magnitude = title.magnitude
            event.place = title.place ?? event.place
            if let kind = title.kind { event.category = Model.Category(rawValue: kind) }
        }
    }

    private func write(
        _ details: inout JSONWriter, _ family: SyndicationIdentity.Family, id: String, topic: String?
    ) {
        // Reuters' guid and category contain the topic, USGS categories the age of the earthquake at the time of the
        // request.
        let varies = family == .reuters || family == .usgs
        if !varies { details.member("tags", tags) }
        let name = varies || guid == id ? nil : guid.map { Self.line($0) }
        details.member("guid", name)
        details.member("enclosure", enclosure)
        details.member("enclosure_type", enclosureType)
        details.member("comments", comments)
        details.member("source", source)
        details.member("topic", topic)
        for extra in extras {
            // Each member is written once. The feed's title and the origin of the place are written elsewhere.
            let isTaken =
                switch extra.name {
                case "tags", "feed", "topic", "place_from": true
                case "guid": name != nil
                case "enclosure": enclosure != nil
                case "enclosure_type": enclosureType != nil
                case "comments": comments != nil
                case "source": source != nil
                default: false
                }
            if !isTaken { details.member(extra.name, extra.value) }
        }
    }

    // MARK: Issues

    /// The first readable of the given dates; an issue when there are dates and none is readable.
    private mutating func date(_ first: XMLNode?, _ second: XMLNode? = nil) -> Date? {
        guard let given = first ?? second else { return nil }
        func reading(_ node: XMLNode) -> DateReading? { node.withText { DateReader.reading($0) } }
        if let read = reading(given) ?? second.flatMap(reading) {
            if let zone = read.unknownZone { note("unknown_zone", found: zone) }
            return read.date
        }
        note("bad_date", found: given.trimmed ?? "")
        return nil
    }

    /// Adds an issue at the item's position.
    mutating func note(_ reason: String, found: String, costsItem: Bool = false) {
        let position = "item \(number) (line \(node?.line ?? 0))"
        issues.append(FeedIssue(reason, at: position, found: found, costsItem: costsItem))
    }
}
