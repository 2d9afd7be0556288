import Foundation
import Model
import Reading

/// Decodes one RSS, RDF or Atom document.
struct SyndicationDocument {
    private let feed: String
    private let category: Model.Category
    private let topic: String?
    private let namesFeed: Bool
    private var item: SyndicationItem
    private var answer = FeedAnswer()
    private var details = JSONWriter()
    /// The members of all events' details, and where each event's end.
    private var members: [UInt8] = []
    private var memberEnds: [Int] = []
    private var count = 0
    private var names = ItemNames()
    /// Hashes of the events' ids.
    private var ids: [Int] = []
    /// Titles by ids that are links.
    private var titles: [String: String] = [:]
    private var needsContext = false

    /// Most bytes a compressed feed may have when unpacked; the sitemap protocol allows 50 MiB.
    private static let maximumBytes = 64 << 20

    /// Decodes a body, plain or packed. Where items depend on what stands behind them (the feed's address, whose feed
    /// it is), the document is read a second time.
    /// - Parameters:
    ///   - category: What events are unless their feed says otherwise.
    ///   - topic: The topic that was asked for.
    ///   - url: Where the body came from.
    static func decode(
        _ body: Data, settings: SourceSettings, category: Model.Category, topic: String?, url: String
    ) throws(ReadingError) -> FeedAnswer {
        let body = try unpacked(body)
        let start = SyndicationContext(base: url)
        var (decoder, document) = try read(
            body, with: SyndicationDocument(settings: settings, category: category, topic: topic, context: start))
        let context = SyndicationContext(of: try channel(of: document.root), root: document.root, url: url)
        if decoder.needsContext, context != start {
            (decoder, document) = try read(
                body, with: SyndicationDocument(settings: settings, category: category, topic: topic, context: context))
        }
        return try decoder.finish(document)
    }

    /// The document itself, taken out of gzip or zip where it came packed (`sitemap.xml.gz`).
    static func unpacked(_ body: Data) throws(ReadingError) -> Data {
        guard ArchiveReader.isArchive(body) else { return body }
        guard let first = try ArchiveReader.members(body, limit: maximumBytes).first else {
            throw ReadingError(code: "bad_archive", message: "expected a packed document, found an empty archive")
        }
        return first.data
    }

    /// With several topics, one event may come by two of them: what names the topic would change with each.
    private init(settings: SourceSettings, category: Model.Category, topic: String?, context: SyndicationContext) {
        item = SyndicationItem(context)
        feed = settings.identity
        self.category = category
        namesFeed = settings.topics.count < 2
        self.topic = namesFeed ? topic : nil
    }

    /// Most characters of the feed's title, which each of its events repeats.
    private static let longestName = 200
    /// Bytes of an item without much text. Room for items costs nothing until they come; to grow into it would.
    private static let usualItem = 512

    // MARK: Items

    private static func read(
        _ body: Data, with empty: SyndicationDocument
    ) throws(ReadingError) -> (SyndicationDocument, XMLDocument) {
        var decoder = empty
        decoder.answer.events.reserveCapacity(body.count / usualItem)
        decoder.memberEnds.reserveCapacity(body.count / usualItem)
        decoder.ids.reserveCapacity(body.count / usualItem)
        let document = try XMLReader.read(body, itemNames: ["item", "entry"]) { decoder.read($0) }
        try decoder.complete(by: FeedFacts(document.root))
        return (decoder, document)
    }

    private mutating func read(_ node: XMLNode) {
        count += 1
        item.begin(node, number: count, names: &names)
        if var event = item.event(of: feed, category: category, topic: topic, &details) {
            if item.isNamedByLink, let known = titles.updateValue(titles[event.id] ?? event.title, forKey: event.id),
                known != event.title
            {
                item.note("duplicate_id", found: event.id)
                event.id += "#" + FNV64.hex(event.title)
            }
            ids.append(event.id.hashValue)
            details.move(to: &members)
            memberEnds.append(members.count)
            answer.events.append(consume event)
        }
        needsContext = needsContext || item.needsContext
        for issue in item.issues { answer.report(issue) }
        // Each of these takes the item's place; the loop goes over a list of its own.
        for inner in item.nested { read(inner) }
    }

    /// Adds what the document says about all items.
    private mutating func complete(by facts: FeedFacts) {
        details.member("feed", namesFeed ? facts.title : nil)
        var title: [UInt8] = []
        details.move(to: &title)
        var start = 0
        for index in answer.events.indices {
            let isOwn = answer.events[index].provider == feed
            if answer.events[index].language == nil { answer.events[index].language = facts.language }
            if isOwn, answer.events[index].author == nil { answer.events[index].author = facts.author }
            answer.events[index].details = JSONWriter.object(members[start..<memberEnds[index]], isOwn ? title : [])
            start = memberEnds[index]
        }
        members = []
        memberEnds = []
    }

