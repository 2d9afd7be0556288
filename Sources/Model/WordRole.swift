extension Unicode.Scalar {
    /// What a scalar is to the words of a text.
    enum WordRole {
        /// A letter, mark or digit.
        case part
        /// A letter, mark or digit of a script without spaces between words, or an emoji.
        case unspacedPart
        /// An accent, a variation selector of emoji and Han, a soft hyphen or a joiner: words are read without it.
        case ignored
        /// Anything else; it ends a word.
        case separator
    }

    /// What the scalar is to the words of a text.
    var wordRole: WordRole {
        switch value {
        case 0x300...0x36F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return .ignored
        default: break
        }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            return isUnspaced ? .unspacedPart : .part
        case .format: return .ignored
        // What a newer Unicode assigns has the same role before and after, so that the index has the same words.
        case .otherSymbol, .unassigned: return isUnspaced ? .unspacedPart : .separator
        default: return .separator
        }
    }

    /// Whether the scalar's script has no spaces between words.
    var isUnspaced: Bool {
        switch value {
        case 0x0E00...0x0EFF: true  // Thai, Lao
        case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: true  // Myanmar
        case 0x1780...0x17FF: true  // Khmer
        case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: true  // Hiragana, Katakana
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF: true  // Han
        case 0x20000...0x3FFFF: true  // Han
        case 0x1F000...0x1FAFF: true  // emoji
        default: false
        }
    }

    /// Whether the scalar is a sound mark, which decomposition splits off: with it a kana is another kana.
    var isSoundMark: Bool { value == 0x3099 || value == 0x309A }

    /// Whether canonical decomposition could change the scalar. Most English, Chinese and Japanese texts need none, so
    /// they avoid Foundation's slow implementation.
    var mayDecompose: Bool {
        switch value {
        case 0..<0xC0, 0x2000...0x206F, 0x4E00...0x9FFF, 0x1F000...0x1FAFF: false
        default: true
        }
    }
}
