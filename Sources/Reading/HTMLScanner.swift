/// Splits HTML into text, decoded references and tags. Comments, scripts and style sheets are skipped.
struct HTMLScanner {
    /// A piece of HTML; ranges are byte offsets.
    enum Piece {
        /// Text without markup and references.
        case text(Range<Int>)
        /// A decoded reference.
        case character(Unicode.Scalar)
        /// A tag: its name, and the range from there to the closing bracket.
        case tag(name: Range<Int>, attributes: Range<Int>, isEnd: Bool)
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// Whether a search for a comment's end has failed. It is not repeated, which keeps hostile text linear.
    private var isWithoutCommentEnd = false
    private var isInCDATA = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The next piece; nil at the end.
    mutating func next() -> Piece? {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"):
                guard let reference = CharacterReference(bytes, at: index, end: bytes.count) else { break }
                index = reference.end
                return .character(reference.scalar ?? "\u{FFFD}")
            case UInt8(ascii: "<"):
                if let tag = readTag() { return tag }
                if skipDeclaration() { continue }
            case UInt8(ascii: "]"):
                if isInCDATA, bytes.reads("]]>", at: index) {
                    isInCDATA = false
                    index += 3
                    continue
                }
            default: break
            }
            // The byte at `index` is text, and so are all bytes up to the next special one.
            let start = index
            var end = index + 1
            while end < bytes.count, !Self.isSpecial(bytes[end]) { end += 1 }
            index = end
            return .text(start..<index)
        }
        return nil
    }

    @inline(__always) private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "]")
    }

    /// Reads the tag at `index`, including the content of a script or style sheet; nil when it is no tag.
    ///
    /// A `<` outside quotes before the closing bracket means that there is no tag. Quotes permute three states, so at
    /// any byte at most three begun tags are undecided, which keeps this linear.
    private mutating func readTag() -> Piece? {
        let isEnd = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "/")
        let start = index + (isEnd ? 2 : 1)
        guard start < bytes.count, bytes[start].isASCIILetter else { return nil }
        var nameEnd = start
        while nameEnd < bytes.count, Self.isNameByte(bytes[nameEnd]) { nameEnd += 1 }
        // `<john@example.org>` and `<http://…>` are text.
        guard nameEnd < bytes.count,
            bytes[nameEnd].isHTMLSpace || bytes[nameEnd] == UInt8(ascii: ">")
                || (bytes[nameEnd] == UInt8(ascii: "/") && bytes[nameEnd - 1] != UInt8(ascii: ":"))
        else { return nil }
        var close = nameEnd
        while close < bytes.count, bytes[close] != UInt8(ascii: ">") {
            let byte = bytes[close]
            if byte == UInt8(ascii: "<") { return nil }
            close += 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
            while close < bytes.count, bytes[close] != byte { close += 1 }
            close += 1
        }
        guard close < bytes.count else { return nil }
        index = close + 1
        // XHTML writes an empty script as `<script src="x"/>`.
        if !isEnd, bytes[close - 1] != UInt8(ascii: "/") { skipRawContent(of: start..<nameEnd) }
        return .tag(name: start..<nameEnd, attributes: nameEnd..<close, isEnd: isEnd)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
    }

    /// After `<script>` or `<style>`: moves to the end tag, or to the end of the text.
    private mutating func skipRawContent(of name: Range<Int>) {
        if name.count == 6, bytes.reads("script", at: name.lowerBound) {
            index = find("</script", from: index) ?? bytes.count
        } else if name.count == 5, bytes.reads("style", at: name.lowerBound) {
            index = find("</style", from: index) ?? bytes.count
        }
    }

    /// Skips a comment or declaration at `index`; false when there is none or a declaration has no end.
    private mutating func skipDeclaration() -> Bool {
        if bytes.reads("<!--", at: index) {
            if !isWithoutCommentEnd, let end = find("-->", from: index + 4) {
                index = end + 3
            } else {
                isWithoutCommentEnd = true
                index = bytes[index...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
            }
            return true
        }
        if bytes.reads("<![cdata[", at: index) {
            isInCDATA = true
            index += 9
            return true
        }
        guard bytes.reads("<!doctype", at: index) || bytes.reads("<?xml", at: index) else { return false }
        var close = index + 1
        while close < bytes.count, bytes[close] != UInt8(ascii: ">") {
            if bytes[close] == UInt8(ascii: "<") { return false }
            close += 1
        }
        guard close < bytes.count else { return false }
        index = close + 1
        return true
    }

    /// The offset of the next `word`; nil when there is none.
    private func find(_ word: StaticString, from start: Int) -> Int? {
        var offset = start
        while offset + word.utf8CodeUnitCount <= bytes.count {
            if bytes[offset] == word.utf8Start[0], bytes.reads(word, at: offset) { return offset }
            offset += 1
        }
        return nil
    }
}
