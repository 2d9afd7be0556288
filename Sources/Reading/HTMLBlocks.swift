/// The elements of HTML that stand apart from the text around them, so that a tag of theirs parts words.
enum HTMLBlocks {
    /// Whether a tag's name, in any case, is one of them.
    static func contains(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard name.count <= longestName, beginnings[name.count] & beginning(of: name) != 0 else { return false }
        return numbers.contains(number(of: name))
    }

    private static let longestName = 10

    /// In the order in which feeds use them.
    private static let names = [
        "p", "br", "div", "li", "td", "tr", "ul", "table", "tbody", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
        "blockquote", "figure", "figcaption", "section", "article", "ol", "th", "thead", "dd", "dl", "dt", "pre",
        "address", "aside", "caption", "center", "details", "fieldset", "footer", "form", "header", "main", "nav",
        "option", "summary", "tfoot", "title",
    ]

    private static let numbers: [UInt64] = names.map { HTMLBlocks.number(of: $0.utf8) }

    /// By length, a bit for each character that names begin with; `a` and `img` are told apart by these alone.
    private static let beginnings: [UInt64] =
        names.reduce(into: Array(repeating: 0, count: longestName + 1)) { beginnings, name in
            beginnings[name.utf8.count] |= HTMLBlocks.beginning(of: name.utf8)
        }

    private static func beginning(of name: some Sequence<UInt8>) -> UInt64 { 1 << number(of: name.prefix(1)) }

    /// A name of ASCII letters, digits, hyphens and colons as a number that is no other name's: six bits a character
    /// leave room for ten.
    private static func number(of name: some Sequence<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for byte in name {
            // a…z become 1…26, the others, from 0x2D to 0x3A, 33…46.
            number = number << 6 | UInt64(byte >= 0x41 ? byte & 0x1F : byte &- 12)
        }
        return number
    }
}
