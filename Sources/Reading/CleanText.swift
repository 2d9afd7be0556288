/// Collects text in one line: without control and direction characters, with single spaces for white space, trimmed.
struct CleanText {
    private var out: [UInt8] = []
    private var hasSpace = false

    init(capacity: Int) { out.reserveCapacity(capacity) }

    /// The text so far, without white space at its end.
    var finished: String { String(decoding: out, as: UTF8.self) }

    /// Adds a space that stands for a break.
    mutating func appendSpace() { hasSpace = true }

    /// Adds one character.
    mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000:
            hasSpace = true
        // Zero-width space, embeddings and isolates (which spoof what stands around the text), byte order mark.
        case 0..<0x20, 0x7F..<0xA0, 0x200B, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: break
        default:
            flushSpace()
            out.append(scalar: scalar)
        }
    }

    /// Adds text in UTF-8.
    mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        var index = bytes.startIndex
        let end = bytes.endIndex
        while index < end {
            let start = index
            while index < end, Self.isPlain(bytes[index]) { index += 1 }
            if index > start {
                flushSpace()
                out.append(contentsOf: bytes[start..<index])
                continue
            }
            let (scalar, length) = Self.scalar(in: bytes, at: index)
            append(scalar)
            index += length
        }
    }

    private mutating func flushSpace() {
        if hasSpace, !out.isEmpty { out.append(0x20) }
        hasSpace = false
    }

    /// Whether the byte needs no second look: visible ASCII, or part of a character that is neither white space nor
    /// control. Those begin with 0xC2, 0xE1, 0xE2, 0xE3 or 0xEF.
    @inline(__always) private static func isPlain(_ byte: UInt8) -> Bool {
        byte < 0x80
            ? byte > 0x20 && byte != 0x7F
            : byte != 0xC2 && byte != 0xE1 && byte != 0xE2 && byte != 0xE3 && byte != 0xEF
    }

    /// The character at an offset of well-formed UTF-8.
    private static func scalar(
        in bytes: Slice<UnsafeBufferPointer<UInt8>>, at index: Int
    ) -> (scalar: Unicode.Scalar, length: Int) {
        let first = UInt32(bytes[index])
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : 3
        guard length > 1, index + length <= bytes.endIndex else { return (Unicode.Scalar(bytes[index]), 1) }
        var value = length == 2 ? first & 0x1F : first & 0x0F
        for offset in 1..<length { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }
}