    /// Items of one guid that lead to different pages are several events (`<guid>0</guid>` in each). Each gets the hash
    /// of its link appended, the first too: in the next document another one is first.
    private mutating func partNamesakes() {
        ids.sort()
        guard zip(ids, ids.dropFirst()).contains(where: ==) else { return }
        // Events are large, so none is copied here.
        var places: [String: Int] = [:]
        var shared: Set<String> = []
        for index in answer.events.indices
        where answer.events[index].provider == feed && answer.events[index].link != nil {
            let id = answer.events[index].id
            guard let before = places.updateValue(index, forKey: id) else { continue }
            if answer.events[before].link != answer.events[index].link, shared.insert(id).inserted {
                answer.report(FeedIssue("duplicate_id", at: "document", found: id))
            }
        }
        for index in answer.events.indices {
            guard answer.events[index].provider == feed, shared.contains(answer.events[index].id),
                let link = answer.events[index].link
            else { continue }
            answer.events[index].id += "#" + FNV64.hex(link)
        }
    }

    private mutating func finish(_ document: XMLDocument) throws(ReadingError) -> FeedAnswer {
        partNamesakes()
        answer.issues += Self.problems(of: document)
        answer.requestedInterval = Self.interval(try Self.channel(of: document.root))
        answer.isWhole = !document.isTruncated
        return answer
    }

    /// What a document says about all its items: language, author (Atom only), title of the feed.
    private struct FeedFacts {
        var title: String?
        var language: String?
        var author: Author?

        init(_ root: XMLNode) throws(ReadingError) {
            let channel = try SyndicationDocument.channel(of: root)
            title = SyndicationText.plain(channel.child("title", in: channel.namespace), limit: longestName)
            language = HTMLText.language(
                SyndicationDocument.language(of: channel) ?? SyndicationDocument.language(of: root))
            if FeedVocabulary.of(channel).name == "feed" {
                author = channel.child("author", in: channel.namespace).flatMap { SyndicationText.author($0) }
            }
        }
    }

    /// What the root element tells of the whole feed: `channel` in RSS and RDF, the root itself in Atom.
    private static func channel(of root: XMLNode) throws(ReadingError) -> XMLNode {
        switch FeedVocabulary.of(root).name.lowercased() {
        case "rss", "rdf": return root.child("channel") ?? root
        case "feed", "channel": return root
        case "html":
            throw .htmlPage("expected a feed, found a web page")
        case "urlset", "sitemapindex":
            throw ReadingError(code: "not_a_feed", message: "expected a feed, found a sitemap; its kind is sitemap")
        default:
            throw ReadingError(
                code: "not_a_feed", message: "expected the root element rss, RDF or feed, found \(root.name)")
        }
    }

    private static func language(of node: XMLNode) -> String? {
        node.child("language")?.trimmed
            ?? node.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")
    }

    /// `ttl` in minutes (RSS 2.0), else `sy:updatePeriod` by `sy:updateFrequency` (RSS 1.0 syndication module).
    private static func interval(_ channel: XMLNode) -> Duration? {
        if let minutes = channel.child("ttl")?.trimmed.flatMap({ Int($0) }), (1...527_040).contains(minutes) {
            return .seconds(minutes * 60)
        }
        func value(_ name: String) -> String? { (channel.child(name) ?? channel.child("sy:" + name))?.trimmed }
        let periods = ["hourly": 3600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000]
        guard let period = value("updatePeriod").flatMap({ periods[$0.lowercased()] }) else { return nil }
        let frequency = value("updateFrequency").flatMap { Int($0) } ?? 1
        return .seconds(max(60, period / max(1, frequency)))
    }

    /// Items that were lost, faults of the markup, at most 20 of them and then their number, and whether the end is
    /// missing.
    static func problems(of document: XMLDocument) -> [FeedIssue] {
        let most = 20
        var issues = document.lostItems.map {
            FeedIssue($0.code, at: "line \($0.line)", found: $0.message, costsItem: true)
        }
        issues += document.problems.prefix(most).map {
            FeedIssue("bad_xml", at: "line \($0.line)", found: $0.message)
        }
        if document.problems.count > most {
            issues.append(FeedIssue("bad_xml", at: "document", found: "\(document.problems.count - most) more faults"))
        }
        if document.isTruncated {
            let last = (document.problems + document.lostItems).map(\.line).max() ?? document.root.line
            issues.append(FeedIssue("truncated", at: "line \(last)", found: "the document ends before its root does"))
        }
        return issues
    }
}
