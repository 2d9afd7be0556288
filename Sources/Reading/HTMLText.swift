public import Model

/// Plain text out of HTML, and text that is fit to be shown.
///
/// All functions take time in proportion to the text, whatever it holds.
public enum HTMLText {
    /// The text a reader of the page would see, in one line.
    ///
    /// Tags and comments go, scripts and style sheets with their content; block elements and line breaks become a
    /// space; references are decoded once; then as `cleaned(_:)`. A `<` that begins no whole tag is text. A script or
    /// style sheet that does not end goes to the end, a comment that does not end to the next `>` or else to the end.
    public static func plain(_ html: String) -> String {
        var bytes = html
        return bytes.withUTF8 { isPlain($0) ? html : withoutMarkup($0) }
    }

    /// As `plain(_:)`, of text in UTF-8.
    public static func plain(_ html: UnsafeBufferPointer<UInt8>) -> String {
        isPlain(html) ? String(decoding: html, as: UTF8.self) : withoutMarkup(html)
    }

    /// Whether nothing is to be done, as with most titles and names.
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

    /// The text with its character references decoded once; everything else stays.
    ///
    /// A number that is no character becomes U+FFFD; unknown names stay as they are.
    public static func decodingEntities(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.holds(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
            return String(decoding: decoded(bytes, bytes.indices), as: UTF8.self)
        }
    }

    /// The text in one line: control characters, U+200B, U+FEFF and those that turn the direction of text gone, runs of
    /// white space made one space, none at the ends.
    public static func cleaned(_ text: String) -> String {
        var bytes = text
        return bytes.withUTF8 { CleanText.isClean($0) ? text : collected($0) }
    }

    /// As `cleaned(_:)`, of text in UTF-8.
    public static func cleaned(_ text: UnsafeBufferPointer<UInt8>) -> String {
        CleanText.isClean(text) ? String(decoding: text, as: UTF8.self) : collected(text)
    }

    private static func collected(_ text: UnsafeBufferPointer<UInt8>) -> String {
        var clean = CleanText(capacity: text.count)
        clean.append(text, text.indices)
        return clean.finished
    }

    /// The `href` values of all `<a>`, in order, trimmed and with their references decoded; empty ones left out.
    public static func links(_ html: String) -> [String] { values(of: "href", in: "a", html) }

    /// The `src` values of all `<img>`, likewise.
    public static func images(_ html: String) -> [String] { values(of: "src", in: "img", html) }

    private static func values(of wanted: StaticString, in tag: String, _ html: String) -> [String] {
        var html = html
        return html.withUTF8 { bytes in
            var found: [String] = []
            var scanner = HTMLScanner(bytes)
            while let piece = scanner.next() {
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

    /// The text as a web address if it is an absolute http or https URL with a host, else nil.
    ///
    /// White space around it goes, line ends and tabs inside it too (WHATWG URL §4.4); spaces, controls, `"`, `<`, `>`,
    /// `\` and the characters that turn the direction of text are percent-encoded; references in it are left alone.
    /// Refused are other schemes (`javascript:`, `data:`), a user in front of the host, ports outside 1…65535 and more
    /// than 8,192 bytes.
    public static func webURL(_ text: String?) -> String? { webParts(text)?.text }

    /// As `webURL(_:)`, taken apart.
    public static func webParts(_ text: String?) -> URLParts? { text.flatMap { URLReference.webParts($0) } }

    /// The web address that a reference means, absolute or relative to `base` (RFC 3986 §5.2); then as `webURL(_:)`.
    ///
    /// Nil for a reference that is empty, has white space inside or another scheme, and for a relative one without a
    /// base that is a web address.
    public static func absolute(_ reference: String, base: String?) -> String? {
        webParts(reference, base: webParts(base))?.text
    }

    /// As `absolute(_:base:)`, taken apart; `base` is a web address.
    public static func webParts(_ reference: String, base: URLParts?) -> URLParts? {
        let url = URLReference(reference)
        if let own = url.webParts { return own }
        guard let base, !cleaned(reference).utf8.contains(0x20) else { return nil }
        return url.resolved(against: base)
    }

    /// The text if it has at most `limit` characters (Unicode scalars), else its beginning with `…`, which counts too.
    ///
    /// The cut is between what a reader takes for characters.
    public static func bounded(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let scalars = text.unicodeScalars
        let start = scalars.startIndex
        guard let end = scalars.index(start, offsetBy: max(0, limit), limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        guard limit > 0 else { return "" }
        var cut = scalars.index(before: end)
        // A pile of combining marks is not worth a longer search.
        var tries = 32
        while cut > start, tries > 0, String.Index(cut, within: text) == nil {
            cut = scalars.index(before: cut)
            tries -= 1
        }
        return String(scalars[..<cut]) + "…"
    }

    /// A language tag without white space around it; nil for what cannot be one: 2…35 ASCII letters, digits and hyphens
    /// (RFC 5646 §2.1).
    public static func language(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 100 else { return nil }
        let tag = cleaned(text)
        guard (2...35).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") })
        else { return nil }
        return tag
    }

    // MARK: Helpers

    /// The bytes in the range with references decoded.
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

    /// Where the value of an attribute stands among the attributes of a tag.
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
    /// Whether it is white space of HTML.
    var isHTMLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
