import Model

/// Text in XML 1.0 documents.
enum XMLText {
    /// The first line of a document.
    static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// Text for elements and quoted attributes: no character of it is markup. U+FFFD stands for those that XML forbids
    /// (XML 1.0 §2.2) and for those that garble the text around them; tabs and line feeds stay.
    static func escaped(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            switch character {
            case "&": out.append(contentsOf: "&amp;".unicodeScalars)
            case "<": out.append(contentsOf: "&lt;".unicodeScalars)
            case ">": out.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": out.append(contentsOf: "&quot;".unicodeScalars)
            case "'": out.append(contentsOf: "&#39;".unicodeScalars)
            case "\t", "\n": out.append(character)
            // As it is, a parser would make a line feed of it.
            case "\r": out.append(contentsOf: "&#13;".unicodeScalars)
            case "\u{FFFE}", "\u{FFFF}": out.append("\u{FFFD}")
            default: out.append(character.isUnsafeToShow ? "\u{FFFD}" : character)
            }
        }
        return String(out)
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
