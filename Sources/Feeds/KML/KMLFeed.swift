import Foundation
public import Model
import Reading

/// Placemarks of KML 2.x documents and KMZ archives, such as the Global Volcanism Program's weekly file.
///
/// Each `<Placemark>` at any depth is an event. Overlays, styles and views are ignored. Network links are counted, not
/// followed.
public struct KMLFeed: Feed {
    /// The kind `kml`: by default GVP's weekly KMZ file every 2 h 48 min, events kept 120 days; docs/feeds-cap-kml.md
    /// has its key.
    public static let kind = FeedKind(
        name: "kml", summary: "placemarks of KML documents and KMZ archives", decoderVersion: 2,
        defaultURL: "https://volcano.si.edu/news/WeeklyVolcanoGE-Reports.kmz", refreshInterval: .seconds(10_080),
        offset: .seconds(120), maxAge: .seconds(2880 * 3600),
        options: [
            FeedOption(
                "category", .text,
                "Category of the events; without it, those with a magnitude are `earthquake` and others `other`. "
                    + "Reports of the Global Volcanism Program are always `volcano`.")
        ])

    /// The limit of an archive's contents and of an item, in bytes.
    private static let maximumBytes = 64 << 20

    private let settings: SourceSettings

    /// Binds the kind to a source; no settings are refused.
    public init(_ settings: SourceSettings) { self.settings = settings }

    /// One conditional request for each URL of the source.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        settings.urls().map { topic, url in
            FeedRequest(
                url: url, topic: topic,
                headers: [
                    "Accept": "application/vnd.google-earth.kmz, application/vnd.google-earth.kml+xml, */*;q=0.1"
                ])
        }
    }

    /// Decodes a KML document, or an archive that contains one, into one event for each placemark.
    ///
    /// Of a KMZ it reads the `doc.kml` nearest to the root, else the first `.kml`, and tallies the rest as
    /// `other_documents`. A faulty placemark, or an outermost folder or placemark above 64 MiB, becomes an issue.
    /// - Throws: `Failure` with fault `feed` and code `no_kml`, `not_kml`, `truncated`, or one of `XMLReader.read` or
    ///   `ArchiveReader.members`: `too_large` if the archive unpacks to more than 64 MiB.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        try decode(response, itemBytes: Self.maximumBytes)
    }

    /// - Parameter itemBytes: The limit of an outermost folder or placemark in bytes; a larger one is dropped with an
    ///   issue.
    func decode(_ response: FeedResponse, itemBytes: Int) throws(Failure) -> FeedAnswer {
        let (body, otherDocuments) = try kml(in: response.body)
        let category = settings.options["category"]?.text.map { Model.Category(rawValue: $0) }
        var decoder = KMLDecoder(provider: settings.identity, category: category)
        var limits = XMLLimits()
        limits.itemBytes = itemBytes
        let document: XMLDocument
        do throws(ReadingError) {
            // Outermost folders are read as a whole, so that a placemark knows its folders.
            let names = KMLDecoder.commands.union(["Placemark", "NetworkLink", "Folder"])
            document = try XMLReader.read(body, itemNames: names, limits: limits) {
                decoder.visit($0, path: "")
            }
        } catch {
            throw Failure.feed(error, body: response.body)
        }
        let root = document.root
        guard !document.isTruncated else {
            throw Failure.feed("truncated", "The document ends before <\(root.name)> is closed.", body: response.body)
        }
        guard root.name == "kml" || decoder.items > 0 || KMLDecoder.isBareRoot(root) else {
            let code = root.name.lowercased() == "html" ? ReadingError.htmlPageCode : "not_kml"
            throw Failure.feed(
                code, "The body is no KML: its root element is <\(root.name.prefix(40))>.", body: response.body)
        }
        if decoder.items == 0 { decoder.visit(root, path: "") }
        decoder.note(document)
        var answer = decoder.answer
        if otherDocuments > 0 { answer.tallies["other_documents"] = otherDocuments }
        return answer
    }

    /// The KML document of the body, and the number of other documents in its archive.
    ///
    /// A KMZ usually has a `doc.kml`; among several, the one nearest to the root counts. Without it the first document
    /// counts. The others are parts for network links.
    private func kml(in body: Data) throws(Failure) -> (data: Data, others: Int) {
        guard ArchiveReader.isArchive(body) else { return (body, 0) }
        let members: [(name: String, data: Data)]
        do throws(ReadingError) {
            members = try ArchiveReader.members(body, limit: Self.maximumBytes)
        } catch {
            throw Failure.feed(error, body: body)
        }
        let documents = members.filter { $0.name.lowercased().hasSuffix(".kml") }
        let main = documents.filter { Self.path($0.name).last == "doc.kml" }
            .min { Self.path($0.name).count < Self.path($1.name).count }
        if let first = main ?? documents.first { return (first.data, documents.count - 1) }
        // A merely compressed document (gzip) has one member with an arbitrary name.
        if members.count == 1, body.starts(with: [0x1F, 0x8B]) { return (members[0].data, 0) }
        let names = members.isEmpty ? "nothing" : members.prefix(5).map(\.name).joined(separator: ", ")
        let found = HTMLText.bounded(HTMLText.cleaned(names), 200)
        throw Failure.feed("no_kml", "the archive holds no .kml: found \(found)", body: body)
    }

    /// The components of a member's path, in lower case.
    private static func path(_ name: String) -> [Substring] {
        name.lowercased().split(separator: "/").filter { $0 != "." }
    }
}
