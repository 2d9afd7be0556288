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
    /// In Atom, `type` decides (RFC 4287 §3.1.1 and §4.1.3.3): text, HTML or XML, else base64. What is no text in
    /// base64 is dropped in `content` and read as text elsewhere. RSS has no types: everything is HTML, even elements
    /// that are not escaped.
    static func plain(_ node: XMLNode?, limit: Int = longestLine) -> String? {
        guard let node else { return nil }
        let text: String
        if node.containsElements {
            text = HTMLText.plain(isAtom(node) ? node.markup : node.html)
        } else if isAtom(node) {
            text = atomText(of: node)
        } else {
            text = htmlText(of: node)
        }
        return text.isEmpty ? nil : HTMLText.bounded(text, limit)
    }

    private static func atomText(of node: XMLNode) -> String {
        let type = mediaType(of: node)
        guard isBase64(node, type) else { return isMarkup(type) ? htmlText(of: node) : cleanText(of: node) }
        if let text = bytes(of: node).flatMap({ words(in: $0) }) {
            return isPlain(type) ? HTMLText.cleaned(text) : HTMLText.plain(text)
        }
        return node.name == "content" || node.attribute("mode") != nil ? "" : cleanText(of: node)
    }

    // MARK: Base64

    /// Whether an element without text (`plain`) should be text in base64 and is not.
    static func isBadBase64(_ node: XMLNode) -> Bool {
        guard isAtom(node), !node.containsElements else { return false }
        let type = mediaType(of: node)
        guard isBase64(node, type) else { return false }
        guard let data = bytes(of: node) else { return true }
        return (isPlain(type) || isMarkup(type)) && words(in: data) == nil
    }

    /// Whether an Atom element is in base64: by `mode` (Atom 0.3), else by a media type. Words such as `plain` are none.
    private static func isBase64(_ node: XMLNode, _ type: String) -> Bool {
        if let mode = node.attribute("mode") { return mode.lowercased() == "base64" }
        return type.contains("/") && !isPlain(type) && !isMarkup(type)
    }

    /// The bytes that an element holds in base64, white space left out; nil for other text.
    private static func bytes(of node: XMLNode) -> Data? {
        let text = node.withText { bytes in Data(bytes.filter { $0 > 0x20 }) }
        return Data(base64Encoded: text)
    }

    /// The bytes as text; nil for other encodings than UTF-8 and for control characters, as of pictures.
    private static func words(in bytes: Data) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: Simple elements

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

    /// Whether Atom's type is text without markup, such as `text` or `text/markdown`.
    private static func isPlain(_ type: String) -> Bool {
        (type == "text" || type.hasPrefix("text/")) && !isMarkup(type)
    }

    /// Whether Atom's type is HTML, XHTML or XML.
    private static func isMarkup(_ type: String) -> Bool { type.hasSuffix("html") || type.hasSuffix("xml") }

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
