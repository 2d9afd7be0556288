/// The block elements of HTML. Their tags separate words.
enum HTMLBlocks {
    /// Whether a tag name, in any case, belongs to a block element.
    static func contains(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard name.count <= longestName, beginnings[name.count] & beginning(of: name) != 0 else { return false }
        return numbers.contains(number(of: name))
    }

    private static let longestName = 10

    /// Ordered by how often feeds use them.
    private static let names = [
        "p", "br", "div", "li", "td", "tr", "ul", "table", "tbody", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
        "blockquote", "figure", "figcaption", "section", "article", "ol", "th", "thead", "dd", "dl", "dt", "pre",
        "address", "aside", "caption", "center", "details", "fieldset", "footer", "form", "header", "main", "nav",
        "option", "summary", "tfoot", "title",
    ]

    private static let numbers: [UInt64] = names.map { HTMLBlocks.number(of: $0.utf8) }

    /// For each length of a name, one bit for each first character. These bits alone exclude `a` and `img`.
    private static let beginnings: [UInt64] =
        names.reduce(into: Array(repeating: 0, count: longestName + 1)) { beginnings, name in
            beginnings[name.utf8.count] |= HTMLBlocks.beginning(of: name.utf8)
        }

    private static func beginning(of name: some Sequence<UInt8>) -> UInt64 { 1 << number(of: name.prefix(1)) }

    /// A unique number for a name of up to ten ASCII letters, digits, hyphens and colons, with six bits a character.
    private static func number(of name: some Sequence<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for byte in name {
            // a…z become 1…26; the bytes 0x2D…0x3A become 33…46.
            number = number << 6 | UInt64(byte >= 0x41 ? byte & 0x1F : byte &- 12)
        }
        return number
    }
}
