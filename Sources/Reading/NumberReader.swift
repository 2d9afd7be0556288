/// Reads decimal numbers in the notation of XML Schema.
public enum NumberReader {
    /// The number in a text: an optional sign, digits with at most one point, an optional exponent (`-4.5e-1`, `.5`,
    /// `5.`).
    ///
    /// Nil for an empty text or one with white space, hexadecimal numbers, `nan` and `inf`, and for numbers too large
    /// to be finite.
    public static func double(_ text: String) -> Double? {
        var digits = 0
        var hasPoint = false
        var isInExponent = false
        var mayBeSigned = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                guard mayBeSigned else { return nil }
                mayBeSigned = false
            case UInt8(ascii: "."):
                guard !hasPoint, !isInExponent else { return nil }
                hasPoint = true
                mayBeSigned = false
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard digits > 0, !isInExponent else { return nil }
                isInExponent = true
                digits = 0
                mayBeSigned = true
            default:
                guard byte.isASCIIDigit else { return nil }
                digits += 1
                mayBeSigned = false
            }
        }
        guard digits > 0, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// As `double(_:)`, for a part of a text.
    public static func double(_ text: some StringProtocol) -> Double? { double(String(text)) }

    /// As `double(_:)`, for a part of UTF-8 text. Nil for more than 1,000 bytes, which no number needs.
    public static func double(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
        text.count <= 1000 ? double(String(decoding: text, as: UTF8.self)) : nil
    }
}
