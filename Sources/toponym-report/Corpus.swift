import Foundation
import Model
import Reading

/// A document with toponyms marked by hand.
struct CorpusDocument {
    /// Its id in the corpus.
    let id: String
    /// The feed that published it; nil if the corpus names none, and all documents count as one feed.
    let feed: String?
    /// When it was fetched, as the corpus writes it; empty: unknown.
    let time: String
    /// Its title, a line break and its body.
    let text: String
    /// The marked toponyms in text order.
    let toponyms: [GoldToponym]
    /// Its place among the documents of its feed in the order of time, from 1; nil: the corpus names no feeds, or the
    /// feeds are not looked at.
    var position: Int?
    /// The context that a source's settings, or its home, would give.
    var context: PlaceContext

    /// Whether rules may be tuned on it, decided by the last bit of the FNV-1a hash of its feed, else of its id.
    var isDevelopment: Bool { (FNV64.hex(feed ?? id).last?.hexDigitValue ?? 1).isMultiple(of: 2) }
}

extension UnlocatedEvent {
    /// A document as the news of its feed.
    init(_ document: CorpusDocument) {
        let parts = document.text.split(separator: "\n", maxSplits: 1).map { String($0) }
        self.init(
            category: Category.news.rawValue, title: parts.first ?? "", summary: parts.count > 1 ? parts[1] : nil,
            context: document.context)
    }
}

/// A marked toponym.
struct GoldToponym {
    /// Its range in the document's text.
    let range: Range<String.Index>
    /// Its text as written.
    let phrase: String
    /// Its place; nil if the annotators found none in GeoNames.
    let place: GoldPlace?
}

/// The place of a toponym.
struct GoldPlace {
    /// The GeoNames id.
    let geonameID: Int64
    /// The GeoNames name.
    let name: String
    /// The GeoNames feature class: P for populated places, A for areas, L, S, H and others.
    let featureClass: String
    /// The GeoNames feature code.
    let featureCode: String
    /// The coordinate in the corpus, WGS 84 degrees.
    let coordinate: Coordinate
}

/// Reads TR-News, LGL and corpora in their format.
enum Corpus {
    /// Most characters between a toponym and its offset: some offsets of TR-News count characters that its text lost.
    private static let slack = 400

    static func read(path: String, sourceCountry: Bool) throws -> [CorpusDocument] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var documents: [CorpusDocument] = []
        _ = try XMLReader.read(data, itemNames: ["article"]) { article in
            if let document = document(article, sourceCountry: sourceCountry) { documents.append(document) }
        }
        return documents
    }

    private static func document(_ article: XMLNode, sourceCountry: Bool) -> CorpusDocument? {
        guard let id = article.attribute("docid"), let body = article.child("text")?.text else { return nil }
        let title = article.child("title")?.trimmed ?? ""
        let text = title + "\n" + body
        let scalars = Array(text.unicodeScalars)
        let indices = Array(text.unicodeScalars.indices) + [text.endIndex]
        let bodyStart = title.unicodeScalars.count + 1
        var toponyms: [GoldToponym] = []
        for node in article.child("toponyms")?.children("toponym") ?? [] {
            guard let phrase = node.child("phrase")?.text,
                let start = node.child("start")?.trimmed.flatMap({ Int($0) }),
                let position = nearest(
                    Array(phrase.unicodeScalars), in: scalars, from: bodyStart, to: bodyStart + start)
            else { continue }
            let end = position + phrase.unicodeScalars.count
            toponyms.append(
                GoldToponym(
                    range: indices[position]..<indices[end], phrase: phrase,
                    place: node.child("gaztag").flatMap { place($0) }))
        }
        toponyms.sort { $0.range.lowerBound < $1.range.lowerBound }
        let host = sourceCountry ? article.child("domain")?.trimmed : nil
        return CorpusDocument(
            id: id, feed: article.child("feedid")?.trimmed, time: article.child("dltime")?.trimmed ?? "", text: text,
            toponyms: toponyms, context: PlaceContext(host: host ?? ""))
    }

    private static func place(_ node: XMLNode) -> GoldPlace? {
        guard let id = node.attribute("geonameid").flatMap({ Int64($0) }),
            let latitude = node.child("lat")?.trimmed.flatMap({ Double($0) }),
            let longitude = node.child("lon")?.trimmed.flatMap({ Double($0) }),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return GoldPlace(
            geonameID: id, name: node.child("name")?.trimmed ?? "", featureClass: node.child("fclass")?.trimmed ?? "",
            featureCode: node.child("fcode")?.trimmed ?? "", coordinate: coordinate)
    }

    /// The position of the phrase nearest to an offset; nil if it is not within `slack`.
    private static func nearest(
        _ phrase: [Unicode.Scalar], in text: [Unicode.Scalar], from first: Int, to offset: Int
    ) -> Int? {
        guard !phrase.isEmpty else { return nil }
        for distance in 0..<slack {
            for position in [offset - distance, offset + distance]
            where position >= first && position + phrase.count <= text.count {
                if text[position..<position + phrase.count].elementsEqual(phrase) { return position }
            }
        }
        return nil
    }
}
