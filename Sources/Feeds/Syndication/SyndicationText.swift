import Foundation
import Model
import Reading

/// Texts, persons and dates as RSS and Atom write them.
enum SyndicationText {
    /// The plain text of a title, summary or content, in one line; nil when nothing is left.
    ///
    /// In Atom, `type` decides (RFC 4287 §3.1.1; Atom 0.3 writes media types), and what is neither text nor markup is
    /// left out. RSS has no types: everything is HTML, also elements that somebody forgot to escape.
    static func plain(_ node: XMLNode?) -> String? {
        guard let node else { return nil }
        let text: String
        if node.containsElements {
            text = HTMLText.plain(node.markup)
        } else {
            switch isAtom(node) ? node.attribute("type") ?? "text" : "html" {
            case "text", "text/plain": text = HTMLText.cleaned(node.text)
            case let type where type.hasSuffix("html") || type.hasSuffix("html+xml"): text = HTMLText.plain(node.text)
            default: return nil
            }
        }
        return text.isEmpty ? nil : text
    }

    private static func isAtom(_ node: XMLNode) -> Bool {
        let namespace = node.namespace
        return namespace == "http://www.w3.org/2005/Atom" || namespace == "http://purl.org/atom/ns#"
    }

    /// Stands in for a missing title: at most the first 80 characters, cut between words.
    static func headline(of summary: String) -> String {
        guard let limit = summary.index(summary.startIndex, offsetBy: 80, limitedBy: summary.endIndex),
            limit < summary.endIndex
        else { return summary }
        if summary[limit] == " " { return String(summary[..<limit]) }
        return String(summary[..<(summary[..<limit].lastIndex(of: " ") ?? limit)])
    }

    /// The writer of an item: an Atom person (RFC 4287 §3.2), or RSS' text; addresses of mail are dropped.
    static func author(_ node: XMLNode) -> Author? {
        guard node.containsElements else { return name(node.text).map { Author(name: $0) } }
        guard let person = node.child("name").flatMap({ name($0.text) }) else { return nil }
        return Author(name: person, link: HTMLText.webURL((node.child("uri") ?? node.child("url"))?.trimmed))
    }

    /// The name in `mail (Name)`, `Name <mail>` or a bare name; nil for a bare address.
    static func name(_ text: String) -> String? {
        let text = HTMLText.plain(text)
        if let open = text.firstIndex(of: "("), text.last == ")", text[..<open].utf8.contains(UInt8(ascii: "@")) {
            let name = HTMLText.cleaned(String(text[text.index(after: open)...].dropLast()))
            return name.isEmpty ? nil : name
        }
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text.isEmpty ? nil : text }
        // An @ within a word is an address, one before it a user's name.
        let words = text.split(separator: " ").filter { !$0.utf8.dropFirst().contains(UInt8(ascii: "@")) }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// A language tag as given; nil for what cannot be one (RFC 5646 §2.1).
    static func language(_ text: String?) -> String? {
        guard let text, (2...35).contains(text.utf8.count), text.utf8.allSatisfy({ isTagByte($0) }) else { return nil }
        return text
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}
