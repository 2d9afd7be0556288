import Foundation
import Model
import TestSupport

/// A document of `Fixtures/rss` or `Fixtures/sitemap` and what must come out of it, from the `.json` beside it.
struct SyndicationCase: Decodable {
    /// Identity of the feed that all cases are decoded under.
    static let identity = "https://feeds.example.org/news"

    /// Expected events: values by the names of `fields(of:)`, null for none; what is not named is not compared.
    var events: [[String: String?]]?
    /// Expected reasons of issues in order, those of faulty markup (`bad_xml`) left out.
    var issues: [String]?
    /// Expected number of items lost.
    var refused: Int?
    /// Expected seconds the server asks for.
    var interval: Double?
    /// Expected URLs to ask next.
    var followUps: [String]?
    /// Whether the markup is faulty: `yes`, `maybe` (that depends on the parser), else it is not.
    var malformed: String?
    /// Expected code of the failure of the whole document; `*` for any.
    var failure: String?

    enum CodingKeys: String, CodingKey {
        case events, issues, refused, interval, malformed, failure
        case followUps = "follow_ups"
    }

    /// Names of the documents of a folder, in alphabetical order.
    static func names(in folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path)) ?? []
        return files.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".gz") }.sorted()
    }

    /// Reads what is expected of a document.
    static func expected(of name: String, in folder: String) throws -> SyndicationCase {
        let ending = name.hasSuffix(".xml.gz") ? 7 : 4
        let stem = name.dropLast(ending)
        return try JSONDecoder().decode(SyndicationCase.self, from: Fixtures.data("\(folder)/\(stem).json"))
    }

    /// An event as flat texts.
    static func fields(of event: Event) throws -> [String: String] {
        var fields: [String: String] = [:]
        fields["provider"] = event.provider
        fields["id"] = event.id
        fields["aliases"] = event.aliases.joined(separator: "|")
        fields["time"] = event.time?.rfc3339
        fields["updated"] = event.updated?.rfc3339
        fields["category"] = event.category.rawValue
        fields["title"] = event.title
        fields["summary"] = event.summary
        fields["link"] = event.link
        fields["author"] = event.author?.name
        fields["author_link"] = event.author?.link
        fields["weight"] = "\(event.weight)"
        fields["magnitude"] = event.magnitude.map { "\($0)" }
        fields["depth"] = event.depth.map { "\($0)" }
        fields["status"] = event.status
        fields["place"] = event.place
        fields["language"] = event.language
        fields["latitude"] = (event.location?.coordinate.latitude).map { "\($0)" }
        fields["longitude"] = (event.location?.coordinate.longitude).map { "\($0)" }
        fields["method"] = event.location?.method.rawValue
        fields["precision"] = event.location?.precision.rawValue
        fields["geometry"] = event.geometry
        for (key, value) in try details(of: event) {
            fields["details." + key] = (value as? [String])?.joined(separator: "|") ?? "\(value)"
        }
        return fields
    }

    /// The details as a dictionary; throws when they are no JSON.
    static func details(of event: Event) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(event.details.utf8))
        return object as? [String: Any] ?? [:]
    }

    /// Whether two values are the same; numbers may differ by a millionth.
    static func agree(_ actual: String?, _ expected: String?) -> Bool {
        if let actual = actual.flatMap({ Double($0) }), let expected = expected.flatMap({ Double($0) }) {
            return abs(actual - expected) < 1e-6
        }
        return actual == expected
    }
}
