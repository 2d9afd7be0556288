/// The kinds of characters that words are made of. ASCII is decided without Unicode's tables, which nearly all look-ups
/// would otherwise spend a fifth of their time on.
extension Unicode.Scalar {
    /// Whether it is a letter, a digit, or a mark that belongs to the letter before it.
    var isWordCharacter: Bool {
        if isASCII { return isASCIILetter || (0x30...0x39).contains(value) }
        let properties = properties
        if properties.isAlphabetic || properties.numericType != nil { return true }
        return properties.generalCategory == .nonspacingMark || properties.generalCategory == .spacingMark
    }

    /// Whether it is alphabetic.
    var isAlphabetic: Bool { isASCII ? isASCIILetter : properties.isAlphabetic }

    /// Whether it is a capital.
    var isUppercase: Bool { isASCII ? (0x41...0x5A).contains(value) : properties.isUppercase }

    /// Whether it is a letter in lower case.
    var isLowercase: Bool { isASCII ? (0x61...0x7A).contains(value) : properties.isLowercase }

    /// Whether it is white space.
    var isSpace: Bool { isASCII ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace }

    private var isASCIILetter: Bool { (0x61...0x7A).contains(value | 0x20) }
}
