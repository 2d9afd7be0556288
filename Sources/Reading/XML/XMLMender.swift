import CLibXML2

/// Turns a broken document into well-formed XML, piece by piece and without a tree.
///
/// Well-formed parts keep their meaning. Broken parts are mended from left to right by these rules:
/// - forbidden characters and references to them are dropped (XML 1.0 §2.2);
/// - HTML's named entities and surrogate pairs of references become characters; `&` and `<` that begin nothing are
///   text, and so is `]]>`;
/// - a tag is a name with quoted attributes; a `<` that begins no such tag is text;
/// - the first of repeated attributes counts;
/// - an end tag closes all elements inside its own; an end tag that closes nothing is dropped;
/// - comments and processing instructions are dropped, CDATA sections become text;
/// - the text ends with the root element, or before the tag or section in which the document breaks off.
///
/// Line feeds keep their place, so line numbers remain those of the document. The mender looks at each byte a fixed
/// number of times and holds one piece of text or one tag.
struct XMLMender {
    /// The output of the last call of `mend`.
    private(set) var output: [UInt8] = []
    private(set) var problems: [XMLProblem] = []
    /// The error that ended the output early; nil without one.
    private(set) var failure: ReadingError?

    private var input: XMLInput
    /// The offset of the next byte to read.
    private var position: Int
    private let maximumTagBytes: Int
    /// The end and the kind of the text that is being written.
    private var text: (end: Int, stretch: Stretch)?
    /// The names of the open elements, outermost first.
    private var openElements: [Range<Int>] = []
    /// The attributes of the current start tag, in order.
    private var attributes: [Attribute] = []
    private var hasNotedForbidden = false
    private var lineNumber = 1
    private var lineOffset = 0

    /// The kind of a range, which decides what needs escaping.
    private enum Stretch {
        case text, section, value
    }

    /// An attribute of a start tag.
    private struct Attribute {
        /// The range of the name.
        var name: Range<Int>
        /// The range of the value, without quotes.
        var value: Range<Int>
    }

    /// The approximate size of an output piece, in bytes.
    private static let pieceBytes = 1 << 16
    /// The bytes of text that are examined at a time.
    private static let textBytes = 1 << 14

    static let tooManyAttributes = "an element has more than \(cxml_most_attributes) attributes"

    static func tagTooLarge(_ most: Int) -> String { "a tag has more than \(most) bytes" }

    /// Begins with the `<` of the root element, at the offset `root`.
    init(_ input: XMLInput, from root: Int, maximumTagBytes: Int) {
        self.input = input
        position = root
        self.maximumTagBytes = maximumTagBytes
    }

    /// Writes the next piece to `output`; false at the end.
    mutating func mend() -> Bool {
        output.removeAll(keepingCapacity: true)
        while output.count < Self.pieceBytes, position < input.end {
            if text != nil {
                writeText()
            } else if input[position] == UInt8(ascii: "<") {
                readMarkup()
            } else {
                let end = input.find(UInt8(ascii: "<"), from: position, to: input.end) ?? input.end
                text = (end: end, stretch: .text)
            }
        }
        return !output.isEmpty
    }

    /// Reports the end of the document if the root element is still open.
    mutating func finish() {
        guard let last = openElements.last, keepsProblems else { return }
        let start = input.line(of: last.lowerBound)
        let end = line(of: input.end)
        problems.append(.unfinishedElement(input.quoted(last), from: start, line: end))
    }

    // MARK: Ends

    /// Ends the document at `position`.
    private mutating func stop() { input.end = position }

    private mutating func fail(_ code: String, _ message: String) {
        failure = ReadingError(code: code, message: message, line: line(of: position))
        stop()
    }

    // MARK: Problems

    /// Whether further problems are recorded.
    private var keepsProblems: Bool { problems.count < XMLPasses.maximumProblems }

    private mutating func note(_ message: String, at offset: Int) {
        guard keepsProblems else { return }
        let number = line(of: offset)
        problems.append(XMLProblem(line: number, message: message))
    }

