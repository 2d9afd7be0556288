import Model

/// Collects text in one line, trimmed: white space becomes single spaces, control and direction characters are dropped.
struct CleanText {
    private var out: [UInt8] = []
    private var hasSpace = false

    init(capacity: Int) { out.reserveCapacity(capacity) }

    /// Whether a text is already clean, as most texts are; it then need not be collected.
    static func isClean(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        runEnd(in: bytes, from: 0, to: bytes.count) == bytes.count
    }

    /// The text so far, without trailing white space.
    var finished: String { String(decoding: out, as: UTF8.self) }

    /// Adds a space for a break.
    mutating func appendSpace() { hasSpace = true }

    mutating func append(_ scalar: Unicode.Scalar) {
        switch Kind(scalar) {
        case .space: hasSpace = true
        case .unwanted: break
        case .visible:
            flushSpace()
            out.append(scalar: scalar)
        }
    }

    /// Adds a range of UTF-8 text.
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

    /// The role of a character in one line of text.
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

    /// The end of the run that is copied unchanged: visible characters, with single spaces between them.
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

    /// How many of the eight bytes at a visible byte are visible ASCII with single spaces between them: 8, or 7 if the
    /// last byte is a space. 0 for other text and for fewer than eight bytes.
    @inline(__always) private static func fitLength(
        in bytes: UnsafeBufferPointer<UInt8>, at index: Int, end: Int
    ) -> Int {
        guard index + 8 <= end else { return 0 }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops = ones << 7
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        // For bytes below 0x80 no sum carries into the next byte. The top bits then mark bytes from 0x20, and 0x7F.
        guard word & tops == 0, (word &+ ones &* 0x60) & ~(word &+ ones) & tops == tops else { return 0 }
        let spaces = ~((word ^ (ones &* 0x20)) &+ ones &* 0x7F) & tops
        guard spaces & (spaces << 8) == 0 else { return 0 }
        return spaces >> 63 == 0 ? 8 : 7
    }

    @inline(__always) private static func isVisibleASCII(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Whether this byte may begin a white space, control or direction character. All other bytes from 0x80 belong to
    /// visible characters.
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
