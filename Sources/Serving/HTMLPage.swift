import Model

/// Small pages without script and style, for people.
enum HTMLPage {
    /// A page with this title and content, which must be HTML.
    static func page(_ title: String, _ content: String) -> String { head(title) + content + tail }

    /// The beginning of a page up to its heading.
    static func head(_ title: String) -> String {
        let title = escaped(title)
        return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>\(title)</title></head>"
            + "<body><h1>\(title)</h1>\n"
    }

    static let tail = "</body></html>\n"

    /// A list of links.
    static func list(_ links: [Link]) -> String {
        let lines = links.map { "<li>" + anchor($0.href, $0.title) + "</li>\n" }
        return "<ul>\n" + lines.joined() + "</ul>\n"
    }

    /// A link; the bare text unless the address is http or https.
    static func anchor(_ href: String, _ text: String) -> String {
        guard let parts = URLParts(href), parts.isWeb else { return escaped(text) }
        return "<a rel=\"noopener noreferrer nofollow\" href=\"\(escaped(href))\">\(escaped(text))</a>"
    }

    /// The row of a table from cells of HTML; `tag` is `td` or `th`.
    static func row(_ cells: [String], _ tag: String = "td") -> String {
        "<tr>" + cells.map { "<\(tag)>\($0)</\(tag)>" }.joined() + "</tr>\n"
    }

    /// Text for elements and quoted attributes: no character of it is markup, and none garbles the text around it.
    static func escaped(_ text: String) -> String {
        text.safeToShow.replacing { character, out in
            guard character == "'" else { return out.append(reference: character) }
            out.append(contentsOf: "&#39;".utf8)
            return true
        }
    }
}
