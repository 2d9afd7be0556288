import Foundation
import Model
import Reading

/// Decodes one RSS, RDF, Atom or CDF document.
struct SyndicationDocument {
    private let feed: String
    private let category: Model.Category
    private let topic: String?
    private let namesFeed: Bool
    private var item: SyndicationItem
    private var answer = FeedAnswer()
    private var details = JSONWriter()
    /// The members of all events' details, and the end of each event's members.
    private var members: [UInt8] = []
    private var memberEnds: [Int] = []
    private var count = 0
    private var names = ItemNames()
    /// Hashes of the events' ids.
    private var ids: [Int] = []
    /// Titles by the hash of the id, for ids that are links.
    private var titles: [Int: String] = [:]
    private var needsContext = false

    /// The limit of an unpacked feed in bytes; the sitemap protocol allows 50 MiB.
    private static let maximumBytes = 64 << 20

    /// Decodes the plain or packed body of a response. The document is read a second time if items depend on the feed's
    /// own address or publisher.
    /// - Parameter category: The category of events unless their feed has its own.
    static func decode(
        _ response: FeedResponse, settings: SourceSettings, category: Model.Category
    ) throws(ReadingError) -> FeedAnswer {
        let body = try unpacked(response.body)
        let (charset, topic) = (response.charset, response.request.topic)
        let start = SyndicationContext(base: response.url)
        var (decoder, document) = try read(
            body, charset,
            with: SyndicationDocument(settings: settings, category: category, topic: topic, context: start))
        let context = SyndicationContext(of: try channel(of: document.root), root: document.root, url: response.url)
        if decoder.needsContext, context != start {
            (decoder, document) = try read(
                body, charset,
                with: SyndicationDocument(settings: settings, category: category, topic: topic, context: context))
        }
        return try decoder.finish(document)
    }

    /// The document itself, unpacked from gzip or zip if necessary (`sitemap.xml.gz`).
    static func unpacked(_ body: Data) throws(ReadingError) -> Data {
        guard ArchiveReader.isArchive(body) else { return body }
        guard let first = try ArchiveReader.members(body, limit: maximumBytes).first else {
            throw ReadingError(code: "bad_archive", message: "expected a packed document, found an empty archive")
        }
        return first.data
    }

    /// With several topics, one event may come by two of them. The topic and the feed's title, which change with it,
    /// are then not kept.
    private init(settings: SourceSettings, category: Model.Category, topic: String?, context: SyndicationContext) {
        item = SyndicationItem(context)
        feed = settings.identity
        self.category = category
        namesFeed = settings.topics.count < 2
        self.topic = namesFeed ? topic : nil
    }

    /// The longest title of a feed, in characters. Each event repeats it.
    private static let longestName = 200
    /// The bytes of an item with little text. Reserved capacity costs no memory until it is used; growing would copy.
    private static let usualItem = 512

    // MARK: Items

    private static func read(
        _ body: Data, _ charset: String?, with empty: SyndicationDocument
    ) throws(ReadingError) -> (SyndicationDocument, XMLDocument) {
        var decoder = empty
        decoder.answer.events.reserveCapacity(body.count / usualItem)
        decoder.memberEnds.reserveCapacity(body.count / usualItem)
        decoder.ids.reserveCapacity(body.count / usualItem)
        let document = try XMLReader.read(body, itemNames: ["item", "entry", "ITEM", "Item"], charset: charset) {
            decoder.read($0)
        }
        try decoder.complete(by: FeedFacts(document.root))
        return (decoder, document)
    }

    private mutating func read(_ node: XMLNode) {
        count += 1
        item.begin(node, number: count, names: &names)
        if var event = item.event(of: feed, category: category, topic: topic, &details) {
            var hash = event.id.byteHash
            if item.isNamedByLink, let known = titles[hash], !known.utf8.elementsEqual(event.title.utf8) {
                item.note("duplicate_id", found: event.id)
                event.id += "#" + FNV64.hex(event.title)
                event.aliases.removeAll()
                hash = event.id.byteHash
            } else if item.isNamedByLink {
                titles[hash] = event.title
            }
            ids.append(hash)
            details.move(to: &members)
            memberEnds.append(members.count)
            answer.events.append(consume event)
        }
        needsContext = needsContext || item.needsContext
        for issue in item.issues { answer.report(issue) }
        // Each nested item replaces the current one; the loop iterates over a copy of the list.
        for inner in item.nested { read(inner) }
    }

    /// Adds the facts that hold for all items of the document.
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

    /// Makes separate events of items with one guid and different links (`<guid>0</guid>` in each). Each gets the hash
    /// of its link appended, even the first, since the order changes between documents.
    private mutating func partNamesakes() {
        ids.sort()
        guard zip(ids, ids.dropFirst()).contains(where: ==) else { return }
        // Events are large, so they are not copied here.
        var places: [Int: Int] = [:]
        var shared: Set<Int> = []
        for index in answer.events.indices
        where answer.events[index].provider == feed && answer.events[index].link != nil {
            let hash = answer.events[index].id.byteHash
            guard let before = places.updateValue(index, forKey: hash) else { continue }
            if answer.events[before].link != answer.events[index].link, shared.insert(hash).inserted {
                answer.report(FeedIssue("duplicate_id", at: "document", found: answer.events[index].id))
            }
        }
        for index in answer.events.indices {
            guard answer.events[index].provider == feed, shared.contains(answer.events[index].id.byteHash),
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

    /// The facts of a document that hold for all its items: language, author (Atom only) and the feed's title.
    private struct FeedFacts {
        var title: String?
        var language: String?
        var author: Author?

        init(_ root: XMLNode) throws(ReadingError) {
            let channel = try SyndicationDocument.channel(of: root)
            let title = ["title", "TITLE", "Title"].lazy.compactMap { channel.child($0, in: channel.namespace) }.first
            self.title = SyndicationText.plain(title, limit: longestName)
            language = HTMLText.language(
                SyndicationDocument.language(of: channel) ?? SyndicationDocument.language(of: root))
            if FeedVocabulary.of(channel).name == "feed" {
                author = channel.child("author", in: channel.namespace).flatMap { SyndicationText.author($0) }
            }
        }
    }

    /// The element that describes the feed: `channel` in RSS and RDF, the root itself in Atom and CDF.
    private static func channel(of root: XMLNode) throws(ReadingError) -> XMLNode {
        switch FeedVocabulary.of(root).name.lowercased() {
        case "rss", "rdf": return root.child("channel") ?? root.child("CHANNEL") ?? root
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

    /// The document's issues: lost items; faults of the markup, the first 20 and then the number of the others; a
    /// missing end.
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
