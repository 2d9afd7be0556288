extension Unicode.Scalar {
    /// Whether the character must be replaced before it reaches a terminal or a log line: a control, a line separator
    /// or a change of direction (`TextHazard.isUnsafeToShow`).
    public var isUnsafeToShow: Bool { hazard?.isUnsafeToShow == true }
}

extension String {
    /// The text for people: on one line, with U+FFFD for each character that a terminal might act on, line breaks and
    /// tabs included.
    public var safeToShow: String {
        replacingUnsafe { _, text in text.append(scalar: "\u{FFFD}") }
    }

    /// JSON text for people: the same value on one line, with what a terminal might act on escaped as `\u` and four
    /// digits (RFC 8259 §7). The text must be valid JSON; this is not checked.
    public var safeJSON: String {
        replacingUnsafe { scalar, text in
            // In valid JSON these stand between values only.
            guard scalar.value >= 0x20 else { return text.append(0x20) }
            text.append(jsonEscaping: scalar)
        }
    }

    private func replacingUnsafe(_ replace: (Unicode.Scalar, inout [UInt8]) -> Void) -> String {
        guard mayBeUnsafe, unicodeScalars.contains(where: \.isUnsafeToShow) else { return self }
        return replacing { scalar, text in
            guard scalar.isUnsafeToShow else { return false }
            replace(scalar, &text)
            return true
        }
    }

    /// Whether the text has one of the first bytes of unsafe characters; most texts have none.
    private var mayBeUnsafe: Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            // The loop has no exit, so that the compiler can vectorise it.
            var isFound = false
            for byte in bytes where byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 { isFound = true }
            return isFound
        }
        return found ?? true
    }
}
