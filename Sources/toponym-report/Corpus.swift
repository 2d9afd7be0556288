import Foundation
import Model
import Reading

/// A document whose toponyms have been marked by hand.
struct CorpusDocument {
    /// Its name in the corpus.
    let id: String
    /// Its title, a line break and its text.
    let text: String
    /// Toponyms in the order of the text.
    let toponyms: [GoldToponym]
    /// What a source's settings would say.
    let context: PlaceContext

    /// Whether rules may be made on it: by the last bit of the FNV-1a hash of its id.
    var isDevelopment: Bool { (FNV64.hex(id).last?.hexDigitValue ?? 1).isMultiple(of: 2) }
}

/// A toponym that has been marked.
struct GoldToponym {
    /// Where it stands in the document's text.
    let range: Range<String.Index>
    /// As written.
    let phrase: String
    /// The place that is meant; nil when the annotators found none in GeoNames.
    let place: GoldPlace?
}

/// The place that a toponym means.
struct GoldPlace {
    /// GeoNames' number.
    let geonameID: Int64
    /// GeoNames' name.
    let name: String
    /// GeoNames' feature class: P populated place, A area, L, S, H and others.
    let featureClass: String
    /// GeoNames' feature code.
    let featureCode: String
    /// Where it is.
    let coordinate: Coordinate
}

/// Reads TR-News and corpora of its format.
enum Corpus {
    /// How far a toponym may stand from its offset: some of TR-News' offsets count characters that its text lost.
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
        let country = sourceCountry ? article.child("domain")?.trimmed.flatMap { self.country(ofAddress: $0) } : nil
        return CorpusDocument(id: id, text: text, toponyms: toponyms, context: PlaceContext(country: country))
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

    /// Where the phrase stands nearest to an offset.
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

    /// The country of a national top-level domain; `uk` is GB.
    private static func country(ofAddress host: String) -> String? {
        guard let last = host.split(separator: ".").last, last.utf8.count == 2 else { return nil }
        let code = last.uppercased()
        return code == "UK" ? "GB" : code
    }
}
