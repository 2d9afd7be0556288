import Model

/// Text in XML 1.0 documents.
package enum XMLText {
    /// The first line of a document.
    package static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// Text for elements and quoted attributes: no character of it is markup. U+FFFD stands for those that XML forbids
    /// (XML 1.0 §2.2) and for those that garble the text around them; tabs and line feeds stay.
    package static func escaped(_ text: String) -> String {
        text.replacing { character, out in
            switch character {
            case "\t", "\n": return false
            case "'": out.append(contentsOf: "&#39;".utf8)
            // As it is, a parser would make a line feed of it.
            case "\r": out.append(contentsOf: "&#13;".utf8)
            case "\u{FFFE}", "\u{FFFF}": out.append(scalar: "\u{FFFD}")
            default:
                guard character.isUnsafeToShow else { return out.append(reference: character) }
                out.append(scalar: "\u{FFFD}")
            }
            return true
        }
    }

    /// The element with this text; empty without a text.
    static func element(_ name: String, _ text: String?) -> String {
        guard let text else { return "" }
        return "<\(name)>\(escaped(text))</\(name)>"
    }

    /// The address if it is one of http or https; nil otherwise. Any other may run a script, such as `javascript:`.
    static func webAddress(_ text: String?) -> String? {
        guard let text, let parts = URLParts(text), parts.isWeb, parts.hasHost else { return nil }
        return text
    }
}
