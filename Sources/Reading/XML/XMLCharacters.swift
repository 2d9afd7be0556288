/// The character classes of XML 1.0.
enum XMLCharacters {
    // MARK: Names (XML 1.0 §2.3)

    /// The bits of `-`, `.`, digits and `:`.
    private static let lowNameBits: UInt64 = 0x07FF_6000_0000_0000
    /// The bits of letters and `_`, counted from 0x40.
    private static let highNameBits: UInt64 = 0x07FF_FFFE_87FF_FFFE

    /// Whether an ASCII character may occur in a name.
    @inline(__always) static func isInName(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? lowNameBits : highNameBits
        return byte < 0x80 && (bits &>> UInt64(byte & 63)) & 1 != 0
    }

    /// Whether a name may begin with an ASCII character.
    @inline(__always) static func beginsName(_ byte: UInt8) -> Bool {
        byte < 64 ? byte == UInt8(ascii: ":") : isInName(byte)
    }

    /// Whether a non-ASCII character may occur in a name.
    static func isInName(_ value: UInt32, isFirst: Bool) -> Bool {
        switch value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: !isFirst
        default: false
        }
    }

    // MARK: Text

    /// Whether a document may contain the character (XML 1.0 §2.2).
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// The bits of `&`, `<`, `>` and of control characters other than tab and line feed.
    private static let specialBits: UInt64 = 0x5000_0040_FFFF_F9FF

    /// Whether a byte of text may need another spelling: markup, control characters and carriage returns, and the first
    /// byte of U+FFFE and U+FFFF.
    @inline(__always) static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 64 ? (specialBits &>> UInt64(byte)) & 1 != 0 : byte == 0xEF
    }
}

extension UInt8 {
    /// Whether the byte is white space in XML (XML 1.0 §2.3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }
}
