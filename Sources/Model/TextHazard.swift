/// The kind of an invisible character that can garble or disguise the text around it; `Unicode.Scalar.hazard` has the
/// kind of a character.
///
/// Its properties tell where such a character does harm: on a terminal, in links, in compared names, in plain text.
public enum TextHazard: Sendable {
    /// C0 controls, line feed and tab included, delete and C1 controls: U+0000…U+001F, U+007F…U+009F.
    case control
    /// U+2028 (line separator) and U+2029 (paragraph separator).
    case lineSeparator
    /// Embeddings, overrides and isolates, which change the direction of the following text (UAX #9 §2).
    case direction
    /// U+200E and U+200F, the left-to-right and right-to-left marks, which change the direction of their neighbours.
    case directionMark
    /// U+061C, the direction mark for Arabic.
    case arabicLetterMark
    /// U+200B (zero width space) and U+2060 (word joiner).
    case zeroWidth
    /// U+FEFF, the byte order mark, inside a text a zero width no-break space.
    case byteOrderMark

    /// Whether it must be replaced before it reaches a terminal or a log line: controls, line separators, directions.
    public var isUnsafeToShow: Bool {
        switch self {
        case .control, .lineSeparator, .direction: true
        case .directionMark, .arabicLetterMark, .zeroWidth, .byteOrderMark: false
        }
    }

    /// Whether a link must not contain it unescaped: all but the Arabic letter mark and zero width characters.
    public var isUnsafeInLinks: Bool {
        switch self {
        case .control, .lineSeparator, .direction, .directionMark, .byteOrderMark: true
        case .arabicLetterMark, .zeroWidth: false
        }
    }

    /// Whether names that are compared must not contain it: all but zero width characters and byte order marks.
    public var isUnsafeInNames: Bool {
        switch self {
        case .control, .lineSeparator, .direction, .directionMark, .arabicLetterMark: true
        case .zeroWidth, .byteOrderMark: false
        }
    }

    /// Whether plain text is cleaned of it; line breaks and tabs become spaces instead.
    public var isUnwantedInText: Bool {
        switch self {
        case .control, .direction, .zeroWidth, .byteOrderMark: true
        case .lineSeparator, .directionMark, .arabicLetterMark: false
        }
    }
}

extension Unicode.Scalar {
    /// The kind of hazard of the character; nil for harmless ones.
    public var hazard: TextHazard? {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: .control
        case 0x20..<0x61C: nil
        case 0x61C: .arabicLetterMark
        case 0x200B, 0x2060: .zeroWidth
        case 0x200E, 0x200F: .directionMark
        case 0x2028, 0x2029: .lineSeparator
        case 0x202A...0x202E, 0x2066...0x2069: .direction
        case 0xFEFF: .byteOrderMark
        default: nil
        }
    }
}
