/// What a character does to the text around it, where that is more than to be seen.
public enum TextHazard: Sendable {
    /// C0, delete and C1.
    case control
    /// U+2028 and U+2029.
    case lineSeparator
    /// Embeddings, overrides and isolates, which turn the direction of what follows (Unicode Standard Annex #9 §2).
    case direction
    /// U+200E and U+200F, which turn the direction beside them.
    case directionMark
    /// U+061C, the same for Arabic.
    case arabicLetterMark
    /// U+200B and U+2060.
    case zeroWidth
    /// U+FEFF.
    case byteOrderMark

    /// Whether it must not reach a terminal or a line of the log as it is.
    public var isUnsafeToShow: Bool {
        switch self {
        case .control, .lineSeparator, .direction: true
        case .directionMark, .arabicLetterMark, .zeroWidth, .byteOrderMark: false
        }
    }

    /// Whether it must not stand in a link as it is.
    public var isUnsafeInLinks: Bool {
        switch self {
        case .control, .lineSeparator, .direction, .directionMark, .byteOrderMark: true
        case .arabicLetterMark, .zeroWidth: false
        }
    }

    /// Whether nothing that is compared by its name may hold it.
    public var isUnsafeInNames: Bool {
        switch self {
        case .control, .lineSeparator, .direction, .directionMark, .arabicLetterMark: true
        case .zeroWidth, .byteOrderMark: false
        }
    }

    /// Whether a plain text loses it.
    public var isUnwantedInText: Bool {
        switch self {
        case .control, .direction, .zeroWidth, .byteOrderMark: true
        case .lineSeparator, .directionMark, .arabicLetterMark: false
        }
    }
}

extension Unicode.Scalar {
    /// What it does to the text around it; nil for characters that are only seen.
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
