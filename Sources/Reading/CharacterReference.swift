/// A numeric or named HTML character reference in a text: `&#8217;`, `&#x2019;`, `&rsquo;`.
struct CharacterReference {
    /// The character; nil for a number that is no character.
    let scalar: Unicode.Scalar?
    /// The offset after the reference.
    let end: Int
    /// Whether the reference ends with a semicolon. Only numeric references may lack it.
    let isTerminated: Bool

    /// Reads the reference that begins with the `&` at `start`; nil without a known reference.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, end limit: Int) {
        var index = start + 1
        guard index < limit else { return nil }
        guard bytes[index] == UInt8(ascii: "#") else {
            let nameEnd = min(limit, index + HTMLEntities.longestName)
            while index < nameEnd, bytes[index].isASCIIAlphanumeric { index += 1 }
            guard index < limit, bytes[index] == UInt8(ascii: ";"),
                let scalar = HTMLEntities.scalar(named: bytes[(start + 1)..<index])
            else { return nil }
            self.scalar = scalar
            end = index + 1
            isTerminated = true
            return
        }
        index += 1
        let isHexadecimal = index < limit && bytes[index] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        let digits = index
        var code: UInt32 = 0
        while index < limit, let digit = bytes[index].hexadecimalValue, isHexadecimal || digit < 10 {
            // The value saturates far above the last character.
            code = min(code * (isHexadecimal ? 16 : 10) + UInt32(digit), 0xFF_FFFF)
            index += 1
        }
        guard index > digits else { return nil }
        scalar = HTMLEntities.scalar(numbered: code)
        isTerminated = index < limit && bytes[index] == UInt8(ascii: ";")
        end = isTerminated ? index + 1 : index
    }
}

extension UInt8 {
    var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// The value of a hexadecimal digit; nil for other bytes.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
