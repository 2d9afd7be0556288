import Glibc

/// A document in UTF-8 with search functions.
struct XMLInput {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The end of the document: after the root element once it is closed, or where the markup breaks off.
    var end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        end = bytes.count
    }

    @inline(__always) subscript(offset: Int) -> UInt8 { bytes[offset] }

    /// A range of the document.
    func stretch(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// A range of the document as text.
    func text(_ range: Range<Int>) -> String { String(decoding: stretch(range), as: UTF8.self) }

    /// A name for messages, cut if it is long.
    func quoted(_ name: Range<Int>) -> String { XMLProblem.quoted(stretch(name)) }

    // MARK: Names and white space

    /// The end of the name at `start`; `start` without a name (XML 1.0 §2.3).
    @inline(__always) func nameEnd(from start: Int) -> Int {
        guard start < end else { return start }
        let first = bytes[start]
        guard first >= 0x80 || XMLCharacters.beginsName(first) else { return start }
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte < 0x80 {
                guard XMLCharacters.isInName(byte) else { break }
                index += 1
            } else {
                let length = nameCharacterLength(at: index, isFirst: index == start)
                guard length > 0 else { break }
                index += length
            }
        }
        return index
    }

    /// The length of the non-ASCII character at `index`; 0 when it is not allowed in a name.
    private func nameCharacterLength(at index: Int, isFirst: Bool) -> Int {
        let length = TextEncoding.sequenceLength(bytes, at: index)
        guard length > 1, index + length <= end else { return 0 }
        var value = UInt32(bytes[index]) & (0xFF >> UInt32(length + 1))
        for offset in 1..<length { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return XMLCharacters.isInName(value, isFirst: isFirst) ? length : 0
    }

    /// The end of the white space at `start`; `start` without white space.
    @inline(__always) func spaceEnd(from start: Int) -> Int {
        var index = start
        while index < end, bytes[index].isXMLSpace { index += 1 }
        return index
    }

    // MARK: Comparing and finding

    /// Whether two ranges have the same bytes.
    func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count, let base = bytes.baseAddress else { return false }
        // Most names differ in the first byte. An end tag that closes nothing is compared with all open elements.
        if !one.isEmpty, base[one.lowerBound] != base[other.lowerBound] { return false }
        return memcmp(base + one.lowerBound, base + other.lowerBound, one.count) == 0
    }

    /// Whether the document has `text` at `offset`; with `ignoringCase`, `text` is in lower case. `orItsBeginning` also
    /// accepts a document that ends inside `text`.
    func has(
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

    /// The offset of the next `byte` before `limit`.
    @inline(__always) func find(_ byte: UInt8, from start: Int, to limit: Int) -> Int? {
        guard start < limit, let base = bytes.baseAddress,
            let hit = memchr(base + start, Int32(byte), limit - start)
        else { return nil }
        return UnsafeRawPointer(hit) - UnsafeRawPointer(base)
    }

    /// The offset after the next `text`; nil when there is none.
    func find(_ text: StaticString, from start: Int) -> Int? {
        var from = start
        while let index = find(text.utf8Start[0], from: from, to: end) {
            if has(text, at: index) { return index + text.utf8CodeUnitCount }
            from = index + 1
        }
        return nil
    }

    /// The line of an offset, from 1.
    func line(of offset: Int) -> Int { 1 + lineFeeds(from: 0, to: offset) }

    /// The number of line feeds between two offsets.
    func lineFeeds(from start: Int, to limit: Int) -> Int {
        var count = 0
        var from = start
        while let index = find(UInt8(ascii: "\n"), from: from, to: limit) {
            count += 1
            from = index + 1
        }
        return count
    }
}
