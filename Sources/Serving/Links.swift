import Foundation
import Model
import Reading

/// A link to another resource (RFC 8288).
struct Link: Sendable {
    var rel: String
    var href: String
    var type: String
    var title: String

    init(_ rel: String, _ href: String, _ type: String, _ title: String) {
        (self.rel, self.href, self.type, self.title) = (rel, href, type, title)
    }

    var json: String { JSONWriter.object(["rel": rel, "type": type, "title": title, "href": href]) }

    /// The link as a value of the field `Link`.
    var field: String { "<\(href)>; rel=\"\(rel)\"; type=\"\(type)\"" }
}

extension [Link] {
    /// The array as JSON.
    var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}

/// A weak ETag: the change number and a hash of what else the answer depends on. Some stay for a minute in which a few
/// bytes may change, such as the sources of an event, so they cannot be strong ones (RFC 9110 §8.8.1).
enum EntityTag {
    /// - Parameters:
    ///   - change: The last change, or another word for the state of the data.
    ///   - parts: Program, representation, address.
    static func text(_ change: String, _ parts: [String]) -> String {
        "W/\"\(change)-\(FNV64.hex(parts.joined(separator: "\n")))\""
    }

    /// Whether the field `If-None-Match` names the tag (RFC 9110 §13.1.2, weak comparison). `*` names none here: the
    /// tag is known before it is known whether there is an answer.
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field == tag
            || field.split(separator: ",").contains { part in
                let text = part.trimmingCharacters(in: .whitespaces)
                return text == tag || "W/" + text == tag
            }
    }
}
