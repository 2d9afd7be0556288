import Model

/// Collects text in one line: without control and direction characters, with single spaces for white space, trimmed.
struct CleanText {
    private var out: [UInt8] = []
    private var hasSpace = false

    init(capacity: Int) { out.reserveCapacity(capacity) }

    /// Whether a text is in one line already, as most are: it needs not be collected then.
    static func isClean(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        runEnd(in: bytes, from: 0, to: bytes.count) == bytes.count
    }

    /// The text so far, without white space at its end.
    var finished: String { String(decoding: out, as: UTF8.self) }

    /// Adds a space that stands for a break.
    mutating func appendSpace() { hasSpace = true }

    /// Adds one character.
    mutating func append(_ scalar: Unicode.Scalar) {
        switch Kind(scalar) {
        case .space: hasSpace = true
        case .unwanted: break
        case .visible:
            flushSpace()
            out.append(scalar: scalar)
        }
    }

    /// Adds a part of a text in UTF-8.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound {
            let end = Self.runEnd(in: bytes, from: index, to: range.upperBound)
            if end > index {
                flushSpace()
                out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<end]))
                index = end
            } else {
                let (scalar, length) = Self.scalar(in: bytes, at: index, end: range.upperBound)
                append(scalar)
                index += length
            }
        }
    }

    private mutating func flushSpace() {
        if hasSpace, !out.isEmpty { out.append(0x20) }
        hasSpace = false
    }

    // MARK: Runs

    /// What a character is to a text in one line.
    private enum Kind {
        case visible, space, unwanted

        init(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000:
                self = .space
            default: self = scalar.hazard?.isUnwantedInText == true ? .unwanted : .visible
            }
        }
    }

    /// Where the stretch ends that is taken as it stands: visible characters, and single spaces between two of them.
    private static func runEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            let byte = bytes[index]
            if isVisibleASCII(byte) {
                let fit = fitLength(in: bytes, at: index, end: end)
                if fit > 0 {
                    index += fit
                    continue
                }
                index += 1
            } else if byte == 0x20 {
                guard index > start, index + 1 < end, isVisibleASCII(bytes[index + 1]) else { return index }
                index += 2
            } else if byte >= 0x80 {
                guard mayBeginUnfit(byte) else {
                    index += 1
                    continue
                }
                let (scalar, length) = Self.scalar(in: bytes, at: index, end: end)
                guard length > 1, Kind(scalar) == .visible else { return index }
                index += length
            } else {
                return index
            }
        }
        return index
    }

    /// How many of the eight bytes from a visible one on are visible ASCII with single spaces between: 8, or 7 before a
    /// space whose right neighbour is not seen; 0 where that is not so or there are fewer than eight.
    @inline(__always) private static func fitLength(
        in bytes: UnsafeBufferPointer<UInt8>, at index: Int, end: Int
    ) -> Int {
        guard index + 8 <= end else { return 0 }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops = ones << 7
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        // In bytes below 0x80 no sum carries into the next: top bits are those of bytes from 0x20, and of 0x7F.
        guard word & tops == 0, (word &+ ones &* 0x60) & ~(word &+ ones) & tops == tops else { return 0 }
        let spaces = ~((word ^ (ones &* 0x20)) &+ ones &* 0x7F) & tops
        guard spaces & (spaces << 8) == 0 else { return 0 }
        return spaces >> 63 == 0 ? 8 : 7
    }

    @inline(__always) private static func isVisibleASCII(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Whether characters that begin with this byte may be white space, control or direction characters; all other
    /// bytes from 0x80 are part of visible characters.
    @inline(__always) private static func mayBeginUnfit(_ byte: UInt8) -> Bool {
        byte == 0xC2 || byte == 0xE1 || byte == 0xE2 || byte == 0xE3 || byte == 0xEF
    }

    /// The character at an offset of well-formed UTF-8.
    private static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, at index: Int, end: Int
    ) -> (scalar: Unicode.Scalar, length: Int) {
        let first = UInt32(bytes[index])
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : 3
        guard length > 1, index + length <= end else { return (Unicode.Scalar(bytes[index]), 1) }
        var value = length == 2 ? first & 0x1F : first & 0x0F
        for offset in 1..<length { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }
}
