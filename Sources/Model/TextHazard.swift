/// The effect of an invisible character on the text around it.
public enum TextHazard: Sendable {
    /// C0 controls, delete and C1 controls.
    case control
    /// U+2028 and U+2029.
    case lineSeparator
    /// Embeddings, overrides and isolates, which change the direction of the following text (UAX #9 §2).
    case direction
    /// U+200E and U+200F, which change the direction of their neighbours.
    case directionMark
    /// U+061C, the direction mark for Arabic.
    case arabicLetterMark
    /// U+200B (zero width space) and U+2060 (word joiner).
    case zeroWidth
    /// U+FEFF.
    case byteOrderMark

    /// Whether it must be replaced before it reaches a terminal or a log line.
    public var isUnsafeToShow: Bool {
        switch self {
        case .control, .lineSeparator, .direction: true
        case .directionMark, .arabicLetterMark, .zeroWidth, .byteOrderMark: false
        }
    }

    /// Whether a link must not contain it unescaped.
    public var isUnsafeInLinks: Bool {
        switch self {
        case .control, .lineSeparator, .direction, .directionMark, .byteOrderMark: true
        case .arabicLetterMark, .zeroWidth: false
        }
    }

    /// Whether names that are compared must not contain it.
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
    /// The effect on the text around it; nil for other characters.
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
