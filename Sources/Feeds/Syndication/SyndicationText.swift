import Foundation
import Model
import Reading

/// Texts and persons in RSS and Atom.
enum SyndicationText {
    /// The most characters of a title, a name or another short field. Facts of the feed are copied into each event.
    static let longestLine = 1000
    /// The most characters of a summary.
    static let longestSummary = 64 << 10

    /// The plain text of a title, summary or content, in one line and bounded; nil when nothing is left.
    ///
    /// In Atom, `type` decides (RFC 4287 §3.1.1; Atom 0.3 has media types). Other types are dropped in `content` and
    /// read as text elsewhere. RSS has no types: everything is HTML, even elements that are not escaped.
    static func plain(_ node: XMLNode?, limit: Int = longestLine) -> String? {
        guard let node else { return nil }
        let text: String
        if node.containsElements {
            text = HTMLText.plain(isAtom(node) ? node.markup : node.html)
        } else if isAtom(node) {
            switch mediaType(of: node) {
            case "text", "text/plain": text = cleanText(of: node)
            case let type where type.hasSuffix("html") || type.hasSuffix("html+xml"): text = htmlText(of: node)
            default:
                guard node.name != "content" else { return nil }
                text = cleanText(of: node)
            }
        } else {
            text = htmlText(of: node)
        }
        return text.isEmpty ? nil : HTMLText.bounded(text, limit)
    }

    /// The text of a simple element, cleaned, in one line and bounded; nil when nothing is left.
    static func line(_ node: XMLNode) -> String? {
        let text = cleanText(of: node)
        return text.isEmpty ? nil : HTMLText.bounded(text, longestLine)
    }

    /// The text of a simple element, read as HTML; `""` when nothing is left.
    static func htmlText(of node: XMLNode) -> String { node.withText { HTMLText.plain($0) } }

    private static func cleanText(of node: XMLNode) -> String { node.withText { HTMLText.cleaned($0) } }

    /// Atom's type in lower case, without the parameters of a media type.
    private static func mediaType(of node: XMLNode) -> String {
        let type = (node.attribute("type") ?? "").prefix { $0 != ";" }
        let word = HTMLText.cleaned(String(type)).lowercased()
        return word.isEmpty ? "text" : word
    }

    private static func isAtom(_ node: XMLNode) -> Bool {
        let namespace = node.namespace
        guard !namespace.isEmpty else { return false }
        return namespace == "http://www.w3.org/2005/Atom" || namespace == "http://purl.org/atom/ns#"
    }

    /// A substitute for a missing title: at most the first 80 characters, cut between words.
    static func headline(of summary: String) -> String {
        // A character may have any number of combining marks.
        let summary = HTMLText.bounded(summary, 400)
        guard let limit = summary.index(summary.startIndex, offsetBy: 80, limitedBy: summary.endIndex),
            limit < summary.endIndex
        else { return summary }
        if summary[limit] == " " { return String(summary[..<limit]) }
        return String(summary[..<(summary[..<limit].lastIndex(of: " ") ?? limit)])
    }

    /// The author of an item: an Atom person (RFC 4287 §3.2) or RSS text, without mail addresses.
    static func author(_ node: XMLNode) -> Author? {
        func bounded(_ node: XMLNode) -> String? { name(node.text).map { HTMLText.bounded($0, longestLine) } }
        guard node.containsElements else { return bounded(node).map { Author(name: $0) } }
        guard let person = node.child("name").flatMap({ bounded($0) }) else { return nil }
        return Author(name: person, link: HTMLText.webURL((node.child("uri") ?? node.child("url"))?.trimmed))
    }

    /// The name in `mail (Name)`, `Name <mail>` or a bare name; nil for a bare address.
    static func name(_ text: String) -> String? {
        // No name needs more, so the words are few.
        let text = HTMLText.bounded(HTMLText.plain(text), 4 * longestLine)
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text.isEmpty ? nil : text }
        if let open = text.firstIndex(of: "("), text.last == ")", text[..<open].utf8.contains(UInt8(ascii: "@")) {
            let name = HTMLText.cleaned(String(text[text.index(after: open)...].dropLast()))
            return name.isEmpty ? nil : name
        }
        // An @ inside a word makes a mail address, one at its start a user name.
        let words = text.split(separator: " ").filter { !$0.utf8.dropFirst().contains(UInt8(ascii: "@")) }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
