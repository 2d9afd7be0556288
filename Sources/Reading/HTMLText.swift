public import Model

/// Extracts plain text from HTML and cleans text for display.
///
/// All functions are linear in the length of the text, even for hostile input.
public enum HTMLText {
    /// The visible text of HTML, in one line; empty if there is none.
    ///
    /// Tags and comments are removed, scripts and style sheets with their content. Block elements and line breaks
    /// become a space. References are decoded once. The result is cleaned as by `cleaned(_:)`. A `<` that begins no
    /// whole tag is text. An unclosed script or style sheet extends to the end, an unclosed comment to the next `>` or
    /// else to the end.
    public static func plain(_ html: String) -> String {
        var bytes = html
        return bytes.withUTF8 { isPlain($0) ? html : withoutMarkup($0) }
    }

    /// As `plain(_:)`, for UTF-8 text.
    public static func plain(_ html: UnsafeBufferPointer<UInt8>) -> String {
        isPlain(html) ? String(decoding: html, as: UTF8.self) : withoutMarkup(html)
    }

    /// Whether nothing needs to be done, as for most titles and names.
    private static func isPlain(_ html: UnsafeBufferPointer<UInt8>) -> Bool {
        !html.holds(UInt8(ascii: "<")) && !html.holds(UInt8(ascii: "&")) && CleanText.isClean(html)
    }

    private static func withoutMarkup(_ html: UnsafeBufferPointer<UInt8>) -> String {
        var text = CleanText(capacity: html.count)
        var scanner = HTMLScanner(html)
        while let piece = scanner.next() {
            switch piece {
            case .text(let range): text.append(html, range)
            case .character(let scalar): text.append(scalar)
            case .tag(let name, _, _): if HTMLBlocks.contains(html[name]) { text.appendSpace() }
            }
        }
        return text.finished
    }

    /// The text with its character references decoded once and otherwise unchanged.
    ///
    /// Names are those of HTML 4.01 §24, `&apos;` and six in capitals (`&AMP;`); they need the semicolon, numbers do
    /// not. Unknown names stay. 128…159 are read as windows-1252 (HTML §13.2.5.80). The two halves of a surrogate pair
    /// become one character, other numbers that are no character U+FFFD.
    public static func decodingEntities(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.holds(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
            return String(decoding: decoded(bytes, bytes.indices), as: UTF8.self)
        }
    }

    /// The text in one line: control characters, U+200B, U+2060, U+FEFF and the bidirectional controls U+202A…U+202E
    /// and U+2066…U+2069 are removed, and white space becomes single spaces, with none at the ends.
    public static func cleaned(_ text: String) -> String {
        var bytes = text
        return bytes.withUTF8 { CleanText.isClean($0) ? text : collected($0) }
    }

    /// As `cleaned(_:)`, for UTF-8 text.
    public static func cleaned(_ text: UnsafeBufferPointer<UInt8>) -> String {
        CleanText.isClean(text) ? String(decoding: text, as: UTF8.self) : collected(text)
    }

    private static func collected(_ text: UnsafeBufferPointer<UInt8>) -> String {
        var clean = CleanText(capacity: text.count)
        clean.append(text, text.indices)
        return clean.finished
    }

    /// The most links or images of a text that are returned.
    private static let maximumLinks = 1000

    /// The `href` values of the first 1000 `<a>`, in order, cleaned and with references decoded; empty ones are left
    /// out. Repeated and relative ones stay as they are; `absolute(_:base:)` resolves them.
    public static func links(_ html: String) -> [String] { values(of: "href", in: "a", html) }

    /// The `src` values of the first 1000 `<img>`, treated as in `links(_:)`.
    public static func images(_ html: String) -> [String] { values(of: "src", in: "img", html) }

    private static func values(of wanted: StaticString, in tag: String, _ html: String) -> [String] {
        var html = html
        return html.withUTF8 { bytes in
            var found: [String] = []
            var scanner = HTMLScanner(bytes)
            while found.count < maximumLinks, let piece = scanner.next() {
                guard case .tag(let name, let attributes, let isEnd) = piece, !isEnd,
                    bytes[name].lazy.map({ $0 | 0x20 }).elementsEqual(tag.utf8),
                    let value = attribute(wanted, in: bytes, attributes)
                else { continue }
                let link = cleaned(String(decoding: decoded(bytes, value), as: UTF8.self))
                if !link.isEmpty { found.append(link) }
            }
            return found
        }
    }