    private mutating func noteForbidden(at offset: Int) {
        if !hasNotedForbidden { note("characters that XML forbids were left out", at: offset) }
        hasNotedForbidden = true
    }

    /// The line of an offset. Counting continues from the last offset, so all calls together scan the document once.
    private mutating func line(of offset: Int) -> Int {
        guard offset > lineOffset else { return lineNumber }
        lineNumber += input.lineFeeds(from: lineOffset, to: offset)
        lineOffset = offset
        return lineNumber
    }

    // MARK: Text

    /// Writes the next piece of the current text.
    private mutating func writeText() {
        guard let (end, stretch) = text else { return }
        position = write(position..<min(end, position + Self.textBytes), as: stretch)
        guard position >= end else { return }
        text = nil
        if stretch == .section { position = end + 3 }
    }

    /// Writes a range of the document with the escapes that text or a value needs.
    /// - Returns: The offset after the written part, which may be that of a reference across the end of the range.
    private mutating func write(_ range: Range<Int>, as stretch: Stretch) -> Int {
        var index = range.lowerBound
        // The bytes from here to `index` need no escape.
        var done = index
        while index < range.upperBound {
            let byte = input[index]
            guard XMLCharacters.isSpecial(byte) else {
                index += 1
                continue
            }
            if byte == 0xEF, !isNoncharacter(at: index) {
                index += 1
                continue
            }
            output.append(contentsOf: input.stretch(done..<index))
            index = writeSpecial(byte, at: index, as: stretch)
            done = index
        }
        output.append(contentsOf: input.stretch(done..<index))
        return index
    }

    /// Writes a special byte, or the reference or character that it begins; returns the offset after it.
    private mutating func writeSpecial(_ byte: UInt8, at index: Int, as stretch: Stretch) -> Int {
        switch byte {
        case UInt8(ascii: "&") where stretch != .section: return writeReference(at: index)
        case UInt8(ascii: "&"): output.append(contentsOf: "&amp;".utf8)
        case UInt8(ascii: "<"): output.append(contentsOf: "&lt;".utf8)
        case UInt8(ascii: ">"): output.append(contentsOf: "&gt;".utf8)
        case UInt8(ascii: "\r"):
            // A line feed after it represents both. A lone carriage return is a line break that counts no line.
            if index + 1 < input.end, input[index + 1] == UInt8(ascii: "\n") { break }
            output.append(contentsOf: stretch == .value ? " ".utf8 : "&#10;".utf8)
        case 0xEF:
            noteForbidden(at: index)
            return index + 3
        default: noteForbidden(at: index)
        }
        return index + 1
    }

    /// Whether U+FFFE or U+FFFF is at `index`.
    private func isNoncharacter(at index: Int) -> Bool {
        index + 2 < input.bytes.count && input[index + 1] == 0xBF && input[index + 2] >= 0xBE
    }

    /// Writes the character of an XML or HTML reference at `&`; without a reference an ampersand.
    private mutating func writeReference(at index: Int) -> Int {
        guard let reference = CharacterReference(input.bytes, at: index, end: input.end), reference.isTerminated else {
            note("an ampersand that begins no known reference was taken as text", at: index)
            output.append(contentsOf: "&amp;".utf8)
            return index + 1
        }
        guard let scalar = reference.scalar, XMLCharacters.isAllowed(scalar) else {
            note("a reference to a character that XML forbids was left out", at: index)
            return reference.end
        }
        // White space and markup characters keep their meaning only as references.
        switch scalar {
        case "\t", "\n", "\r", " ", "\"", "'", "&", "<", ">": output.append(contentsOf: "&#\(scalar.value);".utf8)
        default: output.append(scalar: scalar)
        }
        return reference.end
    }

    /// Drops the document from `position` on, up to `after`.
    private mutating func skip(to after: Int) {
        if input.lineFeeds(from: position, to: after) > 0 {
            output.append(contentsOf: "<!--".utf8)
            writeLineFeeds(position..<after)
            output.append(contentsOf: "-->".utf8)
        }
        position = after
    }

