import Yams

/// The bytes of a YAML text, and where values stand in them. Yams tells where a value begins, not where it ends.
struct YAMLText {
    let bytes: [UInt8]
    /// The offsets at which lines begin.
    private let starts: [Int]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var starts = [0]
        var index = 0
        while index < bytes.count {
            let length = Self.breakLength(in: bytes, at: index)
            index += max(length, 1)
            if length > 0 { starts.append(index) }
        }
        self.bytes = bytes
        self.starts = starts
    }

    /// The text with other bytes in place of a range.
    func replacing(_ range: Range<Int>, with text: String) -> String {
        var edited = Array(bytes[..<range.lowerBound])
        edited += text.utf8
        edited += bytes[range.upperBound...]
        return String(decoding: edited, as: UTF8.self)
    }

    // MARK: - Lines

    /// The length of a line break; 0 without one. Breaks are those of YAML 1.1 §5.4, which the parser counts.
    private static func breakLength(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case 0x0A: return 1
        case 0x0D: return bytes[index...].starts(with: [0x0D, 0x0A]) ? 2 : 1
        // U+0085, U+2028 and U+2029.
        case 0xC2: return bytes[index...].starts(with: [0xC2, 0x85]) ? 2 : 0
        case 0xE2:
            let rest = bytes[index...]
            return rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9]) ? 3 : 0
        default: return 0
        }
    }

    /// The offset of a mark, whose column counts Unicode scalars; nil outside of the text.
    func offset(of mark: Mark?) -> Int? {
        guard let mark, starts.indices.contains(mark.line - 1) else { return nil }
        var offset = starts[mark.line - 1]
        var column = 1
        while column < mark.column {
            guard offset < bytes.count else { return nil }
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            column += 1
        }
        return offset
    }

    /// The number of the line of an offset, from 0.
    func line(of offset: Int) -> Int { (starts.lastIndex { $0 <= offset }) ?? 0 }

    /// The offset at which the line of an offset begins.
    func lineStart(of offset: Int) -> Int { starts[line(of: offset)] }

    /// The line of an offset from there to its break, and the break, which is empty at the end of the text.
    func rest(from offset: Int) -> (line: Range<Int>, lineBreak: Range<Int>) {
        var end = offset
        while end < bytes.count {
            let length = Self.breakLength(in: bytes, at: end)
            if length > 0 { return (offset..<end, end..<end + length) }
            end += 1
        }
        return (offset..<end, end..<end)
    }

    /// The first line break of the text; a line feed without one.
    var lineBreak: String {
        let lineBreak = rest(from: 0).lineBreak
        return lineBreak.isEmpty ? "\n" : String(decoding: bytes[lineBreak], as: UTF8.self)
    }

    /// Whether a range has blanks only, or also the given signs.
    func isBlank(_ range: Range<Int>, but signs: String = "") -> Bool {
        bytes[range].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || signs.utf8.contains($0) }
    }

    /// Whether a range has the blanks and breaks only that stand between values, or also the separator.
    func isGap(_ range: Range<Int>, _ separator: String = "") -> Bool { isBlank(range, but: "\r\n" + separator) }

    // MARK: - Values

    /// Where a value stands.
    enum Extent {
        /// A single value, or a list in brackets.
        case inline(Range<Int>)
        /// A list of one item a line, from its first dash to the end of its last item.
        case items(Range<Int>)
        /// A value that cannot be told from what is around it; a phrase says what it is.
        case unclear(String)
    }

    /// Where the value of a key stands that ends at an offset.
    func extent(of node: Node, after start: Int) -> Extent {
        guard let offset = self.offset(of: node.mark), offset >= start else { return .unclear("found an alias (*)") }
        let sign = offset < bytes.count ? bytes[offset] : 0
        let isMarked = sign == UInt8(ascii: "&") || sign == UInt8(ascii: "!")
        switch node {
        case .scalar(let scalar):
            if let range = self.range(of: scalar, at: offset) { return .inline(range) }
            return .unclear(isMarked ? "found an anchor or a tag" : "found a text of several lines")
        case .sequence(let list):
            switch sign {
            case UInt8(ascii: "["):
                guard let end = self.end(of: list, from: offset + 1, separator: ","),
                    let close = bytes[end...].firstIndex(of: UInt8(ascii: "]")), isGap(end..<close, ",")
                else { break }
                return .inline(offset..<close + 1)
            case UInt8(ascii: "-"):
                guard let end = self.end(of: list, from: offset, separator: "-"), isBlank(rest(from: end).line)
                else { break }
                return .items(offset..<end)
            default: break
            }
            return .unclear(isMarked ? "found an anchor or a tag" : Self.oddList)
        case .mapping: return .unclear("found a section")
        case .alias: return .unclear("found an alias (*)")
        }
    }

    private static let oddList = "found a list with comments, aliases or more than texts"

    /// Where a scalar ends that begins at an offset; nil unless its end is certain.
    func range(of scalar: Node.Scalar, at offset: Int) -> Range<Int>? {
        switch scalar.style {
        case .plain:
            // On one line a plain text is what it says.
            let text = Array(scalar.string.utf8)
            return bytes[offset...].starts(with: text) ? offset..<offset + text.count : nil
        case .singleQuoted, .doubleQuoted: return quotedRange(at: offset)
        default: return nil
        }
    }

    private func quotedRange(at offset: Int) -> Range<Int>? {
        guard offset < bytes.count else { return nil }
        let quote = bytes[offset]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
        var index = offset + 1
        while index < bytes.count {
            if quote == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\") {
                index += 2
            } else if bytes[index] != quote {
                index += 1
            } else if quote == UInt8(ascii: "'"), index + 1 < bytes.count, bytes[index + 1] == quote {
                index += 2
            } else {
                return offset..<index + 1
            }
        }
        return nil
    }

    /// Where the last item of a list ends; nil unless it has scalars only, with separators and blanks between them.
    private func end(of list: Node.Sequence, from start: Int, separator: String) -> Int? {
        var end = start
        for item in list {
            guard case .scalar(let scalar) = item, let offset = self.offset(of: scalar.mark), offset >= end,
                isGap(end..<offset, separator), let range = self.range(of: scalar, at: offset)
            else { return nil }
            end = range.upperBound
        }
        return end
    }

    /// The offset behind the colon of a key; nil unless the colon stands on the key's line.
    func valueStart(of key: Node) -> Int? {
        guard case .scalar(let scalar) = key, let offset = self.offset(of: scalar.mark),
            let range = self.range(of: scalar, at: offset)
        else { return nil }
        let colon = bytes[range.upperBound...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        guard let colon, bytes[colon] == UInt8(ascii: ":") else { return nil }
        return colon + 1
    }

    /// Whether a mapping that begins at an offset stands in braces; anchor and tag come first.
    func hasBraces(at offset: Int) -> Bool {
        var index = offset
        while index < bytes.count, bytes[index] == UInt8(ascii: "&") || bytes[index] == UInt8(ascii: "!") {
            while index < bytes.count, !isGap(index..<index + 1) { index += 1 }
            while index < bytes.count, isGap(index..<index + 1) { index += 1 }
        }
        return index < bytes.count && bytes[index] == UInt8(ascii: "{")
    }
}