    /// The text as an absolute http or https URL; nil for any other text.
    ///
    /// White space around the URL, and line ends and tabs inside it, are removed (WHATWG URL §4.4). Spaces, control
    /// characters, `"`, `<`, `>`, `\` and direction characters are percent-encoded. Character references stay. Other
    /// schemes (`javascript:`, `data:`), user names, ports outside 1…65535 and more than 8,192 bytes are refused.
    public static func webURL(_ text: String?) -> String? { webParts(text)?.text }

    /// As `webURL(_:)`, split into its parts; nil for nil and for any other text.
    public static func webParts(_ text: String?) -> URLParts? { text.flatMap { URLReference.webParts($0) } }

    /// The web URL of a reference, absolute or relative to `base` (RFC 3986 §5.2), in the form of `webURL(_:)`.
    ///
    /// Nil for a reference that is empty, contains white space or has another scheme, and for a relative one without a
    /// web URL as base.
    public static func absolute(_ reference: String, base: String?) -> String? {
        webParts(reference, base: webParts(base))?.text
    }

    /// As `absolute(_:base:)`, split into its parts. `base` is a web URL, or nil for absolute references only.
    public static func webParts(_ reference: String, base: URLParts?) -> URLParts? {
        let url = URLReference(reference)
        if let own = url.webParts { return own }
        guard let base, !cleaned(reference).utf8.contains(0x20) else { return nil }
        return url.resolved(against: base)
    }

    /// The text, cut to `limit` characters (Unicode scalars) if it is longer. The cut text ends in `…`, which is
    /// included in the limit; a limit of 0 or less gives an empty text.
    ///
    /// The cut does not split grapheme clusters of up to 32 scalars.
    public static func bounded(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let scalars = text.unicodeScalars
        let start = scalars.startIndex
        guard let end = scalars.index(start, offsetBy: max(0, limit), limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        guard limit > 0 else { return "" }
        var cut = scalars.index(before: end)
        // A longer pile of combining marks is not worth the search.
        var tries = 32
        while cut > start, tries > 0, String.Index(cut, within: text) == nil {
            cut = scalars.index(before: cut)
            tries -= 1
        }
        return String(scalars[..<cut]) + "…"
    }

    /// A trimmed language tag of 2 to 35 ASCII letters, digits and hyphens (RFC 5646 §2.1), in the case given; nil for
    /// any other text and for nil. Whether the language exists is not checked.
    public static func language(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 100 else { return nil }
        let tag = cleaned(text)
        guard (2...35).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") })
        else { return nil }
        return tag
    }

    // MARK: Helpers

    private static func decoded(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "&"),
                let reference = CharacterReference(bytes, at: index, end: range.upperBound)
            {
                out.append(scalar: reference.scalar ?? "\u{FFFD}")
                index = reference.end
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return out
    }

    /// The range of an attribute's value among the attributes of a tag; nil when it is missing.
    private static func attribute(
        _ wanted: StaticString, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Range<Int>? {
        var index = range.lowerBound
        let end = range.upperBound
        while index < end {
            while index < end, bytes[index].isHTMLSpace || bytes[index] == UInt8(ascii: "/") { index += 1 }
            let name = index
            while index < end, !bytes[index].isHTMLSpace, bytes[index] != UInt8(ascii: "=") { index += 1 }
            let nameEnd = index
            while index < end, bytes[index].isHTMLSpace { index += 1 }
            guard index < end, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            while index < end, bytes[index].isHTMLSpace { index += 1 }
            let value: Range<Int>
            if index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
                let quote = bytes[index]
                index += 1
                let start = index
                while index < end, bytes[index] != quote { index += 1 }
                value = start..<index
                if index < end { index += 1 }
            } else {
                let start = index
                while index < end, !bytes[index].isHTMLSpace { index += 1 }
                value = start..<index
            }
            let isWanted =
                nameEnd - name == wanted.utf8CodeUnitCount
                && (0..<nameEnd - name).allSatisfy { bytes[name + $0] | 0x20 == wanted.utf8Start[$0] }
            if isWanted { return value }
        }
        return nil
    }
}

extension UInt8 {
    /// Whether the byte is white space in HTML.
    var isHTMLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
