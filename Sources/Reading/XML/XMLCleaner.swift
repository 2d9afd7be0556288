import Foundation

/// Hands a document to libxml2 piece by piece and mends on the way what would make libxml2 lose text, items or time.
///
/// The input is UTF-8. What comes out has one root element, tags that are well-formed and closed in order, and no
/// document type:
/// - characters that XML forbids are left out (XML 1.0 §2.2);
/// - HTML's named entities become characters; `&` and `<` that begin nothing become text;
/// - an end tag closes all elements inside its own, and one that closes nothing is left out;
/// - a document type is skipped with its entity declarations, so there is nothing to expand;
/// - the text ends with the root element.
///
/// It copies nothing but what it hands out, keeps lines where they are, and looks at each byte a fixed number of times.
struct XMLCleaner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    /// Where the document ends: after the root element once that is closed.
    private var end: Int
    /// The next byte to hand out.
    private var position = 0
    /// Bytes before this offset are handed out unexamined but for forbidden characters.
    private var rawEnd = 0
    /// What is handed out before the byte at `position`.
    private var pending: [UInt8] = []
    private var pendingStart = 0
    /// Where the names of the open elements stand.
    private var openNames: [Range<Int>] = []
    private var lineNumber = 1
    private var lineOffset = 0
    private var hasNotedForbidden = false

    /// Whether the root element has been closed.
    private(set) var isRootClosed = false
    /// Why nothing more is handed out.
    private(set) var failure: ReadingError?
    /// What was mended; at most `XMLCleaner.maximumProblems`.
    private(set) var problems: [XMLProblem] = []

    /// Problems kept for one document.
    static let maximumProblems = 100
    /// Attributes of one element; libxml2 compares each with each.
    private static let maximumAttributes = 1000

    /// Finds the root element.
    /// - Throws: `empty`, `html_page` or `not_xml`.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(ReadingError) {
        self.bytes = bytes
        self.maximumDepth = max(1, maximumDepth)
        end = bytes.count
        try skipProlog()
    }

    /// Fills `output` with the next bytes; 0 is the end.
    mutating func read(into output: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        var count = 0
        while count < capacity {
            if pendingStart < pending.count {
                output[count] = pending[pendingStart]
                count += 1
                pendingStart += 1
                continue
            }
            guard failure == nil, position < end, let base = bytes.baseAddress else { break }
            let isRaw = position < rawEnd
            let runEnd = min(isRaw ? rawEnd : end, position + capacity - count)
            var index = position
            if isRaw {
                while index < runEnd, !Self.isForbidden(bytes[index]) { index += 1 }
            } else {
                while index < runEnd, !Self.isSpecial(bytes[index]) { index += 1 }
            }
            if index > position {
                (output + count).update(from: base + position, count: index - position)
                count += index - position
                position = index
            }
            guard index < runEnd else { continue }
            if handleSpecial() {
                output[count] = bytes[position]
                count += 1
                position += 1
            }
        }
        return count
    }

    // MARK: Characters

    /// Bits of `&`, `<` and the control characters without tab, line feed and carriage return.
    private static let specialBits: UInt64 = 0xFFFF_D9FF | 1 << 0x26 | 1 << 0x3C
    private static let controlBits: UInt64 = 0xFFFF_D9FF

    /// Whether a byte outside CDATA, comments and names must be looked at.
    @inline(__always) private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 64 ? (specialBits &>> UInt64(byte)) & 1 != 0 : byte == 0x5D || byte == 0xEF
    }

    /// Whether a byte is a forbidden character or may begin one (U+FFFE, U+FFFF).
    @inline(__always) private static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 32 ? (controlBits &>> UInt64(byte)) & 1 != 0 : byte == 0xEF
    }

    /// Deals with the special byte at `position`; true when it is to be handed out as it is.
    private mutating func handleSpecial() -> Bool {
        switch bytes[position] {
        case 0xEF:
            guard position + 2 < end, bytes[position + 1] == 0xBF, bytes[position + 2] >= 0xBE else { return true }
            skipForbidden(3)
        case UInt8(ascii: "]"):
            // libxml2 loses a bracket of `]]>` outside CDATA.
            guard position + 2 < end, bytes[position + 1] == 0x5D, bytes[position + 2] == 0x3E else { return true }
            replace(with: "]]&gt;", upTo: position + 3)
        case UInt8(ascii: "&"): readReference()
        case UInt8(ascii: "<"): readMarkup()
        default: skipForbidden(1)
        }
        return false
    }

    private mutating func skipForbidden(_ count: Int) {
        if !hasNotedForbidden { note("characters that XML forbids were left out") }
        hasNotedForbidden = true
        position += count
    }

    private mutating func replace(with text: String, upTo next: Int) {
        pending = Array(text.utf8)
        pendingStart = 0
        position = next
    }

    /// Looks at `&`: a reference goes through or is spelled so that XML knows it, anything else is an ampersand.
    private mutating func readReference() {
        if let after = predefinedEnd {
            rawEnd = after
            return
        }
        guard let reference = CharacterReference(bytes, at: position, end: end), reference.isTerminated else {
            note("an ampersand that begins no known reference was taken as text")
            return replace(with: "&amp;", upTo: position + 1)
        }
        guard let scalar = reference.scalar, Self.isAllowed(scalar) else {
            note("a reference to a character that XML forbids was left out")
            position = reference.end
            return
        }
        if reference.isXML {
            rawEnd = reference.end
        } else {
            replace(with: "&#\(scalar.value);", upTo: reference.end)
        }
    }

    /// The end of one of XML's own five entities at `position`.
    private var predefinedEnd: Int? {
        if has("&lt;", at: position) || has("&gt;", at: position) { return position + 4 }
        if has("&amp;", at: position) { return position + 5 }
        return has("&quot;", at: position) || has("&apos;", at: position) ? position + 6 : nil
    }

    /// XML 1.0 §2.2.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    // MARK: Markup

    /// Looks at `<`: markup that is whole goes through, a document that ends within ends here, the rest is text.
    private mutating func readMarkup() {
        guard position + 1 < end else { return stop() }
        switch bytes[position + 1] {
        case UInt8(ascii: "/"): readEndTag()
        case UInt8(ascii: "!"):
            if has("<!--", at: position) {
                passSection(from: position + 4, to: "-->")
            } else if has("<![CDATA[", at: position) {
                passSection(from: position + 9, to: "]]>")
            } else if has("<!--", at: position, orItsBeginning: true)
                || has("<![CDATA[", at: position, orItsBeginning: true)
            {
                stop()
            } else {
                takeAsText()
            }
        case UInt8(ascii: "?"):
            guard position + 2 < end else { return stop() }
            if nameEnd(from: position + 2) > position + 2 {
                passSection(from: position + 2, to: "?>")
            } else {
                takeAsText()
            }
        default: readStartTag()
        }
    }

    /// The document breaks off here.
    private mutating func stop() {
        position = end
        rawEnd = end
    }

    private mutating func takeAsText() {
        note("a < that begins no whole tag was taken as text")
        replace(with: "&lt;", upTo: position + 1)
    }

    private mutating func passSection(from start: Int, to terminator: StaticString) {
        guard let after = find(terminator, from: start) else {
            note("the document ends within a comment, CDATA section or processing instruction")
            return stop()
        }
        rawEnd = after
    }

    private mutating func readStartTag() {
        let name = position + 1..<nameEnd(from: position + 1)
        guard !name.isEmpty else { return takeAsText() }
        var index = name.upperBound
        var attributes = 0
        var hasReference = false
        while true {
            let afterSpace = spaceEnd(from: index)
            guard afterSpace < end else { return stop() }
            let byte = bytes[afterSpace]
            if byte == UInt8(ascii: ">") {
                index = afterSpace + 1
                openNames.append(name)
                break
            }
            if byte == UInt8(ascii: "/") {
                guard afterSpace + 1 < end else { return stop() }
                guard bytes[afterSpace + 1] == UInt8(ascii: ">") else { return takeTagAsText() }
                index = afterSpace + 2
                if openNames.isEmpty { closeRoot(at: index) }
                break
            }
            // Attribute: Name Eq AttValue (XML 1.0 §3.1), with white space before it.
            let attributeEnd = nameEnd(from: afterSpace)
            guard afterSpace > index, attributeEnd > afterSpace else { return takeTagAsText() }
            index = spaceEnd(from: attributeEnd)
            guard index < end else { return stop() }
            guard bytes[index] == UInt8(ascii: "=") else { return takeTagAsText() }
            index = spaceEnd(from: index + 1)
            guard index < end else { return stop() }
            let quote = bytes[index]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return takeTagAsText() }
            index += 1
            while index < end, bytes[index] != quote {
                if bytes[index] == UInt8(ascii: "<") { return takeTagAsText() }
                if bytes[index] == UInt8(ascii: "&") { hasReference = true }
                index += 1
            }
            guard index < end else { return stop() }
            index += 1
            attributes += 1
            guard attributes <= Self.maximumAttributes else {
                return fail("too_large", "an element has more than \(Self.maximumAttributes) attributes")
            }
        }
        guard openNames.count <= maximumDepth else {
            return fail("too_deep", "the XML is nested more than \(maximumDepth) elements deep")
        }
        rawEnd = hasReference ? name.upperBound : index
    }

    private mutating func takeTagAsText() {
        if openNames.isEmpty { return fail("not_xml", "the root element's start tag is broken") }
        takeAsText()
    }

    private mutating func readEndTag() {
        guard position + 2 < end else { return stop() }
        let name = position + 2..<nameEnd(from: position + 2)
        guard !name.isEmpty else { return takeAsText() }
        var after = name.upperBound
        while after < end, bytes[after] != UInt8(ascii: ">"), bytes[after] != UInt8(ascii: "<") { after += 1 }
        guard after < end else { return stop() }
        let isWhole = bytes[after] == UInt8(ascii: ">") && spaceEnd(from: name.upperBound) == after
        if bytes[after] == UInt8(ascii: ">") { after += 1 }
        guard let level = openNames.lastIndex(where: { isSame($0, name) }) else {
            note("an end tag that closes nothing was left out")
            position = after
            return
        }
        if isWhole && level == openNames.count - 1 {
            rawEnd = after
        } else {
            note("an end tag was missing or broken and has been supplied")
            var tags = ""
            for range in openNames[level...].reversed() {
                tags += "</" + String(decoding: bytes[range], as: UTF8.self) + ">"
            }
            replace(with: tags, upTo: after)
        }
        openNames.removeLast(openNames.count - level)
        if openNames.isEmpty { closeRoot(at: after) }
    }

    private mutating func closeRoot(at offset: Int) {
        isRootClosed = true
        end = offset
    }

    private func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count, let base = bytes.baseAddress else { return false }
        return memcmp(base + one.lowerBound, base + other.lowerBound, one.count) == 0
    }

    // MARK: Prolog

    /// Skips what stands before the root element and leaves its line ends, so that line numbers stay right.
    private mutating func skipProlog() throws(ReadingError) {
        var index = 0
        while true {
            while index < end {
                if bytes[index] <= 0x20 {
                    index += 1
                } else if end - index >= 3, bytes[index] == 0xEF, bytes[index + 1] == 0xBB, bytes[index + 2] == 0xBF {
                    index += 3
                } else {
                    break
                }
            }
            guard index < end else { break }
            if has("<?", at: index), let after = find("?>", from: index) {
                index = after
            } else if has("<!--", at: index), let after = find("-->", from: index + 4) {
                index = after
            } else if has("<!doctype", at: index, ignoringCase: true) {
                guard !has("html", at: spaceEnd(from: index + 9), ignoringCase: true) else { throw Self.htmlPage }
                guard let after = documentTypeEnd(from: index + 9) else {
                    throw ReadingError(code: "not_xml", message: "the document type does not end")
                }
                index = after
            } else {
                break
            }
        }
        guard index < end else {
            throw index == 0 || bytes.allSatisfy({ $0 <= 0x20 })
                ? ReadingError(code: "empty", message: "the document is empty")
                : ReadingError(code: "not_xml", message: "the document has no root element")
        }
        let name = index + 1..<nameEnd(from: index + 1)
        guard bytes[index] == UInt8(ascii: "<"), !name.isEmpty else {
            let start = HTMLText.cleaned(String(decoding: bytes[index..<min(end, index + 60)], as: UTF8.self))
            throw ReadingError(code: "not_xml", message: "found no XML; the document begins with \"\(start)\"")
        }
        guard !(name.count == 4 && has("html", at: name.lowerBound, ignoringCase: true)) else { throw Self.htmlPage }
        let lines = bytes[..<index].reduce(into: 0) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
        pending = [UInt8](repeating: UInt8(ascii: "\n"), count: lines)
        position = index
    }

    private static let htmlPage = ReadingError(code: "html_page", message: "found an HTML page in place of XML")

    /// Where a document type ends whose name begins at `start`.
    private mutating func documentTypeEnd(from start: Int) -> Int? {
        var index = start
        var isInSubset = false
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let quote = bytes[index]
                guard let close = bytes[(index + 1)..<end].firstIndex(of: quote) else { return nil }
                index = close
            case UInt8(ascii: "<"):
                if has("<!--", at: index) {
                    guard let after = find("-->", from: index + 4) else { return nil }
                    index = after - 1
                } else if has("<!ENTITY", at: index), problems.isEmpty {
                    note("entity declarations are not followed", at: index)
                }
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">"): if !isInSubset { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    // MARK: Looking

    /// The end of the name that begins at `start`, or `start` (XML 1.0 §2.3).
    private func nameEnd(from start: Int) -> Int {
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte < 0x80 {
                guard Self.isNameByte(byte), index > start || !Self.isOnlyInsideNames(byte) else { break }
                index += 1
            } else {
                let length = TextEncoding.sequenceLength(bytes, at: index)
                guard length > 1, index + length <= end,
                    let scalar = String(decoding: bytes[index..<index + length], as: UTF8.self).unicodeScalars.first,
                    Self.isNameScalar(scalar.value, isFirst: index == start)
                else { break }
                index += length
            }
        }
        return index
    }

    @inline(__always) private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x2D...0x2E, 0x30...0x3A, 0x5F: true
        default: false
        }
    }

    private static func isOnlyInsideNames(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte == 0x2E || (0x30...0x39).contains(byte)
    }

    private static func isNameScalar(_ value: UInt32, isFirst: Bool) -> Bool {
        switch value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: !isFirst
        default: false
        }
    }

    private func spaceEnd(from start: Int) -> Int {
        var index = start
        while index < end, bytes[index].isXMLSpace { index += 1 }
        return index
    }

    /// Whether the document goes on with `text` at `offset`.
    private func has(
        _ text: StaticString, at offset: Int, ignoringCase: Bool = false, orItsBeginning: Bool = false
    ) -> Bool {
        let length = orItsBeginning ? min(text.utf8CodeUnitCount, end - offset) : text.utf8CodeUnitCount
        guard length >= 0, offset + length <= end else { return false }
        for index in 0..<length {
            var byte = bytes[offset + index]
            if ignoringCase, (0x41...0x5A).contains(byte) { byte |= 0x20 }
            guard byte == text.utf8Start[index] else { return false }
        }
        return true
    }

    /// The offset after the next `terminator`, which ends with `>`.
    private func find(_ terminator: StaticString, from start: Int) -> Int? {
        let length = terminator.utf8CodeUnitCount
        var from = start + length - 1
        while from < end, let base = bytes.baseAddress, let hit = memchr(base + from, 0x3E, end - from) {
            let index = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
            if has(terminator, at: index - length + 1) { return index + 1 }
            from = index + 1
        }
        return nil
    }

    // MARK: Trouble

    private mutating func fail(_ code: String, _ message: String) {
        failure = ReadingError(code: code, message: message, line: line(of: position))
    }

    private mutating func note(_ message: String, at offset: Int? = nil) {
        guard problems.count < Self.maximumProblems else { return }
        let number = line(of: offset ?? position)
        problems.append(XMLProblem(line: number, message: message))
    }

    /// Counts lines on from the last offset asked for, so that all calls together pass over the document once.
    private mutating func line(of offset: Int) -> Int {
        while lineOffset < offset {
            if bytes[lineOffset] == UInt8(ascii: "\n") { lineNumber += 1 }
            lineOffset += 1
        }
        return lineNumber
    }
}
