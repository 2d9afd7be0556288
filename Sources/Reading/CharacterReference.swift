/// A numeric or named HTML character reference in a text: `&#8217;`, `&#x2019;`, `&rsquo;`; or two numeric ones that are
/// a surrogate pair: `&#55357;&#56832;`.
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
        guard let number = Self.number(bytes, at: index + 1, end: limit) else { return nil }
        if (0xD800..<0xDC00).contains(number.code), let low = Self.lowSurrogate(bytes, at: number.end, end: limit) {
            scalar = Unicode.Scalar(0x10000 + (number.code - 0xD800) << 10 + (low.code - 0xDC00))
            isTerminated = number.isTerminated && low.isTerminated
            end = low.end
        } else {
            scalar = HTMLEntities.scalar(numbered: number.code)
            isTerminated = number.isTerminated
            end = number.end
        }
    }

    /// A number, the offset after its reference, and whether a semicolon ends it.
    private typealias Number = (code: UInt32, end: Int, isTerminated: Bool)

    /// The number whose digits, or `x` and digits, begin at `start`; nil without one.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, end limit: Int) -> Number? {
        var index = start
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
        let isTerminated = index < limit && bytes[index] == UInt8(ascii: ";")
        return (code, isTerminated ? index + 1 : index, isTerminated)
    }

    /// The low surrogate whose reference begins at `start`; nil without one. Some programs write the two halves of a
    /// UTF-16 pair as two references.
    private static func lowSurrogate(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, end limit: Int) -> Number? {
        guard start + 1 < limit, bytes[start] == UInt8(ascii: "&"), bytes[start + 1] == UInt8(ascii: "#"),
            let low = number(bytes, at: start + 2, end: limit), (0xDC00..<0xE000).contains(low.code)
        else { return nil }
        return low
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