    private mutating func writeLineFeeds(_ range: Range<Int>) {
        let count = input.lineFeeds(from: range.lowerBound, to: range.upperBound)
        output.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: count))
    }

    // MARK: Sections

    /// Handles `<`: reads whole markup, ends a document that breaks off inside it, and takes anything else as text.
    private mutating func readMarkup() {
        guard position + 1 < input.end else { return stop() }
        switch input[position + 1] {
        case UInt8(ascii: "/"): readEndTag()
        case UInt8(ascii: "!"): readDeclaration()
        case UInt8(ascii: "?"): readInstruction()
        default: readStartTag()
        }
    }

    private mutating func takeAsText() {
        note("a < that begins no whole tag was taken as text", at: position)
        output.append(contentsOf: "&lt;".utf8)
        position += 1
    }

    private mutating func readDeclaration() {
        if input.has("<!--", at: position) {
            guard let after = input.find("-->", from: position + 4) else { return stopWithinSection() }
            if let hyphens = input.find("--", from: position + 4), hyphens < after - 1 {
                note("a comment contains --", at: hyphens)
            }
            skip(to: after)
        } else if input.has("<![CDATA[", at: position) {
            guard let after = input.find("]]>", from: position + 9) else { return stopWithinSection() }
            position += 9
            text = (end: after - 3, stretch: .section)
        } else if input.has("<!--", at: position, orItsBeginning: true)
            || input.has("<![CDATA[", at: position, orItsBeginning: true)
        {
            stop()
        } else {
            takeAsText()
        }
    }

    private mutating func readInstruction() {
        guard position + 2 < input.end else { return stop() }
        let name = position + 2..<input.nameEnd(from: position + 2)
        guard !name.isEmpty else { return takeAsText() }
        guard let after = input.find("?>", from: position + 2) else { return stopWithinSection() }
        if name.count == 3, input.has("xml", at: name.lowerBound, ignoringCase: true) {
            note("an XML declaration inside the document was left out", at: position)
        }
        skip(to: after)
    }

    private mutating func stopWithinSection() {
        let number = line(of: position)
        if keepsProblems { problems.append(.unfinishedSection(line: number)) }
        stop()
    }

    // MARK: End tags

    private mutating func readEndTag() {
        guard position + 2 < input.end else { return stop() }
        let name = position + 2..<input.nameEnd(from: position + 2)
        guard !name.isEmpty else { return takeAsText() }
        var after = name.upperBound
        while after < input.end, input[after] != UInt8(ascii: ">"), input[after] != UInt8(ascii: "<") { after += 1 }
        guard after < input.end else { return stop() }
        let isWhole = input[after] == UInt8(ascii: ">") && input.spaceEnd(from: name.upperBound) == after
        if input[after] == UInt8(ascii: ">") { after += 1 }
        guard let level = openElements.lastIndex(where: { input.isSame($0, name) }) else {
            note("an end tag that closes nothing was left out", at: position)
            return skip(to: after)
        }
        if !isWhole || level < openElements.count - 1 {
            note("an end tag was missing or broken and has been supplied", at: position)
        }
        for element in openElements[level...].reversed() {
            output.append(contentsOf: "</".utf8)
            output.append(contentsOf: input.stretch(element))
            if element == openElements[level] { writeLineFeeds(position..<after) }
            output.append(UInt8(ascii: ">"))
        }
        openElements.removeLast(openElements.count - level)
        position = after
        if openElements.isEmpty { stop() }
    }

    // MARK: Start tags

    /// The end of a start tag.
    private enum TagEnd {
        case whole(Int)
        case selfClosing(Int)
        /// Not a tag.
        case broken
        /// The document ends first.
        case cut
        case tooManyAttributes
    }

    private mutating func readStartTag() {
        let name = position + 1..<input.nameEnd(from: position + 1)
        guard !name.isEmpty else { return takeAsText() }
        switch readAttributes(from: name.upperBound) {
        case .whole(let after) where !isTooLong(after) && libxml2Takes(name):
            writeTag(upTo: after)
            openElements.append(name)
        case .selfClosing(let after) where !isTooLong(after) && libxml2Takes(name):
            writeTag(upTo: after)
            if openElements.isEmpty { stop() }
        case .whole(let after) where isTooLong(after), .selfClosing(let after) where isTooLong(after):
            fail("too_large", Self.tagTooLarge(maximumTagBytes))
        case .whole, .selfClosing, .broken:
            if openElements.isEmpty { return fail("not_xml", "the root element's start tag is broken") }
            takeAsText()
        case .cut: stop()
        case .tooManyAttributes: fail("too_large", Self.tooManyAttributes)
        }
    }

    private func isTooLong(_ after: Int) -> Bool { after - position > maximumTagBytes }

    /// Whether libxml2 accepts a name. It refuses names with two colons (`a:b:c`) whose third part does not begin like
    /// a name (`a:b:1`), unless the second part does not either.
    private func libxml2Takes(_ name: Range<Int>) -> Bool {
        let colon = UInt8(ascii: ":")
        guard let first = input.find(colon, from: name.lowerBound + 1, to: name.upperBound),
            let second = input.find(colon, from: first + 1, to: name.upperBound),
            input[name.lowerBound] != colon, second > first + 1, second + 1 < name.upperBound,
            input.nameEnd(from: first + 1) > first + 1
        else { return true }
        return input.nameEnd(from: second + 1) > second + 1
    }

    /// Finds the attributes and the end of a start tag whose name ends at `start`.
    private mutating func readAttributes(from start: Int) -> TagEnd {
        attributes.removeAll(keepingCapacity: true)
        let end = input.end
        var index = start
        while true {
            let afterSpace = input.spaceEnd(from: index)
            guard afterSpace < end else { return .cut }
            if input[afterSpace] == UInt8(ascii: ">") { return .whole(afterSpace + 1) }
            if input[afterSpace] == UInt8(ascii: "/") {
                guard afterSpace + 1 < end else { return .cut }
                return input[afterSpace + 1] == UInt8(ascii: ">") ? .selfClosing(afterSpace + 2) : .broken
            }
            // Attribute: Name Eq AttValue (XML 1.0 §3.1), preceded by white space.
            let nameEnd = input.nameEnd(from: afterSpace)
            guard afterSpace > index, nameEnd > afterSpace else { return .broken }
            index = input.spaceEnd(from: nameEnd)
            guard index < end else { return .cut }
            guard input[index] == UInt8(ascii: "=") else { return .broken }
            index = input.spaceEnd(from: index + 1)
            guard index < end else { return .cut }
            let quote = input[index]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return .broken }
            index += 1
            let value = index
            while index < end, input[index] != quote {
                if input[index] == UInt8(ascii: "<") { return .broken }
                index += 1
            }
            guard index < end else { return .cut }
            attributes.append(Attribute(name: afterSpace..<nameEnd, value: value..<index))
            guard attributes.count <= cxml_most_attributes else { return .tooManyAttributes }
            index += 1
        }
    }

    /// Writes the start tag at `position` with escaped values and without attributes that libxml2 would refuse.
    private mutating func writeTag(upTo after: Int) {
        var done = position
        var seen: Set<String> = []
        for attribute in attributes {
            let isRepeated = attributes.count > 1 && !seen.insert(input.text(attribute.name)).inserted
            if isRepeated || !libxml2Takes(attribute.name) {
                let name = input.quoted(attribute.name)
                let message = isRepeated ? XMLProblem.repeated(name) : XMLProblem.misplacedColon(name)
                note(message, at: attribute.name.lowerBound)
                output.append(contentsOf: input.stretch(done..<attribute.name.lowerBound))
                writeLineFeeds(attribute.name.lowerBound..<attribute.value.upperBound)
                done = attribute.value.upperBound + 1
            } else {
                output.append(contentsOf: input.stretch(done..<attribute.value.lowerBound))
                _ = write(attribute.value, as: .value)
                done = attribute.value.upperBound
            }
        }
        output.append(contentsOf: input.stretch(done..<after))
        position = after
    }
}
