import Foundation
import Model
import TestSupport

/// A document of `Fixtures/rss` or `Fixtures/sitemap` with its expected result, from the `.json` beside it.
struct SyndicationCase: Decodable {
    /// The feed identity of all cases.
    static let identity = "https://feeds.example.org/news"

    /// Expected events: values by the names of `fields(of:)`, null for none; other fields are not compared.
    var events: [[String: String?]]?
    /// Expected reasons of issues in order, without those of faulty markup (`bad_xml`).
    var issues: [String]?
    /// Expected number of lost items.
    var refused: Int?
    /// Expected interval of the server, in seconds.
    var interval: Double?
    /// Expected follow-up URLs.
    var followUps: [String]?
    /// Whether the markup is faulty: `yes`, `maybe` (depends on the parser), otherwise not.
    var malformed: String?
    /// Expected code of the document's failure; `*` for any.
    var failure: String?

    enum CodingKeys: String, CodingKey {
        case events, issues, refused, interval, malformed, failure
        case followUps = "follow_ups"
    }

    /// Names of the documents in a folder, sorted.
    static func names(in folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path)) ?? []
        return files.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".gz") }.sorted()
    }

    /// Reads the expected result of a document.
    static func expected(of name: String, in folder: String) throws -> SyndicationCase {
        let ending = name.hasSuffix(".xml.gz") ? 7 : 4
        let stem = name.dropLast(ending)
        return try JSONDecoder().decode(SyndicationCase.self, from: Fixtures.data("\(folder)/\(stem).json"))
    }

    /// An event as a flat dictionary of texts.
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

    /// The details as a dictionary; throws unless they are JSON.
    static func details(of event: Event) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(event.details.utf8))
        return object as? [String: Any] ?? [:]
    }

    /// Whether two values are equal; numbers within a millionth.
    static func agree(_ actual: String?, _ expected: String?) -> Bool {
        if let actual = actual.flatMap({ Double($0) }), let expected = expected.flatMap({ Double($0) }) {
            return abs(actual - expected) < 1e-6
        }
        return actual == expected
    }
}
