import Model

/// Place names as parts of identities. Spellings that differ only in case, accents or punctuation give one slug.
enum PlaceSlug {
    /// The name in lower case, without accents and apostrophes, its words joined by hyphens. It is empty for a name
    /// without letter or digit. `Soufrière Hills` gives `soufriere-hills`, `Ta'u` gives `tau`.
    static func of(_ name: String) -> String {
        var slug: [UInt8] = []
        var gap = false
        for scalar in name.lowercased().decomposed.unicodeScalars {
            if isDropped(scalar) { continue }
            guard isLetterOrDigit(scalar) else {
                gap = true
                continue
            }
            if gap && !slug.isEmpty { slug.append(UInt8(ascii: "-")) }
            gap = false
            if let plain = Self.plainLetters(scalar) {
                plain.withUTF8Buffer { slug.append(contentsOf: $0) }
            } else {
                slug.append(scalar: scalar)
            }
        }
        return String(decoding: slug, as: UTF8.self)
    }

    /// Combining accents, and the characters used as apostrophe or okina. Feeds write Kīlauea's `Halema'uma'u` with any
    /// of them or with none.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F: true
        case 0x27, 0x60, 0xB4, 0x2018, 0x2019, 0x201B, 0x2BB, 0x2BC, 0x2BE, 0x2BF: true
        default: false
        }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7A: true
        case 0...0x7F: false
        default: scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
    }

    /// Identities in existing databases contain these two letters, so they stay.
    private static func plainLetters(_ scalar: Unicode.Scalar) -> StaticString? {
        scalar == "ħ" || scalar == "ə" ? nil : scalar.plainLetters
    }
}
