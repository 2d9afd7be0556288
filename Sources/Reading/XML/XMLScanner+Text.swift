extension XMLScanner {
    /// What a stretch of the document is, which decides what means itself.
    enum Stretch {
        case text, section, value
    }

    /// Text goes into a tree in pieces, so that a text beyond all limits takes no memory.
    private static let pieceBytes = 1 << 14

    /// Takes the text at `position`, up to the next markup.
    mutating func readText() {
        takeText(upTo: input.find(UInt8(ascii: "<"), from: position, to: input.end) ?? input.end, isSection: false)
    }

    /// Takes the document from `position` to `limit` into the open element, as text or, with `isSection`, as it stands.
    mutating func takeText(upTo limit: Int, isSection: Bool) {
        while position < limit {
            let piece = position..<min(limit, position + Self.pieceBytes)
            let tree = itemDepth == 0 ? skeleton : item
            let before = tree.pointee.text.count
            if isSection {
                position = decode(piece, as: .section, into: &tree.pointee.text)
            } else {
                position = decode(piece, as: .text, into: &tree.pointee.text)
            }
            if itemDepth == 0 {
                // Line ends between a million items are no part of the rest.
                if isBehindItem, tree.pointee.text.isBlank(from: before) { tree.pointee.text.count = before }
                if tree.pointee.size > skeletonLimit { return failForSkeleton() }
            } else if isItemTooLarge || tree.pointee.size > itemLimit {
                isItemTooLarge = true
                tree.pointee.text.count = before
            }
        }
    }

    /// Appends what a stretch of the document means: references become characters outside of CDATA sections, line ends
    /// line feeds (XML 1.0 §2.11), white space in values spaces (§3.3.3), and what XML forbids is left out.
    ///
    /// What comes out is never longer than what stands there.
    /// - Returns: The offset after what was decoded, which may be that of a reference across the end of the stretch.
    @inline(__always)
    mutating func decode(_ range: Range<Int>, as stretch: Stretch, into out: inout XMLBytes) -> Int {
        out.reserve(range.count + 16)
        var target = out.base + out.count
        var index = range.lowerBound
        let limit = range.upperBound
        while index < limit {
            if input.hasWord(at: index) {
                // Eight bytes are copied whatever they are; the first that is special ends those that count.
                let word = input.wholeWord(at: index)
                UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
                var marks = XMLCharacters.marks(in: word)
                if stretch != .section { marks |= XMLCharacters.marks(of: UInt8(ascii: "&"), in: word) }
                let count = min(marks.trailingZeroBitCount &>> 3, limit - index)
                index += count
                target += count
                if count == 8 || index == limit { continue }
            }
            let byte = input[index]
            switch byte {
            case UInt8(ascii: "&") where stretch != .section:
                let word = input.word(at: index)
                if let (character, length) = Self.predefined(word) {
                    target.pointee = character
                    target += 1
                    index += length
                } else {
                    let (scalar, after) = readReference(at: index)
                    if let scalar { Self.write(scalar, to: &target) }
                    index = after
                }
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"):
                target.pointee = stretch == .value ? 0x20 : byte
                target += 1
                index += 1
            case UInt8(ascii: "\r"):
                index += 1
                // The line feed behind it stands for both.
                if index < input.end, input[index] == UInt8(ascii: "\n") { continue }
                target.pointee = stretch == .value ? 0x20 : UInt8(ascii: "\n")
                target += 1
            case 0..<0x20:
                noteForbidden(at: index)
                index += 1
            case 0xEF where isNoncharacter(at: index):
                noteForbidden(at: index)
                index += 3
            default:
                target.pointee = byte
                target += 1
                index += 1
            }
        }
        out.count = target - out.base
        return index
    }

    /// Whether U+FFFE or U+FFFF stands at `index`.
    private func isNoncharacter(at index: Int) -> Bool {
        index + 2 < input.end && input[index + 1] == 0xBF && input[index + 2] >= 0xBE
    }

    private mutating func noteForbidden(at index: Int) {
        if !hasNotedForbidden { note("characters that XML forbids were left out", at: index) }
        hasNotedForbidden = true
    }

    // MARK: References

    /// One of XML's own five entities with which eight bytes begin, and its length.
    @inline(__always) private static func predefined(_ word: UInt64) -> (character: UInt8, length: Int)? {
        // The bytes stand from right to left.
        switch word & 0xFFFF_FFFF {
        case 0x3B74_6C26: return (UInt8(ascii: "<"), 4)
        case 0x3B74_6726: return (UInt8(ascii: ">"), 4)
        default: break
        }
        if word & 0xFF_FFFF_FFFF == 0x3B_706D_6126 { return (UInt8(ascii: "&"), 5) }
        switch word & 0xFFFF_FFFF_FFFF {
        case 0x3B74_6F75_7126: return (UInt8(ascii: "\""), 6)
        case 0x3B73_6F70_6126: return (UInt8(ascii: "'"), 6)
        default: return nil
        }
    }

    /// Looks at `&`: a reference of XML or HTML is what it stands for, anything else is an ampersand.
    /// - Returns: The character, nil for one that is left out, and the offset behind what stands for it.
    @inline(never)
    private mutating func readReference(at index: Int) -> (scalar: Unicode.Scalar?, after: Int) {
        guard let reference = CharacterReference(input.bytes, at: index, end: input.end), reference.isTerminated else {
            note("an ampersand that begins no known reference was taken as text", at: index)
            return ("&", index + 1)
        }
        guard let scalar = reference.scalar, XMLCharacters.isAllowed(scalar) else {
            note("a reference to a character that XML forbids was left out", at: index)
            return (nil, reference.end)
        }
        return (scalar, reference.end)
    }

    /// Writes a character in UTF-8.
    @inline(__always)
    private static func write(_ scalar: Unicode.Scalar, to target: inout UnsafeMutablePointer<UInt8>) {
        for byte in scalar.utf8 {
            target.pointee = byte
            target += 1
        }
    }
}
