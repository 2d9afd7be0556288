import Reading

/// Parses the numbers of a table from bytes.
enum NumberField {
    /// Decimal degrees in whole 1e-7ths, rounded; nil if the text is not a number.
    ///
    /// A value far out of range gives some value out of range.
    static func degrees(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var index = 0
        let isNegative = text.first == 0x2D
        if isNegative || text.first == 0x2B { index = 1 }
        let first = index
        var value: Int64 = 0
        while index < text.count, case let digit = text[index] &- 0x30, digit < 10 {
            value = min(value * 10 + Int64(digit), 1 << 30)
            index += 1
        }
        var digits = index - first
        value *= 10_000_000
        if index < text.count, text[index] == 0x2E {
            index += 1
            var unit: Int64 = 1_000_000
            while index < text.count, case let digit = text[index] &- 0x30, digit < 10 {
                if unit > 0 {
                    value += Int64(digit) * unit
                    if unit == 1 { unit = 0 } else { unit /= 10 }
                } else if unit == 0 {
                    // The eighth digit rounds; further ones are ignored.
                    if digit >= 5 { value += 1 }
                    unit = -1
                }
                digits += 1
                index += 1
            }
        }
        guard index == text.count, digits > 0 else { return scientific(text) }
        return isNegative ? -value : value
    }

    /// A number of 1 to 18 digits; nil for any other text.
    static func whole(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard (1...18).contains(text.count) else { return nil }
        var value: Int64 = 0
        for byte in text {
            let digit = byte &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// A number with an exponent, which GeoNames' table has for coordinates near zero (`9.0E-5`).
    private static func scientific(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count < 32, let number = NumberReader.double(String(decoding: text, as: UTF8.self)),
            abs(number) < 1e9
        else { return nil }
        return Int64(clamping: (number * 1e7).rounded())
    }
}
